#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "generators/random_stream.h"
#include "generators/world_growth.h"
#include "jade/gradients/step_gradient.h"

namespace jade::gradient_trial {

/// The two steps whose gradient is tried: where they start, in which directions that is moved, and how they end.
constexpr int kSteps = 2;

/// A direction in everything that two steps depend on.
struct Direction {
  VecX q, v;
  std::array<VecX, kSteps> effort;
  VecX parameters;

  Direction reversed() const { return {-q, -v, {-effort[0], -effort[1]}, -parameters}; }
};

/// Where the two steps start.
struct Start {
  Model model;
  State state;
  StepMemory memory;
  std::array<Controls, kSteps> controls;
  double h = 0;
  std::vector<ParameterId> ids;
};
Start warmed_up(const generators::World& world, int steps);

Direction no_direction(const Start& start);

/// What is drawn for one direction of a trial.
struct Probe {
  Direction direction;
  VecX cotangent, part;  ///< for products from the left: see transpose_error
};
/// Number k of a trial: 0 by state and effort, 1 by the parameters and the step size, 2 by all of them. To be drawn in turn.
Probe draw_probe(const Start& start, std::size_t k, generators::RandomStream& random);

/// Two steps from the start moved by s along a direction: (q ⊖ q_base, v).
class Flow {
 public:
  using Traces = std::array<StepTrace, kSteps>;

  explicit Flow(const Start& start) : start_(start), workspace_(start.model) {}

  /// `traces` (null: none) are those of the moved steps.
  VecX operator()(const Direction& d, double s, Traces* traces = nullptr);
  /// The model that moves with the direction's parameters.
  Model moved_model(const Direction& d, double s) const;

 private:
  const Start& start_;
  StepWorkspace workspace_;
  State end_;  ///< of the flow that was not moved: the first call must be that one
};

/// A random direction of the ten inertial numbers of a body along which it stays possible matter. With the pseudo-inertia
///   P = [Σ h; hᵀ m] = L Lᵀ,   Σ = ½ tr(I) 1 − I the second moments,
/// dP = L S Lᵀ for symmetric S keeps P + s dP positive as long as |s S| < 1.
/// P. Wensing, S. Kim and J.-J. Slotine, "Linear matrix inequalities for physically consistent inertial parameter
/// identification", IEEE Robotics and Automation Letters 3(1), 2018.
Eigen::Matrix<double, 10, 1> possible_direction(const SpatialInertia& inertia,
                                                generators::RandomStream& random);

}  // namespace jade::gradient_trial
