#pragma once

#include <vector>

#include "jade/stepping/step.h"

namespace jade {

struct Separation {
  /// Two shapes that were nearer than the standoff.
  struct Pair {
    int shape_a = -1, shape_b = -1;  ///< in the collision model
    double before = 0, after = 0;    ///< their gaps [m]
  };
  State state;              ///< the same velocities, positions moved
  std::vector<Pair> pairs;  ///< empty: nothing was too near, and the state is unchanged to the bit
  double farthest = 0;      ///< that any point of a shape was moved, a bound [m]
  int passes = 0;
  bool reached =
      true;  ///< every pair is at the standoff; false where there is no room for that, as in a narrow slot
};

/// Moves bodies that touch, or are nearer than the standoff, to the standoff: scenes that put a box exactly on a table can
/// then be stepped from. The motion is the least one, weighed by mass, that opens all gaps at once:
///   minimise ½ dᵀ M d  with  gap + Jₙ d ≥ δ   ⇒   d = M⁻¹ Jₙᵀ f,  0 ≤ f ⟂ Jₙ M⁻¹ Jₙᵀ f + gap − δ ≥ 0
/// repeated with the gaps where that leads, because turning bends them. Light bodies make room for heavy ones; nothing
/// that is fixed or prescribed moves.
/// Throws StepError for shapes that overlap by more than a nanometre, naming the pair and the depth: what overlaps that
/// much is a mistake of the scene, not rounding.
[[nodiscard]] Separation separate(const Model& model, const State& state, const StepSettings& settings = {});

}  // namespace jade
