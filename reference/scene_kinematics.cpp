#include "reference/scene_kinematics.h"

#include <cmath>

#include "jade/base/error.h"
#include "jade/math/rotation.h"
#include "jade/model/model.h"

namespace jade::reference {
namespace {

/// Motion of frame K seen from frame J: pose, and velocity of K's origin and angular velocity in axes of J.
struct RelativeMotion {
  Transform X_JK;
  Vec3 v = Vec3::Zero(), w = Vec3::Zero();
};

RelativeMotion relative_motion(const JointDescription& joint, const JointState& s) {
  const Vec3 a = joint.axis.normalized(), b = joint.second_axis.normalized();
  RelativeMotion m;
  switch (joint.kind) {
    case JointKind::fixed:
      break;
    case JointKind::revolute:
      m.X_JK.R = rotation_exp(s.q[0] * a);
      m.w = s.v[0] * a;
      break;
    case JointKind::prismatic:
      m.X_JK.p = s.q[0] * a;
      m.v = s.v[0] * a;
      break;
    case JointKind::screw:
      m.X_JK = {rotation_exp(s.q[0] * a), joint.pitch * s.q[0] * a};
      m.v = joint.pitch * s.v[0] * a;
      m.w = s.v[0] * a;
      break;
    case JointKind::universal: {
      const Mat3 first = rotation_exp(s.q[0] * a);
      m.X_JK.R = first * rotation_exp(s.q[1] * b);
      m.w = s.v[0] * a + s.v[1] * (first * b);
      break;
    }
    case JointKind::planar: {
      const Vec3 normal = a.cross(b).normalized();
      m.X_JK = {rotation_exp(s.q[2] * normal), s.q[0] * a + s.q[1] * b};
      m.v = s.v[0] * a + s.v[1] * b;
      m.w = s.v[2] * normal;
      break;
    }
    case JointKind::ball:
      m.X_JK.R = Quat(s.q[0], s.q[1], s.q[2], s.q[3]).normalized().toRotationMatrix();
      m.w = Vec3(s.v[0], s.v[1], s.v[2]);
      break;
    case JointKind::free:
      break;  // handled by its caller: its velocity is not that of a frame
  }
  return m;
}

BodyState free_body(const JointState& s) {
  return {{s.q[0], s.q[1], s.q[2]},
          Quat(s.q[3], s.q[4], s.q[5], s.q[6]).normalized(),
          {s.v[0], s.v[1], s.v[2]},
          {s.v[3], s.v[4], s.v[5]}};
}

}  // namespace

std::vector<BodyMass> body_masses(const SceneDescription& scene) {
  std::vector<BodyMass> masses;
  const Model model = build_model(scene);
  for (const Body& body : model.bodies()) {
    const SpatialInertia& I = body.inertia;
    BodyMass m{.mass = I.mass};
    if (I.mass > 0) {
      m.com = I.moment / I.mass;
      m.inertia = I.inertia - I.mass * (m.com.squaredNorm() * Mat3::Identity() - m.com * m.com.transpose());
    }
    masses.push_back(m);
  }
  // A described inertia is about the centre of mass already: no need to lose digits by going there and back.
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (const auto& given = scene.bodies[i].inertia) masses[i] = {given->mass, given->com, given->inertia};
  }
  return masses;
}

int parent_of(const SceneDescription& scene, int body) {
  const std::string& parent = scene.bodies[body].joint.parent;
  if (parent.empty()) return -1;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].name == parent) return static_cast<int>(i);
  }
  throw InvalidInput(
      "scene \"" + scene.name + "\"",
      {{"joint of \"" + scene.bodies[body].name + "\"", "its parent \"" + parent + "\" is no body",
        "name a body of the scene, or nothing for the world"}});
}

std::vector<int> parents_first(const SceneDescription& scene) {
  const int n = static_cast<int>(scene.bodies.size());
  std::vector<int> order, parents(n);
  std::vector<bool> placed(n, false);
  for (int i = 0; i < n; ++i) parents[i] = parent_of(scene, i);
  while (static_cast<int>(order.size()) < n) {
    const std::size_t before = order.size();
    for (int i = 0; i < n; ++i) {
      if (placed[i] || (parents[i] >= 0 && !placed[parents[i]])) continue;
      placed[i] = true;
      order.push_back(i);
    }
    if (order.size() == before) {
      throw InvalidInput("scene \"" + scene.name + "\"",
                         {{"bodies", "hang on each other in a circle", "hang one of them on the world"}});
    }
  }
  return order;
}

