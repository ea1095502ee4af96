#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/world_growth.h"
#include "gradient_trial/gradient_trial.h"

namespace jade::gradient_trial {

/// Why a gradient and differences disagree: where on the way of the two steps they part, over nudges of many sizes.
///
/// The tape of a step can be cut off anywhere: what it says of the state at that place is held against differences of the
/// same number in traces of nudged steps. The first stage at which they differ is the one to look at; if the Jacobian at nudged
/// starts is another one than that at the start, on either side, the start is at a kink of its own.

/// Differences at one nudge s, each as its distance from the gradient, relative to the size of that.
struct NudgeTrial {
  double s = 0;
  double central = 0, right = 0, left = 0;
  /// The gradient at the start moved by ± s: away from kinks they differ by the order of s.
  double gradient_above = 0, gradient_below = 0;
  bool same_above = false, same_below = false;  ///< whether all decisions are those of the start
};

/// A place on the way of a step.
struct StageTrial {
  std::string name;                         ///< "step 1, island 0 of box and ball, sub-step 3, solve 1"
  double size = 0;                          ///< of what the tape says there
  double central = 0, right = 0, left = 0;  ///< the smallest distances over all nudges, relative to the size
  /// Of the mean of the tapes at the nearest two nudges, the same: what rounding alone does to the tape. Where it jumps a number is
  /// known to fewer digits than the others, as a normal that GJK left at the root of its rounding.
  double scatter = 0;
  std::string decisions;     ///< of the start: length and classes of rows
  std::string above, below;  ///< of the nearest nudge, where they are others
  bool parts() const;        ///< central differences know it, and say something else
};

struct Explanation {
  DirectionTrial trial;
  std::vector<NudgeTrial> nudges;
  std::vector<StageTrial> stages;  ///< in the order in which the tape runs

  /// Index of the first stage that parts; −1: none does.
  int first() const;
};

/// Of direction k of the trial with the same numbers. Throws StepError where a step cannot be made.
Explanation explain(const generators::World& world, std::uint64_t numbers, std::size_t k,
                    const TrialSettings& settings = {});

}  // namespace jade::gradient_trial
