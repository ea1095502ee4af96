#include "cases/scenes.h"

namespace jade::cases {

BodyDescription free_body(const std::string& name, double mass, const Vec3& principal_inertia) {
  BodyDescription body;
  body.name = name;
  body.inertia =
      InertiaDescription{.mass = mass, .com = Vec3::Zero(), .inertia = principal_inertia.asDiagonal()};
  body.joint.kind = JointKind::free;
  return body;
}

BodyDescription hinged_rod(const Rod& rod) {
  BodyDescription body;
  body.name = rod.name;
  const double transverse = rod.mass * rod.length * rod.length / 12;
  // A rod of some thickness: an inertia of exactly zero about its own axis is no solid body.
  const Vec3 inertia(transverse, transverse, transverse / 100);
  body.inertia = InertiaDescription{
      .mass = rod.mass, .com = Vec3(0, 0, -rod.length / 2), .inertia = inertia.asDiagonal()};
  body.joint.kind = JointKind::revolute;
  body.joint.parent = rod.parent;
  body.joint.axis = Vec3::UnitY();
  body.joint.X_PJ.position = Vec3(0, 0, -rod.parent_length);
  body.joint.position = {rod.angle};
  return body;
}

}  // namespace jade::cases
