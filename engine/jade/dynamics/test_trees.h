#pragma once

#include <algorithm>
#include <random>

#include <fmt/core.h>

#include "jade/dynamics/manifold.h"
#include "jade/model/model.h"

namespace jade::test {

/// Seeded worlds for tests: valid by construction, with every kind of joint, arbitrary placements and inertias.
class RandomTrees {
 public:
  explicit RandomTrees(unsigned seed) : engine_(seed) {}

  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_()) / static_cast<double>(std::mt19937::max());
  }
  int integer(int end) { return static_cast<int>(engine_() % static_cast<unsigned>(end)); }
  Vec3 vector(double size) { return {real(-size, size), real(-size, size), real(-size, size)}; }
  VecX vector(int n, double size) {
    return VecX::NullaryExpr(n, [&] { return real(-size, size); });
  }
  Quat orientation() {
    const VecX q = vector(4, 1.0);
    return Quat(q[0] + 1.5, q[1], q[2], q[3]).normalized();
  }

  InertiaDescription inertia() {
    // Half the trace minus each principal moment is a second moment of mass, which may be any positive number.
    const Vec3 second(real(0.01, 0.2), real(0.01, 0.2), real(0.01, 0.2));
    const Mat3 R = orientation().toRotationMatrix();
    const Vec3 principal = second.sum() * Vec3::Ones() - second;
    return {.mass = real(0.3, 3), .com = vector(0.3), .inertia = R * principal.asDiagonal() * R.transpose()};
  }

  JointDescription joint(JointKind kind) {
    JointDescription joint;
    joint.kind = kind;
    if (kind == JointKind::free) return joint;
    joint.X_PJ = {vector(0.5), orientation()};
    joint.X_BK = {vector(0.5), orientation()};
    joint.axis = vector(1.0) + Vec3(0, 0, 2);
    joint.second_axis = vector(1.0) + Vec3(2.5, 0, 0);
    if (kind == JointKind::planar)
      joint.second_axis -= joint.axis * (joint.axis.dot(joint.second_axis) / joint.axis.squaredNorm());
    if (kind == JointKind::screw) joint.pitch = real(-0.3, 0.3);
    return joint;
  }

  /// A forest of `size` bodies. Roots are of any kind; `size` ≥ 8 has every kind of joint.
  SceneDescription forest(int size) {
    static constexpr JointKind kinds[] = {JointKind::free,      JointKind::revolute,  JointKind::ball,
                                          JointKind::prismatic, JointKind::universal, JointKind::fixed,
                                          JointKind::screw,     JointKind::planar};
    SceneDescription scene;
    scene.gravity = vector(10.0);
    const int first = integer(8);
    for (int i = 0; i < size; ++i) {
      BodyDescription body;
      body.name = fmt::format("b{}", i);
      body.joint = joint(kinds[(first + i) % 8]);
      if (body.joint.kind != JointKind::free && i > 0 && integer(6) > 0)
        body.joint.parent = fmt::format("b{}", std::max(0, i - 1 - integer(4)));
      body.inertia = inertia();
      scene.bodies.push_back(body);
    }
    return scene;
  }

  /// Gives every joint dampers, armature and (where allowed) springs.
  void add_passive(SceneDescription& scene) {
    for (BodyDescription& body : scene.bodies) {
      static constexpr int velocities[] = {0, 1, 1, 1, 2, 3, 3, 6};
      const JointKind kind = body.joint.kind;
      for (int k = 0; k < velocities[static_cast<int>(kind)]; ++k) {
        body.joint.damping.push_back(real(0.1, 1));
        body.joint.armature.push_back(real(0.01, 0.5));
        if (kind == JointKind::ball || kind == JointKind::free) continue;
        body.joint.stiffness.push_back(real(0.1, 10));
        body.joint.rest_position.push_back(real(-1, 1));
      }
    }
  }

  State state(const Model& model) {
    State state = initial_state(model);
    state.q = integrate(model, state.q, vector(model.nv(), 1.5));
    state.v = vector(model.nv(), 2.0);
    return state;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace jade::test
