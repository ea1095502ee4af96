#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "jade/model/scene_description.h"
#include "reference/judge/judge.h"
#include "reference/recording.h"
#include "reference/scene_kinematics.h"

namespace jade::cases {

/// The scene with its masses: what quantities are computed from, independent of every engine.
struct Mechanism {
  explicit Mechanism(SceneDescription description);

  SceneDescription scene;
  std::vector<reference::BodyMass> masses;

  /// Throws InvalidInput when there is none.
  int body(const std::string& name) const;
  Vec3 centre_of_mass(const reference::Frame& frame, int body) const;
  /// Measures how bodies lie to each other; prepared when first asked for. For one thread.
  judge::Judge& judge() const;

 private:
  mutable std::unique_ptr<judge::Judge> judge_;
};

/// Something that can be read off any engine's recording: a number, or a vector of them.
struct Quantity {
  std::string name;
  std::string unit;
  std::function<VecX(const Mechanism&, const reference::Frame&)> value;
};

/// Kinetic, gravitational and spring energy. Springs on revolute and prismatic joints only, which is all a
/// pose can tell: others make it throw.
Quantity total_energy();
Quantity kinetic_energy();
Quantity linear_momentum();
/// Of all bodies, about the origin of the world.
Quantity angular_momentum();

/// Coordinate of a body's centre of mass along a world axis (0 x, 1 y, 2 z).
Quantity position_of(const std::string& body, int axis);
Quantity velocity_of(const std::string& body, int axis);
/// Angular velocity in the body's own axes.
Quantity body_angular_velocity(const std::string& body);
/// Coordinate of a revolute joint in (−π, π], from the poses of its two bodies.
Quantity joint_angle(const std::string& body);
/// Largest distance over all joints between where its two bodies put the joint's point. Zero for every engine
/// in joint coordinates; what an engine with constraints lets its joints come apart.
Quantity joint_gap();
/// Smallest distance between any two shapes that can meet, as the judge measures it: a certified lower bound of it,
/// and where they overlap minus the depth of penetration that is certain. Touching is overlapping: below zero.
Quantity clearance();
/// Angle between a body's orientation and the given one [rad].
Quantity orientation_error(const std::string& body, const std::function<Mat3(double time)>& exact);

}  // namespace jade::cases
