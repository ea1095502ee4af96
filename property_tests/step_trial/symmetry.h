#pragma once

#include "jade/model/model.h"

namespace jade::step_trial {

/// A change of view under which physics stays the same: the world turned, shifted and, if R is improper, mirrored, with its
/// gravity; and its bodies listed in the opposite order.
///   x' = R x + p.  A mirrored body keeps a right-handed frame by being mirrored in itself too: R_WB' = R R_WB S, S = diag(1, −1, 1)
struct Symmetry {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
  bool reversed = false;

  bool mirrors() const { return R.determinant() < 0; }
};

/// Mirrors free and fixed bodies only: an axis of a joint would have to be mirrored too.
SceneDescription image_of(const SceneDescription& scene, const Symmetry& symmetry);

/// The state of `model` as `image`, the model of image_of its scene, has it.
State image_of(const Model& model, const State& state, const Symmetry& symmetry, const Model& image);

}  // namespace jade::step_trial
