#pragma once

#include <limits>
#include <string>

#include "generators/world_growth.h"
#include "jade/stepping/step.h"
#include "reference/judge/judge.h"

namespace jade::step_trial {

/// What became of a world in some steps, as the independent judge and the step's own report tell it.
struct Trial {
  int steps = 0;   ///< that were made
  int states = 0;  ///< that were judged
  int intersections =
      0;              ///< of these, states in which two shapes share points, one inside the other included
  std::string error;  ///< what the step threw; empty: nothing
  double clearance = std::numeric_limits<double>::infinity();  ///< the smallest that the judge saw [m]
  double lost_time = 0;
  int unsolved = 0;
  int most_substeps = 0;
  double substeps = 0;     ///< of all steps together
  double energy_gain = 0;  ///< largest of one step beyond push-out work, as a share of the kinetic energy
  int gaining_step = -1;
  std::string worst;  ///< which pair the judge found intersecting first, and when

  bool failed() const { return intersections > 0 || !error.empty(); }
};

struct TrialSettings {
  int steps = 20;
  StepSettings step;
};

/// Steps through the world and has every end state judged; ends at the first failure.
Trial try_world(const generators::World& world, const TrialSettings& settings);

/// The pose of every body of the scene.
void body_poses(const Model& model, const VecX& q, DynamicsWorkspace& work, std::vector<Transform>& X_WB);

/// Kinetic and potential energy.
double energy(const Model& model, const State& state);

}  // namespace jade::step_trial
