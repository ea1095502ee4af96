#pragma once

#include "jade/gradients/experiment.h"

// Y. D. Zhong, J. Han and G. O. Brikis, "Differentiable physics simulations with contacts: do they have correct gradients
// w.r.t. position, velocity and control?", 2022, task 3.

namespace jade::cases {

/// Two balls of 1 kg and 0.2 m at rest on a diagonal without gravity; a force (3, 3) N acts on the first.
SceneDescription pushing_scene();

/// |x₂(T)|² + 0.1 ∫ |u|² dt: how far the second ball is from the origin, and what it cost to push the first.
Outcome pushing_cost(const Model& model);

}  // namespace jade::cases
