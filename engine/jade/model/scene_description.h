#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jade/geometry/shape.h"
#include "jade/math/types.h"

namespace jade {

/// A scene in words that every engine can read: our engine and every reference engine build from the same one.
/// Plain data without promises; `check_scene` lists its mistakes and `build_model` refuses it when there are any.
/// SI units: metres, kilograms, seconds, radians. Right-handed axes. Its file format is documented in
/// scene_json.h.

/// Pose of one frame in another, as written by a person: `position` metres, `orientation` w x y z
/// (normalised when the scene is built).
struct Placement {
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
  bool operator==(const Placement& other) const {
    return position == other.position && orientation.coeffs() == other.orientation.coeffs();
  }
};

inline Transform transform_of(const Placement& placement) {
  return {placement.orientation.normalized().toRotationMatrix(), placement.position};
}

enum class JointKind { fixed, revolute, prismatic, screw, universal, planar, ball, free };

/// How many coordinates q and velocities v a joint has; they differ where a quaternion is among the coordinates.
constexpr int velocity_count(JointKind kind) {
  constexpr int counts[] = {0, 1, 1, 1, 2, 3, 3, 6};
  return counts[static_cast<int>(kind)];
}
constexpr bool has_quaternion(JointKind kind) { return kind == JointKind::ball || kind == JointKind::free; }
constexpr int position_count(JointKind kind) { return velocity_count(kind) + (has_quaternion(kind) ? 1 : 0); }

/// A number as a function of time, from samples: `hold` keeps each value until the next time, `linear` joins
/// them. Before the first and after the last time the end values hold.
struct Signal {
  enum class Interpolation { hold, linear };
  Interpolation interpolation = Interpolation::hold;
  std::vector<double> times;   ///< strictly increasing [s]
  std::vector<double> values;  ///< as many as times
  bool operator==(const Signal&) const = default;
};

/// How a body hangs on its parent.
///
/// Joint frame J is fixed in the parent at X_PJ; the moving joint frame K is fixed in the body at X_BK. At zero
/// position J and K coincide. Coordinates and velocities, in this order:
///   fixed      none
///   revolute   q: angle about `axis`                                v: its rate
///   prismatic  q: distance along `axis`                             v: its rate
///   screw      q: angle about `axis`, advancing `pitch` m per rad   v: its rate
///   universal  q: angle about `axis`, then about `second_axis`      v: their rates
///   planar     q: distances along `axis` and `second_axis` (orthogonal), then angle about their cross product
///              v: their rates; translation comes before rotation, so it is along axes of the parent
///   ball       q: quaternion w x y z of R_JK                        v: angular velocity of K in J, in axes of J
///   free       q: position of the body origin in the world, quaternion w x y z of R_WB
///              v: velocity of the body's centre of mass (of all bodies fixed to it taken together), then angular
///              velocity, both in world axes
/// A free joint hangs on the world and takes no placements: its position says where the body is.
/// The per-coordinate lists below have one entry per velocity coordinate, or are empty for "none".
struct JointDescription {
  std::string name;  ///< empty: the body's name
  JointKind kind = JointKind::free;
  std::string parent;  ///< name of the parent body; empty: the world
  Placement X_PJ;
  Placement X_BK;
  Vec3 axis = Vec3::UnitZ();         ///< in J; need not have unit length, must not be zero
  Vec3 second_axis = Vec3::UnitY();  ///< universal and planar; must not be parallel to `axis`
  double pitch = 0;                  ///< screw only [m/rad]

  std::vector<double> position;  ///< initial q; empty: zero (identity)
  std::vector<double> velocity;  ///< initial v; empty: zero

  std::vector<double> damping;    ///< τ = −damping v,             N s/m or N m s/rad, ≥ 0
  std::vector<double> stiffness;  ///< τ = −stiffness (q − rest),  ≥ 0; not for ball and free joints
  std::vector<double> rest_position;  ///< of the spring; empty: zero
  std::vector<double> armature;       ///< added to the diagonal of the mass matrix (rotor inertia), ≥ 0
  std::vector<double> effort_limit;   ///< |applied effort| is clamped to it, > 0
  std::vector<double> lower, upper;   ///< position limits; ±infinity for none; not for ball and free joints
  double limit_restitution = 0;       ///< of hitting a limit, in [0, 1]

  std::vector<Signal> effort;  ///< applied effort τ(t)
  /// Prescribed velocity of every coordinate (a gripper's moving base): the joint follows it whatever acts on
  /// it, its acceleration is the signal's slope, and its position is the initial one plus the integral. Linear
  /// signals only, so that velocity is continuous. Not for fixed, ball and free joints.
  std::vector<Signal> motion;

  bool collides_with_parent = false;  ///< neighbours across a joint do not collide unless asked to
  bool operator==(const JointDescription&) const = default;
};

/// Mass properties about the centre of mass, in axes of the body frame.
struct InertiaDescription {
  double mass = 0;
  Vec3 com = Vec3::Zero();      ///< p_B of the centre of mass
  Mat3 inertia = Mat3::Zero();  ///< rotational inertia about the centre of mass, axes of B
  bool operator==(const InertiaDescription&) const = default;
};

struct ShapeDescription {
  std::string name;  ///< empty: numbered within its body
  Shape geometry;
  Placement X_BS;
  std::string material;
  std::optional<double> density;      ///< kg/m³; used when the body gives no inertia
  std::uint32_t groups = 1;           ///< bit set: the groups this shape belongs to
  std::uint32_t collides_with = ~0u;  ///< two shapes can meet iff each is in a group the other collides with
  bool operator==(const ShapeDescription&) const = default;
};

/// A body without `inertia` gets it from the densities of its shapes. A body that is fixed to the world,
/// directly or through other fixed bodies, needs neither.
struct BodyDescription {
  std::string name;
  std::optional<InertiaDescription> inertia;
  std::vector<ShapeDescription> shapes;
  JointDescription joint;
  bool operator==(const BodyDescription&) const = default;
};

/// What happens where two materials meet; the order of the names does not matter, and they may be equal.
struct MaterialPair {
  std::string first, second;
  double friction = 0;     ///< Coulomb coefficient, ≥ 0
  double restitution = 0;  ///< Newton's coefficient, in [0, 1]
  bool operator==(const MaterialPair&) const = default;
};

struct SceneDescription {
  std::string name;
  std::string folder;  ///< where relative mesh files are looked for; not part of the file format
  Vec3 gravity = Vec3(0, 0, -9.81);
  std::vector<std::string> materials;
  std::vector<MaterialPair> pairs;  ///< every pair of materials that can meet must be listed
  std::vector<BodyDescription> bodies;
  std::vector<std::array<std::string, 2>> never_collide;  ///< pairs of body names
  bool operator==(const SceneDescription&) const = default;
};

}  // namespace jade
