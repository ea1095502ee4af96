#include <cmath>

#include <gtest/gtest.h>

#include "jade/dynamics/energy.h"
#include "jade/stepping/step_simulation.h"

namespace jade {
namespace {

using namespace step_tests;

constexpr double kG = 9.81;
constexpr double kNone = std::numeric_limits<double>::infinity();
// Where a coordinate meets a limit of size up to one.
constexpr double kLimitStandoff = 1e-9;

constexpr Integrator kIntegrators[] = {Integrator::midpoint, Integrator::semi_implicit_euler,
                                       Integrator::explicit_euler};

/// One body of 2 kg and inertia 0.5 kg m² about every axis on a joint to the world, touched by nothing.
SceneDescription single(const JointDescription& joint, double gravity = kG) {
  SceneDescription scene;
  scene.name = "single";
  scene.gravity = Vec3(0, 0, -gravity);
  BodyDescription body;
  body.name = "body";
  body.joint = joint;
  body.inertia = {.mass = 2, .com = Vec3::Zero(), .inertia = 0.5 * Mat3::Identity()};
  scene.bodies = {body};
  return scene;
}

/// A slider on a vertical axis, `height` above its lower stop.
SceneDescription slider(double height, double velocity, double restitution) {
  return single({.kind = JointKind::prismatic,
                 .axis = Vec3::UnitZ(),
                 .position = {height},
                 .velocity = {velocity},
                 .lower = {0},
                 .upper = {kNone},
                 .limit_restitution = restitution});
}

TEST(JointLimit, SliderHitsItsStopWhenTheClosedFormSays) {
  // √(2 (0.3 − δ) / g) = 0.2473 s, with √(2 g (0.3 − δ)); e = ½ of it comes back.
  Simulation run(slider(0.3, 0, 0.5));
  run.advance(24);
  EXPECT_TRUE(run.report.impacts.empty());
  run.advance(1);
  const double fall = std::sqrt(2 * (0.3 - kLimitStandoff) / kG);
  ASSERT_EQ(run.report.impacts.size(), 1u);
  const ImpactReport& impact = run.report.impacts[0];
  EXPECT_EQ(impact.velocity, 0);
  EXPECT_EQ(impact.shape_a, -1);
  EXPECT_EQ(impact.law, ImpactLaw::newton);
  // Free fall is exact; rounding of sums of 25 steps.
  EXPECT_NEAR(0.24 + impact.time, fall, 1e-13);
  EXPECT_NEAR(impact.speed, kG * fall, 1e-12);
  EXPECT_NEAR(run.state.v[0], 0.5 * kG * fall - kG * (0.25 - fall), 1e-12);
}

TEST(JointLimit, ElasticStopKeepsTheEnergyUnderMidpoint) {
  Simulation run(slider(0.25, 0, 1));
  run.advance(300);
  const double share = (kG * (run.state.q[0] - kLimitStandoff) + 0.5 * run.state.v[0] * run.state.v[0]) /
                       (kG * (0.25 - kLimitStandoff));
  EXPECT_NEAR(share, 1, 1e-12);  // thirteen bounces of rounding
}

TEST(JointLimit, BouncingEndsWhenTheClosedFormSaysAndTheForceIsTheWeight) {
  // The infinitely many bounces from 1 m with e = ½ end after √(2/g) · 3 = 1.354571 s.
  for (const Integrator integrator : kIntegrators) {
    Simulation run(slider(1, 0, 0.5), {.integrator = integrator});
    run.advance(125);
    // Euler's rules lose at every bounce, or gain.
    if (integrator == Integrator::midpoint) {
      EXPECT_GT(std::abs(run.state.v[0]), 0.01);
    }
    run.advance(75);
    EXPECT_NEAR(run.state.v[0], 0, 1e-9) << name_of(integrator);
    EXPECT_NEAR(run.state.q[0], kLimitStandoff, 1e-10) << name_of(integrator);
    EXPECT_EQ(run.lost_time, 0) << name_of(integrator);

    // At rest: one sub-step, a known class for the next step, and m g h for its force.
    EXPECT_EQ(run.report.substeps, 1);
    ASSERT_EQ(run.report.limits.size(), 1u);
    EXPECT_NEAR(run.report.limits[0].impulse, 2 * kG * 0.01, 1e-9);
    EXPECT_EQ(run.report.limits[0].row_class, RowClass::clamped);
    EXPECT_FALSE(run.report.limits[0].upper);
    ASSERT_EQ(run.memory.limits.size(), 1u);
    EXPECT_EQ(run.memory.limits[0].key, 0u);
    EXPECT_EQ(run.memory.limits[0].row_class, RowClass::clamped);
  }
}

TEST(JointLimit, HoldsEveryCoordinateOfEveryKindOfJoint) {
  // Without gravity and about its centre of mass each coordinate moves on its own, but for the universal joint's.
  const std::vector<JointDescription> joints = {
      {.kind = JointKind::revolute, .velocity = {3}},
      {.kind = JointKind::prismatic, .velocity = {3}},
      {.kind = JointKind::screw, .pitch = 0.2, .velocity = {3}},
      {.kind = JointKind::universal, .velocity = {3, -2}},
      {.kind = JointKind::planar, .axis = Vec3::UnitX(), .velocity = {3, -2, 5}},
  };
  for (JointDescription joint : joints) {
    joint.lower.assign(joint.velocity.size(), -0.4);
    joint.upper.assign(joint.velocity.size(), 0.7);
    joint.limit_restitution = 1;
    const SceneDescription scene = single(joint, 0);
    for (const Integrator integrator : kIntegrators) {
      Simulation run(scene, {.integrator = integrator});
      const bool alone = joint.kind != JointKind::universal;
      int hits = 0;
      for (int i = 1; i <= 100; ++i) {
        run.advance(1);
        hits += static_cast<int>(run.report.impacts.size());
        for (int k = 0; k < run.model.nv(); ++k) {
          ASSERT_GT(run.state.q[k], -0.4) << name_of(integrator);
          ASSERT_LT(run.state.q[k], 0.7) << name_of(integrator);
          if (!alone) continue;
          // A triangle wave between the two places at which it meets its limits.
          const double low = -0.4 + kLimitStandoff, range = 1.1 - 2 * kLimitStandoff;
          const double way = std::fmod(joint.velocity[k] * 0.01 * i - low + 100 * range, 2 * range);
          EXPECT_NEAR(run.state.q[k], low + (way < range ? way : 2 * range - way), 1e-11);
        }
      }
      EXPECT_GE(hits, 2 * run.model.nv());
      EXPECT_EQ(run.lost_time, 0);
    }
  }
}

TEST(JointLimit, ScrewFallsOnItsStopAsItsPitchSays) {
  // z = p q: (I + m p²) q̈ = −m g p, so 0.7 rad take √(2 · 0.7 (I + m p²) / (m g p)).
  Simulation run(single({.kind = JointKind::screw,
                         .axis = Vec3::UnitZ(),
                         .pitch = 0.3,
                         .position = {0.7},
                         .lower = {0},
                         .upper = {kNone}}));
  const double inertia = 0.5 + 2 * 0.09, pull = 2 * kG * 0.3;
  const double fall = std::sqrt(2 * (0.7 - kLimitStandoff) * inertia / pull);
  const int before = static_cast<int>(fall / 0.01);
  run.advance(before + 1);
  ASSERT_EQ(run.report.impacts.size(), 1u);
  EXPECT_NEAR(0.01 * before + run.report.impacts[0].time, fall, 1e-12);
  run.advance(5);
  ASSERT_EQ(run.report.limits.size(), 1u);
  EXPECT_NEAR(run.report.limits[0].impulse, pull * 0.01, 1e-10);
}

/// Two links of 0.5 m; the elbow may bend between −0.3 and 0.9 rad.
SceneDescription arm(double restitution) {
  SceneDescription scene = ground(0.5, 0, kG);
  scene.bodies.clear();
  for (int k = 0; k < 2; ++k) {
    BodyDescription link =
        body(k == 0 ? "upper arm" : "forearm", Capsule{0.02, 0.23}, Vec3::Zero(), Vec3::Zero());
    link.joint = {};
    link.joint.kind = JointKind::revolute;
    link.joint.parent = k == 0 ? "" : "upper arm";
    link.joint.axis = Vec3::UnitY();
    link.joint.X_PJ.position = Vec3(0, 0, k == 0 ? 2 : -0.25);
    link.joint.X_BK.position = Vec3(0, 0, 0.25);
    link.joint.position = {k == 0 ? 1.2 : 0.4};
    if (k == 1) {
      link.joint.lower = {-0.3};
      link.joint.upper = {0.9};
      link.joint.limit_restitution = restitution;
    }
    scene.bodies.push_back(link);
  }
  return scene;
}

TEST(JointLimit, ArmThatHitsItsLimitIsOfSecondOrder) {
  // 0.5 s with hits of the elbow, e = ½; the truth is a run with a step that is too small to matter.
  const auto end = [](double h) {
    Simulation run(arm(0.5));
    run.advance(static_cast<int>(std::lround(0.5 / h)), h);
    return run.state.q;
  };
  const VecX truth = end(0.5 / 12800);
  // How far into its step a hit falls changes the constant by two or so, hence the order over four halvings.
  const double coarse = (end(0.5 / 50) - truth).norm(), fine = (end(0.5 / 800) - truth).norm();
  EXPECT_LT(coarse, 1e-3);
  EXPECT_NEAR(std::log2(coarse / fine) / 4, 2, 0.25);
}

TEST(JointLimit, BoxOnAPlatformRestsThroughThePlatformsStop) {
  // The stop carries both weights, the contacts the box alone. They land together.
  SceneDescription scene = ground(0.5, 0, kG);
  scene.bodies.clear();
  BodyDescription platform = body("platform", Box{Vec3(1, 1, 0.1)}, Vec3::Zero(), Vec3::Zero());
  platform.joint = {
      .kind = JointKind::prismatic, .axis = Vec3::UnitZ(), .position = {0.2}, .lower = {0}, .upper = {1}};
  scene.bodies.push_back(platform);
  scene.bodies.push_back(
      body("box", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0.1, 0, 0.2 + 0.05 + 0.1 + kStandoff), Vec3::Zero()));
  Simulation run(scene);
  run.advance(100);
  EXPECT_NEAR(run.state.q[0], kLimitStandoff, 1e-12);
  EXPECT_NEAR(run.position("box").z(), 0.15 + kStandoff, 1e-8);
  ASSERT_EQ(run.report.limits.size(), 1u);
  EXPECT_NEAR(run.report.limits[0].impulse, (100 + 8) * kG * 0.01, 1e-7);
  double on_box = 0;
  for (const ContactReport& contact : run.report.contacts) on_box += contact.impulse.norm();
  EXPECT_NEAR(on_box, 8 * kG * 0.01, 1e-8);
  EXPECT_EQ(run.lost_time, 0);
  EXPECT_EQ(run.unsolved, 0);
}

TEST(JointLimit, StopAndGroundTakeTheWeightTogether) {
  // The slider's box meets the ground and its own stop at the same time; which of them carries how much is undetermined,
  // their sum is not.
  SceneDescription scene = ground(0.5, 0.5, kG);
  BodyDescription box = body("box", Box{Vec3(0.2, 0.2, 0.2)}, Vec3::Zero(), Vec3::Zero());
  box.joint = {.kind = JointKind::prismatic,
               .axis = Vec3::UnitZ(),
               .position = {0.5},
               .lower = {0.1 + kStandoff - kLimitStandoff},
               .upper = {1},
               .limit_restitution = 0.5};
  scene.bodies.push_back(box);
  Simulation run(scene);
  run.advance(200);
  double weight = run.report.limits.empty() ? 0 : run.report.limits[0].impulse;
  for (const ContactReport& contact : run.report.contacts) weight += contact.impulse.z();
  EXPECT_NEAR(weight, 8 * kG * 0.01, 1e-8);
  EXPECT_LT(std::abs(run.state.v[0]), 1e-9);
  EXPECT_EQ(run.lost_time, 0);
}

TEST(JointLimit, StateBeyondItIsRefusedByName) {
  SceneDescription scene = slider(0.5, 0, 0);
  scene.bodies[0].joint.name = "lift";
  Simulation run(scene);
  run.state.q[0] = -0.25;
  try {
    run.advance(1);
    FAIL() << "accepted";
  } catch (const StepError& error) {
    const std::string what = error.what();
    for (const char* part : {"\"lift\"", "-0.25", "below its limit 0"})
      EXPECT_NE(what.find(part), std::string::npos) << what;
  }
}

TEST(JointLimit, StateOnItIsPushedBackGently) {
  // Exactly on the limit, as scenes may start, and beyond it by less than the standoff, as a state that was saved with
  // fewer digits.
  for (const double start : {0.0, -0.9e-9}) {
    Simulation run(slider(0, 0, 1));
    run.state.q[0] = start;
    for (int i = 0; i < 20; ++i) {
      run.advance(1);
      EXPECT_LT(std::abs(run.state.v[0]), 2 * kLimitStandoff / 0.01);
      EXPECT_GE(run.state.q[0], start);
      EXPECT_EQ(run.report.substeps, 1);
    }
    EXPECT_NEAR(run.state.q[0], kLimitStandoff, 1e-12);
  }
}

TEST(JointLimit, RunResumesToTheBitFromStateAndMemory) {
  Simulation whole(arm(0.5)), second(arm(0.5));
  whole.advance(25);
  second.state = whole.state;
  second.memory = whole.memory;
  whole.advance(40);
  second.advance(40);
  EXPECT_EQ(whole.state.q, second.state.q);
  EXPECT_EQ(whole.state.v, second.state.v);
}

}  // namespace
}  // namespace jade
