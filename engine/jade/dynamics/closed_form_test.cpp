#include <cmath>

#include <gtest/gtest.h>

#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/test_trees.h"
#include "jade/math/differences.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

using test::RandomTrees;

BodyDescription rod_on(const std::string& parent, const std::string& name, double length, double mass) {
  BodyDescription body;
  body.name = name;
  body.inertia = InertiaDescription{mass, Vec3(0, 0, -length), Mat3::Zero()};
  body.joint.kind = JointKind::revolute;
  body.joint.axis = Vec3::UnitY();
  body.joint.parent = parent;
  return body;
}

TEST(ForwardDynamics, OfADoublePendulumIsTheTextbookFormula) {
  const double l1 = 0.7, l2 = 1.3, m1 = 2, m2 = 0.6, g = 9.81;
  SceneDescription scene;
  scene.bodies = {rod_on("", "upper", l1, m1), rod_on("upper", "lower", l2, m2)};
  scene.bodies[1].joint.X_PJ.position = Vec3(0, 0, -l1);
  const Model model = build_model(scene);
  const double t1 = 0.8, t2 = -1.9, w1 = 1.5, w2 = -2.2;  // absolute angles and rates
  const State state{VecX{{t1, t2 - t1}}, VecX{{w1, w2 - w1}}};
  const VecX a = forward_dynamics(model, state, VecX::Zero(2));

  const double d = t1 - t2, k = 2 * m1 + m2 - m2 * std::cos(2 * d);
  const double a1 = (-g * (2 * m1 + m2) * std::sin(t1) - m2 * g * std::sin(t1 - 2 * t2) -
                     2 * std::sin(d) * m2 * (w2 * w2 * l2 + w1 * w1 * l1 * std::cos(d))) /
                    (l1 * k);
  const double a2 =
      2 * std::sin(d) *
      (w1 * w1 * l1 * (m1 + m2) + g * (m1 + m2) * std::cos(t1) + w2 * w2 * l2 * m2 * std::cos(d)) / (l2 * k);
  EXPECT_NEAR(a[0], a1, 1e-13 * std::abs(a1));
  EXPECT_NEAR(a[0] + a[1], a2, 1e-13 * std::abs(a2));
}

TEST(ForwardDynamics, LetsAHeavyTopPrecessSteadily) {
  // Steady precession Ω about the vertical at tilt t needs m g l = Ω (I₃ ω₃ − I₁ Ω cos t), ω₃ = spin + Ω cos t;
  // then the angular velocity just turns with Ω.
  const double m = 1.2, l = 0.4, g = 9.81, transverse = 0.1, I3 = 0.05, tilt = 0.7, precession = 3;
  const double I1 = transverse + m * l * l;  // about the tip
  const double w3 = (m * g * l / precession + I1 * precession * std::cos(tilt)) / I3;
  const double spin = w3 - precession * std::cos(tilt);
  SceneDescription scene;
  scene.bodies.resize(1);
  scene.bodies[0].name = "top";
  scene.bodies[0].inertia =
      InertiaDescription{m, Vec3(0, 0, l), Vec3(transverse, transverse, I3).asDiagonal()};
  scene.bodies[0].joint.kind = JointKind::ball;
  const Quat leaning = quaternion_exp(Vec3(tilt, 0, 0));
  scene.bodies[0].joint.position = {leaning.w(), leaning.x(), leaning.y(), leaning.z()};
  const Model model = build_model(scene);
  State state = initial_state(model);
  const Vec3 vertical = Vec3::UnitZ(), axis = leaning * vertical;
  state.v = precession * vertical + spin * axis;
  const VecX a = forward_dynamics(model, state, VecX::Zero(3));
  const Vec3 expected = precession * spin * vertical.cross(axis);
  EXPECT_LT((a - expected).norm(), 1e-12 * expected.norm());
}

