#include "reference/scene_kinematics.h"

#include <gtest/gtest.h>

#include "jade/base/error.h"
#include "jade/math/differences.h"
#include "jade/math/rotation.h"
#include "reference/engines.h"

namespace jade::reference {
namespace {

BodyDescription body(const std::string& name, JointKind kind, const std::string& parent) {
  BodyDescription b;
  b.name = name;
  b.inertia = InertiaDescription{
      .mass = 1.5, .com = Vec3(0.1, -0.2, 0.3), .inertia = Vec3(0.3, 0.4, 0.5).asDiagonal()};
  b.joint.kind = kind;
  b.joint.parent = parent;
  if (kind != JointKind::free) {
    b.joint.X_PJ = {Vec3(0.3, 0.1, -0.4), Quat(0.9, 0.1, -0.3, 0.2).normalized()};
    b.joint.X_BK = {Vec3(-0.2, 0.5, 0.1), Quat(0.7, -0.4, 0.1, 0.3).normalized()};
  }
  b.joint.axis = Vec3(1, 2, -0.5);
  b.joint.second_axis = Vec3(2, -1, 0);
  if (b.joint.kind == JointKind::screw) b.joint.pitch = 0.3;
  return b;
}

/// A tree with every kind of joint, in motion.
SceneDescription every_joint() {
  SceneDescription scene;
  scene.name = "every joint";
  scene.bodies = {body("free", JointKind::free, ""),
                  body("hinge", JointKind::revolute, "free"),
                  body("slide", JointKind::prismatic, "hinge"),
                  body("screw", JointKind::screw, "slide"),
                  body("cross", JointKind::universal, "free"),
                  body("plane", JointKind::planar, "cross"),
                  body("ball", JointKind::ball, "plane"),
                  body("weld", JointKind::fixed, "ball")};
  const Quat q = Quat(0.6, -0.2, 0.5, 0.3).normalized();
  scene.bodies[0].joint.position = {1, 2, 3, q.w(), q.x(), q.y(), q.z()};
  scene.bodies[0].joint.velocity = {0.4, -1, 0.3, 0.7, 0.2, -0.9};
  scene.bodies[1].joint.position = {0.8};
  scene.bodies[1].joint.velocity = {1.1};
  scene.bodies[2].joint.position = {-0.4};
  scene.bodies[2].joint.velocity = {0.6};
  scene.bodies[3].joint.position = {0.9};
  scene.bodies[3].joint.velocity = {-0.7};
  scene.bodies[4].joint.position = {0.5, -0.3};
  scene.bodies[4].joint.velocity = {0.2, 0.8};
  scene.bodies[5].joint.position = {0.1, 0.2, 0.3};
  scene.bodies[5].joint.velocity = {-0.5, 0.4, 1.2};
  scene.bodies[6].joint.position = {q.w(), q.x(), q.y(), q.z()};
  scene.bodies[6].joint.velocity = {0.3, -0.6, 0.9};
  return scene;
}

/// Joint coordinates after moving with constant joint velocities for time s.
std::vector<JointState> moved(const SceneDescription& scene, const std::vector<BodyMass>& masses, double s) {
  std::vector<JointState> joints = initial_joints(scene);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    std::vector<double>& q = joints[i].q;
    const std::vector<double>& v = joints[i].v;
    const JointKind kind = scene.bodies[i].joint.kind;
    if (kind == JointKind::ball || kind == JointKind::free) {
      const std::size_t at = kind == JointKind::free ? 3 : 0, w = kind == JointKind::free ? 3 : 0;
      const Quat before(q[at], q[at + 1], q[at + 2], q[at + 3]);
      const Quat after = quaternion_exp(s * Vec3(v[w], v[w + 1], v[w + 2])) * before;
      if (kind == JointKind::free) {
        // The centre of mass moves straight; the origin follows it round.
        const Vec3 com = Vec3(q[0], q[1], q[2]) + before * masses[i].com + s * Vec3(v[0], v[1], v[2]);
        const Vec3 origin = com - after * masses[i].com;
        for (int k = 0; k < 3; ++k) q[k] = origin[k];
      }
      q[at] = after.w(), q[at + 1] = after.x(), q[at + 2] = after.y(), q[at + 3] = after.z();
    } else {
      for (std::size_t k = 0; k < q.size(); ++k) q[k] += s * v[k];
    }
  }
  return joints;
}

TEST(SceneKinematics, VelocitiesAreTheRatesOfPosesForEveryJoint) {
  const SceneDescription scene = every_joint();
  const std::vector<BodyMass> masses = body_masses(scene);
  const std::vector<BodyState> now = body_states(scene, masses, initial_joints(scene));
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Mat3 R = pose_of(now[i]).R;
    const Derivative rate = ridders_derivative([&](double s) -> VecX {
      const BodyState b = body_states(scene, masses, moved(scene, masses, s))[i];
      Vec6 x;
      x << pose_of(b) * masses[i].com, rotation_log(Mat3(pose_of(b).R * R.transpose()));
      return x;
    });
    // Ridders' differences reach about ten digits.
    EXPECT_LT((rate.value.head<3>() - now[i].velocity).norm(), 1e-9) << scene.bodies[i].name;
    EXPECT_LT((rate.value.tail<3>() - now[i].angular_velocity).norm(), 1e-9) << scene.bodies[i].name;
  }
}

TEST(SceneKinematics, ReadsJointCoordinatesBackFromPoses) {
  const SceneDescription scene = every_joint();
  const std::vector<BodyState> now = body_states(scene, body_masses(scene), initial_joints(scene));
  EXPECT_NEAR(joint_coordinate(scene, now, 1), 0.8, 1e-14);
  EXPECT_NEAR(joint_coordinate(scene, now, 2), -0.4, 1e-14);
}

TEST(SceneKinematics, RefusesCirclesAndUnknownParents) {
  SceneDescription scene = every_joint();
  scene.bodies[1].joint.parent = "nobody";
  EXPECT_THROW(parents_first(scene), InvalidInput);
  scene.bodies[1].joint.parent = "screw";
  EXPECT_THROW(parents_first(scene), InvalidInput);
}

/// An engine that starts elsewhere would be measured on another scene.
TEST(EveryEngine, StartsWhereTheSceneSays) {
  SceneDescription scene = every_joint();
  // The joints that all engines know.
  std::erase_if(scene.bodies, [](const BodyDescription& b) {
    return b.name == "screw" || b.name == "cross" || b.name == "plane";
  });
  for (BodyDescription& b : scene.bodies) {
    if (b.name == "ball") b.joint.parent = "slide";
  }
  const std::vector<BodyState> expected = body_states(scene, body_masses(scene), initial_joints(scene));
  for (const Engine& engine : known_engines()) {
    if (!engine.missing.empty()) continue;
    const Recording recording = engine.run({.scene = scene, .time_step = 0.01, .steps = 0});
    ASSERT_EQ(recording.status, RunStatus::done) << engine.name << ": " << recording.reason;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const BodyState& b = recording.frames.at(0).bodies.at(i);
      const std::string what = engine.name + " " + scene.bodies[i].name;
      EXPECT_LT((b.position - expected[i].position).norm(), 1e-12) << what;
      EXPECT_LT((pose_of(b).R - pose_of(expected[i]).R).norm(), 1e-12) << what;
      EXPECT_LT((b.velocity - expected[i].velocity).norm(), 1e-12) << what;
      EXPECT_LT((b.angular_velocity - expected[i].angular_velocity).norm(), 1e-12) << what;
    }
  }
}

}  // namespace
}  // namespace jade::reference
