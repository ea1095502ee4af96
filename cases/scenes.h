#pragma once

#include <array>
#include <string>
#include <vector>

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

/// Our engine lets bodies meet and rest at this gap instead of at zero [m]. Scenes of contact start with their bodies
/// this far above what they rest on, so that nothing has to move before the closed form applies; for an engine
/// without a gap it is a drop of 10 µm, far below every discretisation error.
inline constexpr double kStandoff = 1e-5;

/// A world of one material, so that friction and restitution are the same wherever shapes meet.
SceneDescription contact_scene(const std::string& name, double gravity, double friction, double restitution);

/// A body of that material which nothing moves.
BodyDescription fixed_solid(const std::string& name, const Shape& shape, const Placement& at = {});

/// A free body of that material and uniform density 1000 kg/m³.
BodyDescription free_solid(const std::string& name, const Shape& shape, const Vec3& position,
                           const Vec3& velocity = Vec3::Zero());

/// Two fingers on slides, `left` and `right`, press against a plate from both sides; the palm that bears them at this height
/// is moved upwards with the velocity of `lift`, or fixed when there is none.
struct GrippedPlate {
  double mass = 0.1, friction = 0.8, gravity = 8;
  double thickness = 0.02;
  double force = 1;  ///< of each finger [N]
  double height = 1;
  std::vector<Signal> lift;
};
SceneDescription gripped_plate(const GrippedPlate& grip);

/// A regular prism standing upright: corners at distance `radius` from the axis, the first at `turn` from x [rad].
ConvexHull prism(int sides, double radius, double height, double turn);

/// A ball of triangles: an icosahedron whose triangles are cut into four `cuts` times, corners on the sphere: 12, 42, 162,
/// 642, … vertices. Turned so that no coordinate plane is a plane of symmetry; the point through its centre is.
TriangleMesh icosphere(double radius, int cuts);

/// The box between two corners as a mesh whose faces are cut into cells of two triangles each.
TriangleMesh mesh_box(const Vec3& low, const Vec3& high, const std::array<int, 3>& cells);

}  // namespace jade::cases