TEST(ForwardDynamics, IsTheSameFarAwayFromTheOrigin) {
  for (const JointKind root :
       {JointKind::free, JointKind::planar, JointKind::prismatic, JointKind::revolute}) {
    RandomTrees random(7);
    SceneDescription scene = random.forest(8);
    scene.bodies[0].joint = random.joint(root);
    for (std::size_t i = 1; i < scene.bodies.size(); ++i)
      if (scene.bodies[i].joint.kind == JointKind::free || scene.bodies[i].joint.parent.empty()) {
        scene.bodies[i].joint = random.joint(JointKind::ball);
        scene.bodies[i].joint.parent = "b0";
      }
    const Model near = build_model(scene);
    State state = random.state(near);
    const VecX effort = random.vector(near.nv(), 5.0);
    const VecX expected = forward_dynamics(near, state, effort);

    // The whole mechanism 1e4 m away: by its coordinates, or by its first joint.
    if (root == JointKind::revolute) scene.bodies[0].joint.X_PJ.position += Vec3(1e4, -2e4, 1e4);
    const Model far = build_model(scene);
    if (root == JointKind::free) state.q.head<3>() += Vec3(1e4, -2e4, 1e4);
    if (root == JointKind::planar) state.q.head<2>() += Vec2(1e4, -2e4);
    if (root == JointKind::prismatic) state.q[0] += 1e4;
    const VecX a = forward_dynamics(far, state, effort);
    EXPECT_LT((a - expected).norm(), 1e-13 * expected.norm()) << static_cast<int>(root);
  }
}

TEST(ForwardDynamics, ClampsEffortsToTheirLimits) {
  SceneDescription scene;
  scene.bodies = {rod_on("", "arm", 1, 2)};
  scene.bodies[0].joint.effort_limit = {3};
  scene.gravity.setZero();
  const Model model = build_model(scene);
  EXPECT_DOUBLE_EQ(forward_dynamics(model, initial_state(model), VecX{{10}})[0], 1.5);
  EXPECT_DOUBLE_EQ(forward_dynamics(model, initial_state(model), VecX{{-10}})[0], -1.5);
}

TEST(ForwardDynamics, GivesPrescribedCoordinatesTheirAcceleration) {
  // A pendulum on a carriage that is driven: θ̈ = −(g sin θ + ẍ cos θ) / l.
  SceneDescription scene;
  BodyDescription carriage;
  carriage.name = "carriage";
  carriage.inertia = InertiaDescription{5, Vec3::Zero(), Mat3::Identity()};
  carriage.joint.kind = JointKind::prismatic;
  carriage.joint.axis = Vec3::UnitX();
  carriage.joint.motion = {
      {.interpolation = Signal::Interpolation::linear, .times = {0, 1}, .values = {0, 4}}};
  scene.bodies = {carriage, rod_on("carriage", "pendulum", 0.5, 1)};
  const Model model = build_model(scene);
  const State state{VecX{{0.3, 0.9}}, VecX{{0.2, 1.1}}};
  const VecX a = forward_dynamics(model, state, VecX::Zero(2), VecX{{4, 0}});
  EXPECT_EQ(a[0], 4);
  // The rod hangs along −z and turns about y: its end is at x − l sin θ.
  EXPECT_NEAR(a[1], -(9.81 * std::sin(0.9) - 4 * std::cos(0.9)) / 0.5, 1e-13);
}

TEST(Kinematics, VelocitiesAndJacobiansAreRatesOfPoses) {
  for (int seed = 0; seed < 20; ++seed) {
    RandomTrees random(seed);
    const Model model = build_model(random.forest(10));
    const State state = random.state(model);
    DynamicsWorkspace work(model), moved(model);
    update_positions(model, state.q, work);
    update_velocities(model, state.v, work);
    for (int b = 0; b < 10; ++b) {
      const Transform X = body_pose(model, work, b);
      const Vec3 p_B(0.3, -0.2, 0.5);
      const VecX rate = ridders_derivative([&](double s) -> VecX {
                          update_positions(model, integrate(model, state.q, s * state.v), moved);
                          const Transform Y = body_pose(model, moved, b);
                          VecX out(9);
                          out << rotation_log(Mat3(Y.R * X.R.transpose())), Y.p, Y * p_B;
                          return out;
                        }).value;
      const auto [w, v] = body_velocity(model, work, b);
      Mat6X J(6, model.nv());
      Mat3X Jp(3, model.nv());
      body_jacobian(model, work, b, J);
      point_jacobian(model, work, b, X * p_B, Jp);
      EXPECT_LT((w - rate.head<3>()).norm() + (v - rate.segment<3>(3)).norm(), 1e-8) << seed;
      EXPECT_LT((J * state.v - rate.head<6>()).norm(), 1e-8) << seed;
      EXPECT_LT((Jp * state.v - rate.tail<3>()).norm(), 1e-8) << seed;
    }
  }
}

}  // namespace
}  // namespace jade
