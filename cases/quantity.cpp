#include "cases/quantity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/base/error.h"
#include "jade/base/suggest.h"
#include "jade/math/rotation.h"
#include "jade/model/scene_meshes.h"

namespace jade::cases {
namespace {

using reference::BodyState;
using reference::Frame;

constexpr const char* kAxes[] = {"x", "y", "z"};

VecX scalar(double x) { return VecX::Constant(1, x); }

double kinetic(const Mechanism& m, const Frame& frame) {
  double energy = 0;
  for (std::size_t i = 0; i < m.masses.size(); ++i) {
    const BodyState& b = frame.bodies[i];
    const Vec3 w = b.orientation.normalized().conjugate() * b.angular_velocity;
    energy += 0.5 * m.masses[i].mass * b.velocity.squaredNorm() + 0.5 * w.dot(m.masses[i].inertia * w);
  }
  return energy;
}

double gravitational(const Mechanism& m, const Frame& frame) {
  double energy = 0;
  for (std::size_t i = 0; i < m.masses.size(); ++i) {
    if (m.masses[i].mass == 0) continue;
    energy -= m.masses[i].mass * m.scene.gravity.dot(m.centre_of_mass(frame, static_cast<int>(i)));
  }
  return energy;
}

double spring(const Mechanism& m, const Frame& frame) {
  double energy = 0;
  for (std::size_t i = 0; i < m.masses.size(); ++i) {
    const JointDescription& joint = m.scene.bodies[i].joint;
    if (std::all_of(joint.stiffness.begin(), joint.stiffness.end(), [](double k) { return k == 0; }))
      continue;
    if (joint.kind != JointKind::revolute && joint.kind != JointKind::prismatic) {
      throw InvalidInput("energy of \"" + m.scene.name + "\"",
                         {{m.scene.bodies[i].name, "has a spring on a joint of several coordinates",
                           "use a revolute or prismatic joint"}});
    }
    const double rest = joint.rest_position.empty() ? 0 : joint.rest_position[0];
    const double stretch = reference::joint_coordinate(m.scene, frame.bodies, static_cast<int>(i)) - rest;
    energy += 0.5 * joint.stiffness[0] * stretch * stretch;
  }
  return energy;
}

/// Distance by which a joint's point is off, along the directions in which the joint does not move.
double gap_of(const Mechanism& m, const Frame& frame, int i) {
  const JointDescription& joint = m.scene.bodies[i].joint;
  if (joint.kind == JointKind::free) return 0;
  const reference::JointFrames f = reference::joint_frames(m.scene, frame.bodies, i);
  Vec3 gap = f.X_WJ.R.transpose() * (f.X_WK.p - f.X_WJ.p);
  const Vec3 a = joint.axis.normalized();
  if (joint.kind == JointKind::prismatic || joint.kind == JointKind::screw) gap -= a.dot(gap) * a;
  if (joint.kind == JointKind::planar) {
    const Vec3 normal = a.cross(joint.second_axis).normalized();
    gap = normal.dot(gap) * normal;
  }
  return gap.norm();
}

}  // namespace

Mechanism::Mechanism(SceneDescription description)
    : scene(with_meshes(std::move(description)).scene), masses(reference::body_masses(scene)) {}

int Mechanism::body(const std::string& name) const {
  std::vector<std::string> names;
  for (const BodyDescription& b : scene.bodies) names.push_back(b.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw InvalidInput("quantity of \"" + scene.name + "\"",
                       {{"body \"" + name + "\"", "is not in the scene", suggest(name, names)}});
  }
  return static_cast<int>(found - names.begin());
}

Vec3 Mechanism::centre_of_mass(const Frame& frame, int i) const {
  return frame.bodies[i].position + frame.bodies[i].orientation.normalized() * masses[i].com;
}

judge::Judge& Mechanism::judge() const {
  if (judge_ == nullptr) judge_ = std::make_unique<judge::Judge>(scene);
  return *judge_;
}

Quantity total_energy() {
  return {"energy", "J", [](const Mechanism& m, const Frame& f) {
            return scalar(kinetic(m, f) + gravitational(m, f) + spring(m, f));
          }};
}

Quantity kinetic_energy() {
  return {"kinetic energy", "J", [](const Mechanism& m, const Frame& f) { return scalar(kinetic(m, f)); }};
}

Quantity linear_momentum() {
  return {"linear momentum", "kg m/s", [](const Mechanism& m, const Frame& f) {
            Vec3 p = Vec3::Zero();
            for (std::size_t i = 0; i < m.masses.size(); ++i) p += m.masses[i].mass * f.bodies[i].velocity;
            return VecX(p);
          }};
}

Quantity angular_momentum() {
  return {"angular momentum", "kg m²/s", [](const Mechanism& m, const Frame& f) {
            Vec3 L = Vec3::Zero();
            for (std::size_t i = 0; i < m.masses.size(); ++i) {
              const BodyState& b = f.bodies[i];
              const Quat R = b.orientation.normalized();
              L += R * (m.masses[i].inertia * (R.conjugate() * b.angular_velocity));
              L += m.masses[i].mass * m.centre_of_mass(f, static_cast<int>(i)).cross(b.velocity);
            }
            return VecX(L);
          }};
}

Quantity position_of(const std::string& body, int axis) {
  return {body + " " + kAxes[axis], "m", [=](const Mechanism& m, const Frame& f) {
            return scalar(m.centre_of_mass(f, m.body(body))[axis]);
          }};
}

Quantity velocity_of(const std::string& body, int axis) {
  return {body + " v" + kAxes[axis], "m/s",
          [=](const Mechanism& m, const Frame& f) { return scalar(f.bodies[m.body(body)].velocity[axis]); }};
}

Quantity body_angular_velocity(const std::string& body) {
  return {body + " angular velocity, body axes", "rad/s", [=](const Mechanism& m, const Frame& f) {
            const BodyState& b = f.bodies[m.body(body)];
            return VecX(b.orientation.normalized().conjugate() * b.angular_velocity);
          }};
}

Quantity joint_angle(const std::string& body) {
  return {body + " angle", "rad", [=](const Mechanism& m, const Frame& f) {
            return scalar(reference::joint_coordinate(m.scene, f.bodies, m.body(body)));
          }};
}

Quantity joint_gap() {
  return {"joint gap", "m", [](const Mechanism& m, const Frame& f) {
            double gap = 0;
            for (std::size_t i = 0; i < m.masses.size(); ++i)
              gap = std::max(gap, gap_of(m, f, static_cast<int>(i)));
            return scalar(gap);
          }};
}

Quantity clearance() {
  return {"clearance", "m", [](const Mechanism& m, const Frame& f) {
            std::vector<Transform> X_WB;
            for (const BodyState& body : f.bodies) X_WB.push_back(reference::pose_of(body));
            const judge::Judgement found = m.judge().worst(X_WB);
            if (found.not_finite >= 0) return scalar(std::numeric_limits<double>::quiet_NaN());
            if (found.worst < 0) {
              throw InvalidInput("clearance of \"" + m.scene.name + "\"",
                                 {{"scene", "has no two shapes that can meet", "ask for something else"}});
            }
            const judge::Measurement& worst = found.pairs[found.worst].measured;
            if (!judge::overlap(worst.relation)) return scalar(worst.separation.lower);
            return scalar(std::min(worst.separation.upper, -std::numeric_limits<double>::min()));
          }};
}

Quantity orientation_error(const std::string& body, const std::function<Mat3(double)>& exact) {
  return {body + " orientation off by", "rad", [=](const Mechanism& m, const Frame& f) {
            const Quat R = f.bodies[m.body(body)].orientation.normalized();
            return scalar(rotation_log(Mat3(R.toRotationMatrix() * exact(f.time).transpose())).norm());
          }};
}

}  // namespace jade::cases
