#pragma once

#include <string>

#include "jade/model/scene_description.h"

// Pieces that scenes of several cases are made of.

namespace jade::cases {

inline constexpr double kGravity = 9.81;

/// A free body with its mass about the origin of its frame.
BodyDescription free_body(const std::string& name, double mass, const Vec3& principal_inertia);

/// A thin rod of length `length` hanging down (along −z) from a hinge about y at its upper end. Its frame is at
/// the hinge; the hinge is at the lower end of `parent`, a rod of `parent_length`, or at the origin of the world.
struct Rod {
  std::string name;
  double mass = 1, length = 1;
  std::string parent;
  double parent_length = 0;
  double angle = 0;  ///< initial, against the parent [rad]
};
BodyDescription hinged_rod(const Rod& rod);

}  // namespace jade::cases