std::vector<JointState> initial_joints(const SceneDescription& scene) {
  std::vector<JointState> joints;
  for (const BodyDescription& body : scene.bodies) {
    JointState s{body.joint.position, body.joint.velocity};
    const int nv = velocity_count(body.joint.kind);
    if (s.q.empty()) {
      if (body.joint.kind == JointKind::free) {
        s.q = {0, 0, 0, 1, 0, 0, 0};
      } else if (body.joint.kind == JointKind::ball) {
        s.q = {1, 0, 0, 0};
      } else {
        s.q.assign(nv, 0.0);
      }
    }
    if (s.v.empty()) s.v.assign(nv, 0.0);
    joints.push_back(std::move(s));
  }
  return joints;
}

Transform pose_of(const BodyState& body) {
  return {body.orientation.normalized().toRotationMatrix(), body.position};
}
Transform pose_of(const Placement& placement) {
  return {placement.orientation.normalized().toRotationMatrix(), placement.position};
}

std::vector<BodyState> body_states(const SceneDescription& scene, const std::vector<BodyMass>& masses,
                                   const std::vector<JointState>& joints) {
  std::vector<BodyState> bodies(scene.bodies.size());
  for (const int i : parents_first(scene)) {
    const JointDescription& joint = scene.bodies[i].joint;
    if (joint.kind == JointKind::free) {
      bodies[i] = free_body(joints[i]);
      continue;
    }
    // Frame P of the parent: pose, velocity of its origin, angular velocity.
    const int parent = parent_of(scene, i);
    Transform X_WP;
    Vec3 v_WP = Vec3::Zero(), w_WP = Vec3::Zero();
    if (parent >= 0) {
      X_WP = pose_of(bodies[parent]);
      w_WP = bodies[parent].angular_velocity;
      v_WP = bodies[parent].velocity - w_WP.cross(X_WP.R * masses[parent].com);
    }
    // Through the joint to frame K, then to the body.
    const RelativeMotion m = relative_motion(joint, joints[i]);
    const Transform X_WJ = X_WP * pose_of(joint.X_PJ);
    const Transform X_WK = X_WJ * m.X_JK;
    const Transform X_WB = X_WK * pose_of(joint.X_BK).inverse();
    const Vec3 w = w_WP + X_WJ.R * m.w;
    const Vec3 v_WK = v_WP + w_WP.cross(X_WK.p - X_WP.p) + X_WJ.R * m.v;
    bodies[i].position = X_WB.p;
    bodies[i].orientation = Quat(X_WB.R);
    bodies[i].angular_velocity = w;
    bodies[i].velocity = v_WK + w.cross(X_WB * masses[i].com - X_WK.p);
  }
  return bodies;
}

JointFrames joint_frames(const SceneDescription& scene, const std::vector<BodyState>& bodies, int body) {
  const JointDescription& joint = scene.bodies[body].joint;
  const int parent = parent_of(scene, body);
  const Transform X_WP = parent >= 0 ? pose_of(bodies[parent]) : Transform{};
  return {X_WP * pose_of(joint.X_PJ), pose_of(bodies[body]) * pose_of(joint.X_BK)};
}

double joint_coordinate(const SceneDescription& scene, const std::vector<BodyState>& bodies, int body) {
  const JointDescription& joint = scene.bodies[body].joint;
  const JointFrames frames = joint_frames(scene, bodies, body);
  const Vec3 axis = joint.axis.normalized();
  const Transform X_JK = frames.X_WJ.inverse() * frames.X_WK;
  if (joint.kind == JointKind::prismatic) return axis.dot(X_JK.p);
  // Angle of the rotation's twist about the axis: what is left of it after any tilt of an inexact hinge.
  const Quat q(X_JK.R);
  return std::remainder(2 * std::atan2(axis.dot(q.vec()), q.w()), 2 * std::acos(-1.0));
}

}  // namespace jade::reference
