#pragma once

#include <memory>

#include "jade/contact/collision_model.h"
#include "jade/geometry/motion.h"
#include "jade/stepping/island.h"

namespace jade {

/// The path of a shape over a segment of length s, for the sweep. `tree` is null for shapes fixed to the world.
///   a single free body   one parabola and one exponential: RigidMotion
///   any other link       poses from the tree's kinematics at q ⊕ (σ p1 + ½ σ² p2), accelerations from bounds that are
///                        summed from the shape down to the world
std::unique_ptr<Motion> motion_of(const CollisionShape& shape, const MovingTree* tree, double s);

}  // namespace jade
