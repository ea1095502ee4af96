#pragma once

#include <limits>
#include <string>

#include "generators/world_growth.h"
#include "jade/stepping/step.h"

namespace jade::step_trial {

/// The first thing that went wrong.
enum class Fault {
  none,
  starts_overlapping,  ///< the world itself is no start: nothing is said about the engine
  intersects,  ///< two shapes share points, one inside the other included, at the end of a step or within it
  throws,      ///< the step gave up: not finite, or a start that it takes for an intersection
  gains_energy,    ///< more than its bound allows
  loses_momentum,  ///< more than rounding, where nothing is fixed
  too_slow         ///< the world was not done in its time
};
const char* name_of(Fault fault);

/// What became of a world in some steps, as the independent judge and the step's own report tell it.
struct Trial {
  int steps = 0;         ///< that were made
  long long states = 0;  ///< that were judged: of ends of steps and of motion within them
  Fault fault = Fault::none;
  std::string what;                                            ///< of the fault: step, time, pair, …
  State before;                                                ///< of the step in which the fault appeared
  double clearance = std::numeric_limits<double>::infinity();  ///< the smallest that the judge saw [m]
  double lost_time = 0;                                        ///< [body-seconds]
  int steps_with_loss = 0;
  int unsolved = 0;
  int most_substeps = 0;
  long long substeps = 0;      ///< of all steps together
  double energy_gain = 0;      ///< largest of one step beyond push-out work, as a share of the kinetic energy
  double momentum_change = 0;  ///< linear, as a share of the momenta there are

  bool failed() const { return fault != Fault::none; }
};

struct TrialSettings {
  int steps = 20;
  StepSettings step;
  /// How far anything may go between two states that are judged within a step [m, rad]; 0: only ends of steps.
  double spacing = 0;
  /// Largest share of the kinetic energy that one step may add, beyond lifting everything to the standoff.
  double energy_bound = std::numeric_limits<double>::infinity();
  double seconds = std::numeric_limits<double>::infinity();  ///< of work, for the whole world
};

/// Steps through the world and has its states judged; ends at the first fault.
Trial try_world(const generators::World& world, const TrialSettings& settings);

/// Kinetic and potential energy.
double energy(const Model& model, const State& state);

}  // namespace jade::step_trial
