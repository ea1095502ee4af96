#pragma once

#include <string>
#include <vector>

#include "jade/gradients/differentiate.h"
#include "jade/gradients/experiment.h"

namespace jade {

/// A derivative held against differences.
struct DerivativeCheck {
  Differences differences;
  VecX analytic;
  /// Largest distance relative to the size: from the difference, or at a kink from the interval between both sides.
  double error = 0;
  double digits = 0;  ///< −log10(error), at most 16

  bool judged() const { return differences.smoothness != Smoothness::unresolved; }
};
DerivativeCheck check_derivative(const VecX& analytic, Differences differences);

/// One entry of a gradient: an outcome by a variable.
struct GradientEntry {
  std::string outcome, variable;
  double analytic = 0, difference = 0;
  double left = 0, right = 0;  ///< both the difference where only one side exists
  double estimated_error = 0;  ///< of the difference
  /// Errors are relative to the largest derivative by this variable, at least to a hundredth of the largest by any (each
  /// moved in its own unit, scale_of).
  double error = 0, digits = 0;
  Smoothness smoothness = Smoothness::unresolved;
};

struct GradientCheck {
  std::vector<GradientEntry> entries;  ///< variable by variable, in each the outcomes
  Regularity regularity;               ///< what the gradient says of itself
  double worst() const;                ///< error over all entries that differences can judge
};

/// Whether the gradient of an experiment is right: every outcome by every variable, rollout_gradient against differences of
/// whole trajectories. Costs two trajectories a level and variable.
[[nodiscard]] GradientCheck gradient_check(const Experiment& experiment, const Outcome& outcome,
                                           const std::vector<Variable>& variables,
                                           const DifferenceSettings& settings = {});

}  // namespace jade
