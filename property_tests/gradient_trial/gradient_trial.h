#pragma once

#include <array>
#include <optional>
#include <string>

#include "generators/random_stream.h"
#include "generators/world_growth.h"
#include "jade/gradients/gradient_check.h"

namespace jade::gradient_trial {

/// What is asked of the gradient in one world.
struct TrialSettings {
  int warm_up = 8;  ///< at most so many steps are made first, so that the state is none that a person placed
  bool differences = true;  ///< off: only products from the left are held against the Jacobians
  double tolerance = 1e-6;  ///< relative, for directions in which differences settle
  /// A direction in which some central difference agrees with the gradient to a part of the tolerance passes, and is not judged:
  /// whether it is regular remains unknown. Four times as many worlds are looked at for wrong gradients.
  bool screen = false;
  /// Relative, of products from the left: sums of the same products in another order.
  double transpose_tolerance = 1e-12;
};

/// Two steps along one direction: what the chained Jacobians say, and what differences say.
struct DirectionTrial {
  DerivativeCheck check;
  Regularity regularity = {};  ///< what the gradient says of itself
  bool passed = false;         ///< the screen: not judged
  /// At a kink at which step_along knows both sides: how far it is from the difference of either, relative to their size.
  std::optional<double> one_sided_error = {};
};

/// The gradient of two steps of one world in three random directions: by state and effort, by the parameters and the step
/// size, and by all of them.
struct GradientTrial {
  static constexpr std::array<const char*, 3> kDirections{"state and effort", "parameters", "everything"};

  std::array<DirectionTrial, 3> directions;
  Regularity regularity;
  double transpose_error = 0;     ///< |wᵀ(J d) − (Jᵀw)ᵀ d| relative to the sizes of the terms
  int warm_up = 0;                ///< steps made before
  int impacts = 0, contacts = 0;  ///< in the two steps
  double lost_time = 0;
  std::string error;  ///< what a step threw; empty: nothing

  /// The differences settled in all three directions: the gradient has nothing to hide behind but that it does not exist.
  bool settles() const;
  /// They did, and there is a gradient to be held against them.
  bool regular() const { return settles() && regularity.exists; }
  double worst() const;  ///< error of the directions that differences can judge
  bool kink() const;     ///< a direction with two different sides
};

/// `numbers` chooses warm-up and directions.
GradientTrial try_gradient(const generators::World& world, std::uint64_t numbers,
                           const TrialSettings& settings = {});

}  // namespace jade::gradient_trial
