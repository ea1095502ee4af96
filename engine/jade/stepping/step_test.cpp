#include <cmath>

#include <gtest/gtest.h>

#include "jade/dynamics/energy.h"
#include "jade/stepping/step_simulation.h"
#include "jade/stepping/step_trace.h"

namespace jade {
namespace {

using namespace step_tests;

double energy_share(Integrator integrator) {
  SceneDescription scene = ground(0.5, 1, 9.81);
  scene.bodies.push_back(body("ball", Sphere{0.1}, Vec3(0, 0, 0.35 + kStandoff), Vec3::Zero()));
  Simulation run(scene, {.integrator = integrator});
  run.advance(300);
  const double height = run.position("ball").z() - 0.1 - kStandoff;
  return (9.81 * height + 0.5 * run.velocity("ball").squaredNorm()) / (9.81 * 0.25);
}

TEST(Step, ElasticBallKeepsItsEnergyUnderMidpointAlone) {
  // A drop of 0.25 m for 3 s: the midpoint path is the parabola itself, Euler's rules gain and lose at every bounce.
  EXPECT_NEAR(energy_share(Integrator::midpoint), 1, 1e-12);
  EXPECT_NEAR(energy_share(Integrator::semi_implicit_euler), 0.41, 0.01);
  EXPECT_NEAR(energy_share(Integrator::explicit_euler), 1.58, 0.01);
}

TEST(Step, SlidingBoxSlowsAndStopsWhereCoulombSays) {
  // μ g = 1.44 m/s²: from 2 m/s it stops after 25/18 s and 25/18 m.
  SceneDescription scene = ground(0.16, 0, 9);
  scene.bodies.push_back(body("box", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0, 0.1 + kStandoff), Vec3(2, 0, 0)));
  Simulation run(scene);
  for (int i = 1; i <= 138; ++i) {
    run.advance(1);
    EXPECT_NEAR(run.velocity("box").x(), 2 - 0.0144 * i, 1e-12);  // rounding only: the scheme is exact here
  }
  run.advance(12);
  EXPECT_NEAR(run.position("box").x(), 25.0 / 18, 1e-9);
  EXPECT_LT(run.velocity("box").norm(), 1e-12);
  EXPECT_GT(run.clearance, 0.9 * kStandoff);
  EXPECT_EQ(run.lost_time, 0);
  EXPECT_EQ(run.unsolved, 0);
}

TEST(Step, DirectionOfSlidingDoesNotMatter) {
  // Friction opposes the slip: heading 45° it is not √2 times as strong, as a pyramid along world axes would make it.
  SceneDescription scene = ground(0.16, 0, 9);
  const double part = 2 * std::sqrt(0.5);
  scene.bodies.push_back(
      body("box", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0, 0.1 + kStandoff), Vec3(part, part, 0)));
  Simulation run(scene);
  run.advance(100);
  EXPECT_NEAR(run.velocity("box").norm(), 2 - 1.44, 1e-12);
  EXPECT_NEAR(run.velocity("box").x(), run.velocity("box").y(), 1e-12);
}

TEST(Step, PushedCubesShareTheirMomentumAndStopTogether) {
  // Face gap 0.5 m, v₀ = 2: they meet after 5/18 s at 1.6 m/s, go on with 0.8 and slide 2/9 m until 5/6 s.
  SceneDescription scene = ground(0.16, 0, 9);
  const Box cube{Vec3(0.2, 0.2, 0.2)};
  scene.bodies.push_back(body("pusher", cube, Vec3(0, 0, 0.1 + kStandoff), Vec3(2, 0, 0)));
  scene.bodies.push_back(body("pushed", cube, Vec3(0.7 + kStandoff, 0, 0.1 + kStandoff), Vec3::Zero()));
  Simulation run(scene);
  run.advance(30);
  const double after = 0.8 - 1.44 * (0.3 - 5.0 / 18);
  EXPECT_NEAR(run.velocity("pusher").x(), after, 1e-9);
  EXPECT_NEAR(run.velocity("pushed").x(), after, 1e-9);
  run.advance(60);
  EXPECT_NEAR(run.position("pushed").x(), 0.7 + kStandoff + 2.0 / 9, 1e-6);
  EXPECT_LT(run.velocity("pusher").norm() + run.velocity("pushed").norm(), 1e-9);
  EXPECT_GT(run.clearance, 0);
}

TEST(Step, ImpactIsFeltByWhatItReachesAlone) {
  // A ball falls beside two boxes that stand on each other, near enough to be advanced together with them, then on them.
  for (const bool on_top : {false, true}) {
    SceneDescription scene = ground(0.5, 0.5, 9.81);
    const Box cube{Vec3(0.2, 0.2, 0.2)};
    scene.bodies.push_back(body("lower", cube, Vec3(0, 0, 0.1 + kStandoff), Vec3::Zero()));
    scene.bodies.push_back(body("upper", cube, Vec3(0, 0, 0.3 + 2 * kStandoff), Vec3::Zero()));
    const double height = on_top ? 0.451 : 0.051;
    scene.bodies.push_back(
        body("ball", Sphere{0.05}, Vec3(on_top ? 0.02 : 0.152, 0.01, height), Vec3(0, 0, -0.3)));
    const Model model = build_model(scene);
    StepWorkspace workspace(model);
    StepTrace trace;
    const StepResult result =
        step(model, initial_state(model), {}, controls_at(model, 0, 0.01), 0.01, {}, workspace, &trace);
    ASSERT_EQ(trace.islands.size(), 1u);
    std::size_t felt = 0;
    for (const SubstepTrace& substep : trace.islands[0].substeps)
      if (substep.collides) felt = std::max(felt, substep.collision.rows.size());
    EXPECT_EQ(result.report.impacts.size(), 1u);
    EXPECT_EQ(felt, on_top ? 9u : 1u);
  }
}

TEST(Step, BilliardBallsLandWhereTheClosedFormSays) {
  // Two balls of radius 0.05 m on a frictionless table, 0.4 m apart, e = 1. They meet at distance 2 r + δ.
  SceneDescription scene = ground(0, 1, 0);
  scene.bodies.push_back(body("blue", Sphere{0.05}, Vec3(-0.4, 0, 1), Vec3(4, -0.1, 0)));
  scene.bodies.push_back(body("yellow", Sphere{0.05}, Vec3(0, 0, 1), Vec3::Zero()));
  Simulation run(scene);
  run.advance(20);
  const Vec3 miss = run.position("yellow") - Vec3(0.3, 0.2, 1);
  EXPECT_NEAR(10 * miss.squaredNorm(), 0.648674, 1e-6);  // six digits are given
}

TEST(Step, BouncingBallComesToRestWhenTheClosedFormSays) {
  // h = 1 m, e = 0.5: the infinitely many bounces end after √(2h/g) (1 + e)/(1 − e) = 1.354571 s.
  SceneDescription scene = ground(0.3, 0.5, 9.81);
  scene.bodies.push_back(body("ball", Sphere{0.1}, Vec3(0, 0, 1.1 + kStandoff), Vec3::Zero()));
  Simulation run(scene);
  run.advance(125);
  EXPECT_GT(run.velocity("ball").norm(), 0.01);
  run.advance(15);
  EXPECT_LT(run.velocity("ball").norm(), 1e-3);
  run.advance(60);
  EXPECT_LT(run.velocity("ball").norm(), 1e-9);
  EXPECT_NEAR(run.position("ball").z(), 0.1 + kStandoff, 1e-8);
  EXPECT_EQ(run.lost_time, 0);
}

TEST(Step, StackStandsStill) {
  SceneDescription scene = ground(0.5, 0, 9.81);
  for (int i = 0; i < 5; ++i)
    scene.bodies.push_back(body("box " + std::to_string(i), Box{Vec3(0.2, 0.2, 0.2)},
                                Vec3(0, 0, 0.1 + kStandoff + i * (0.2 + kStandoff)), Vec3::Zero()));
  Simulation run(scene);
  const VecX start = run.state.q;
  run.advance(100);
  EXPECT_LT((run.state.q - start).lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_EQ(run.report.substeps, 1);
}

TEST(Step, ArmAtRestOnTheGroundTakesOneSubstep) {
  SceneDescription scene = ground(0.5, 0, 9.81);
  for (const auto& [name, parent, at] :
       {std::tuple{"upper", "", Vec3(0, 0, 0.2)}, std::tuple{"lower", "upper", Vec3(0.2, 0, 0)}}) {
    BodyDescription link;
    link.name = name;
    link.inertia = {.mass = 1, .com = Vec3(0.1, 0, 0), .inertia = 0.01 * Mat3::Identity()};
    link.joint = {.kind = JointKind::revolute,
                  .parent = parent,
                  .X_PJ = {at, Quat::Identity()},
                  .axis = Vec3::UnitY(),
                  .damping = {1.0},
                  .stiffness = {20.0}};
    scene.bodies.push_back(link);
  }
  ShapeDescription ball{.geometry = Sphere{0.05}, .material = "stuff"};
  ball.X_BS.position = Vec3(0.2, 0, -0.15 + kStandoff);
  scene.bodies.back().shapes = {ball};
  Simulation run(scene);
  run.advance(200);
  ASSERT_LT(run.state.v.norm(), 1e-6);
  ASSERT_EQ(run.report.contacts.size(), 1U);
  // Energies are down to their rounding: what they seem to gain cuts no step short.
  for (int i = 0; i < 50; ++i) {
    run.advance(1);
    EXPECT_EQ(run.report.substeps, 1);
  }
}

TEST(Step, FastCubeDoesNotTunnelThroughAThinPlate) {
  SceneDescription scene = ground(0.3, 0, 0);
  BodyDescription plate = body("plate", Box{Vec3(0.002, 1, 1)}, Vec3(1, 0, 1), Vec3::Zero());
  plate.joint = {};
  plate.joint.kind = JointKind::fixed;
  plate.joint.X_PJ.position = Vec3(1, 0, 1);
  scene.bodies.push_back(plate);
  scene.bodies.push_back(body("cube", Box{Vec3(0.1, 0.1, 0.1)}, Vec3(0.2, 0, 1), Vec3(100, 0, 0)));
  Simulation run(scene);
  run.advance(3);
  EXPECT_LT(run.position("cube").x(), 0.949 - 1e-6);
  EXPECT_GT(run.clearance, 0);

  Simulation without(scene, {.continuous = false});
  without.advance(3);
  EXPECT_GT(without.position("cube").x(), 3);  // what continuous detection is for
}

TEST(Step, TippingBoxLosesNoTimeWithAnyIntegrator) {
  // A corner that leaves slowly and is pulled back within the step: semi-implicit Euler moves it with the velocity of
  // the end, so that it must be held in the same segment.
  SceneDescription scene = ground(0.5, 0, 0);
  scene.gravity = 9.81 * Vec3(0.35, 0, -1).normalized();
  scene.bodies.push_back(body("box", Box{Vec3(0.1, 0.1, 0.3)}, Vec3(0, 0, 0.15 + kStandoff), Vec3::Zero()));
  for (const Integrator integrator :
       {Integrator::midpoint, Integrator::semi_implicit_euler, Integrator::explicit_euler}) {
    Simulation run(scene, {.integrator = integrator});
    run.advance(50);
    EXPECT_EQ(run.lost_time, 0) << name_of(integrator);
    EXPECT_GT(run.velocity("box").norm(), 0.1) << name_of(integrator);
    EXPECT_GT(run.clearance, 0) << name_of(integrator);
  }
}

TEST(Step, TiltedCylinderRollsOnItsRimWithoutSinking) {
  // Its lowest point travels along the rim. Held fixed in the body it would rise by r (1 − cos ωs) within a segment, and
  // the body would fall by as much: half a millimetre a step here, a hundred times the room above the clearance.
  SceneDescription scene = ground(0.5, 0, 9.81);
  BodyDescription cylinder = body("cylinder", Cylinder{0.1, 0.1}, Vec3::Zero(), Vec3::Zero());
  const double tilt = EIGEN_PI / 2 - 1e-6;  // on its side, one rim a little lower
  const double low = 0.1 * std::cos(tilt) + 0.1 * std::sin(tilt);
  cylinder.joint.position = {0, 0, low + kStandoff, std::cos(tilt / 2), std::sin(tilt / 2), 0, 0};
  cylinder.joint.velocity = {1, 0, 0, 0, 10, 0};  // rolls at 10 rad/s
  scene.bodies.push_back(cylinder);
  Simulation run(scene);
  run.advance(50);
  EXPECT_EQ(run.lost_time, 0);
  EXPECT_GT(run.clearance, 2e-6);
  EXPECT_NEAR(run.position("cylinder").z(), 0.1, 2e-5);
  EXPECT_NEAR(run.position("cylinder").x(), 0.5, 1e-3);
}

/// Two capsules in a row: a ball joint holds the first, a hinge the second.
void add_thin_links(SceneDescription& scene, const std::vector<double>& spin, double hinge_rate) {
  for (const bool first : {true, false}) {
    BodyDescription link =
        body(first ? "link 0" : "link 1", Capsule{0.0133, 0.265}, Vec3::Zero(), Vec3::Zero());
    link.joint = {};
    link.joint.kind = first ? JointKind::ball : JointKind::revolute;
    link.joint.parent = first ? "" : "link 0";
    link.joint.X_PJ.position = first ? Vec3(0, 0, 2) : Vec3(0, 0, -0.278);
    link.joint.X_BK.position = Vec3(0, 0, 0.278);
    link.joint.axis = Vec3::UnitX();
    if (!first) link.joint.position = {1.0};
    link.joint.velocity = first ? spin : std::vector{hinge_rate};
    scene.bodies.push_back(link);
  }
}

TEST(Step, ThinLinkOnABallJointStaysFinite) {
  // Its inertia about its own axis is a thousandth of that across, and the heavy link below turns it: iterating the mean
  // velocity over a whole step runs away.
  SceneDescription scene = ground(0.5, 0, 9.81);
  add_thin_links(scene, {-1.6, -1.4, -0.5}, -3);
  scene.bodies[scene.bodies.size() - 2].shapes[0].density = 1000;
  scene.bodies.back().shapes[0].density = 10000;
  Simulation run(scene);
  run.advance(40, 0.05);
  EXPECT_EQ(run.lost_time, 0);
  EXPECT_LT(run.state.v.norm(), 100);
}

TEST(Step, ThinLinkOnABallJointKeepsItsEnergy) {
  // It turns slowly when a segment begins and is spun up to hundreds of radians a second within: steps that are chosen by
  // the spin at their start alone change the energy by a fifth.
  SceneDescription scene = ground(0.5, 0, 0);
  add_thin_links(scene, {-16, -14, -5}, -30);
  Simulation run(scene);
  const double start = kinetic_energy(run.model, run.state);
  double worst = 0;
  for (int i = 0; i < 25; ++i) {
    run.advance(1, 0.02);
    worst = std::max(worst, std::abs(kinetic_energy(run.model, run.state) / start - 1));
  }
  // Four thousandths a segment at most, of either sign; without that bound it is off by 22 %.
  EXPECT_LT(worst, 0.1);
  EXPECT_EQ(run.lost_time, 0);
}

TEST(Step, TumblingBoxNeitherGainsEnergyNorLosesMomentum) {
  // It turns by sixty radians a step, in segments of half a radian whose errors added up: 2 % of energy in every step.
  SceneDescription scene = ground(0.5, 0, 0);
  scene.bodies.push_back(body("box", Box{Vec3(0.3, 0.2, 0.1)}, Vec3(0, 0, 10), Vec3::Zero()));
  scene.bodies.back().joint.velocity = {0, 0, 0, 700, 600, 800};
  Simulation run(scene);
  const double energy = kinetic_energy(run.model, run.state);
  const Vec3 L = momentum(run.model, run.state).angular;
  for (int i = 0; i < 20; ++i) {
    run.advance(1, 0.05);
    // It wobbles by the square of the turn of a segment, and as segments follow the spin, a little of it is lost.
    EXPECT_LT(kinetic_energy(run.model, run.state), 1.01 * energy);
    EXPECT_GT(kinetic_energy(run.model, run.state), 0.95 * energy);
    // Rounding of 125 segments a step, of a body ten metres from the origin.
    EXPECT_LT((momentum(run.model, run.state).angular - L).norm(), 1e-11 * L.norm());
  }
  EXPECT_EQ(run.lost_time, 0);
}

TEST(Step, FallingStackGainsNoEnergy) {
  // Three boxes on a steep slope slip and tip. What a curved path needs over a long segment, given to one that an event
  // made short, threw them apart.
  SceneDescription scene = ground(0.5, 0, 0);
  scene.gravity = 9.81 * Vec3(0.6, 0, -0.8);
  for (int i = 0; i < 3; ++i)
    scene.bodies.push_back(body("box " + std::to_string(i), Box{Vec3(0.2, 0.2, 0.2)},
                                Vec3(0, 0, 0.1 + kStandoff + i * (0.2 + kStandoff)), Vec3::Zero()));
  Simulation run(scene);
  constexpr double kMass = 8, kInertia = kMass * 0.2 * 0.2 / 6;
  const auto energy = [&] {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      const Joint& joint = run.joint("box " + std::to_string(i));
      sum += 0.5 * kMass * run.state.v.segment<3>(joint.v).squaredNorm() +
             0.5 * kInertia * run.state.v.segment<3>(joint.v + 3).squaredNorm() -
             kMass * scene.gravity.dot(run.state.q.segment<3>(joint.q));
    }
    return sum;
  };
  const double start = energy();
  for (int i = 0; i < 20; ++i) {
    run.advance(1);
    // Turning is followed to second order: (ω h)² with ω below 3 rad/s, of the weight's 50 J.
    EXPECT_LT(energy(), start + 0.05) << "step " << i;
  }
}

TEST(Step, OrderOfBodiesDoesNotDecideWhichWayACylinderTips) {
  // It slides nearly along the diagonal of its four rim points and tips over the front two. Which of them carries how much
  // is undetermined in part; the choice must not depend on which body comes first.
  SceneDescription scene = ground(0.62, 0, 9.81);
  scene.bodies.push_back(
      body("cylinder", Cylinder{0.073, 0.173}, Vec3(0, 0, 0.173 + kStandoff), Vec3(-2.0025, 2.05, 0)));
  SceneDescription other = scene;
  std::reverse(other.bodies.begin(), other.bodies.end());
  Simulation one(scene), two(other);
  one.advance(1);
  two.advance(1);
  EXPECT_LT((one.state.v - two.state.v).norm(), 1e-12);  // rounding
  EXPECT_GT(one.state.v.tail<3>().norm(), 0.1);          // tips
}

TEST(Step, BoxInASlotTooNarrowForItsStandoffsFallsFreely) {
  // Half a standoff of room on either side: no force pushes it out of both walls, so their gaps are left as they are. Huge
  // forces that nearly do would hold it by friction.
  for (const double friction : {0.0, 0.5}) {
    SceneDescription scene = ground(friction, 0, 9.81);
    scene.bodies.clear();
    for (const double side : {-1.0, 1.0}) {
      BodyDescription wall =
          body(side < 0 ? "left" : "right", Box{Vec3(0.1, 1, 4)}, Vec3::Zero(), Vec3::Zero());
      wall.joint = {};
      wall.joint.kind = JointKind::fixed;
      wall.joint.X_PJ.position = Vec3(side * (0.15 + 0.5 * kStandoff), 0, 0);
      scene.bodies.push_back(wall);
    }
    scene.bodies.push_back(body("box", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0, 1), Vec3::Zero()));
    Simulation run(scene);
    run.advance(30);
    EXPECT_NEAR(run.position("box").z(), 1 - 0.5 * 9.81 * 0.09, 1e-12);  // rounding of 30 steps
    EXPECT_NEAR(run.position("box").x(), 0, 1e-12);
    EXPECT_GT(run.report.without_gaps, 0);
    EXPECT_EQ(run.unsolved, 0);
    EXPECT_EQ(run.lost_time, 0);
    EXPECT_GT(run.clearance, 0.4 * kStandoff);
  }
}

TEST(Step, RefusesAStartThatIntersects) {
  SceneDescription scene = ground(0.3, 0, 9.81);
  scene.bodies.push_back(body("low", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0, 0.05), Vec3::Zero()));
  Simulation run(scene);
  try {
    run.advance(1);
    FAIL() << "accepted";
  } catch (const StepError& error) {
    EXPECT_NE(std::string(error.what()).find("\"low\""), std::string::npos) << error.what();
  }
}

TEST(Step, ResumesToTheBitFromStateAndMemory) {
  SceneDescription scene = ground(0.4, 0.3, 9.81);
  for (int i = 0; i < 3; ++i)
    scene.bodies.push_back(body("box " + std::to_string(i), Box{Vec3(0.2, 0.3, 0.1)},
                                Vec3(0.05 * i, 0, 0.2 + 0.3 * i), Vec3(0.5, 0, 0)));
  Simulation whole(scene), second(scene);
  whole.advance(20);
  second.state = whole.state;
  second.memory = whole.memory;
  whole.advance(20);
  second.advance(20);
  EXPECT_EQ(whole.state.q, second.state.q);
  EXPECT_EQ(whole.state.v, second.state.v);
}

TEST(Step, OutOfPatienceLandsWithoutABounceAndWithoutOverlap) {
  // Nine boxes rain onto each other; with no patience at all every landing after the first is made in a hurry.
  SceneDescription scene = ground(0.5, 1, 10);
  for (int i = 0; i < 9; ++i)
    scene.bodies.push_back(body("box" + std::to_string(i), Box{Vec3(0.2, 0.2, 0.2)},
                                Vec3(0.05 * (i % 3), 0.04 * (i % 2), 0.15 + 0.25 * i), Vec3(0, 0, -3)));
  Simulation run(scene, {.patience = 0});
  int hurried = 0;
  for (int i = 0; i < 40; ++i) {
    const double before = kinetic_energy(run.model, run.state) + potential_energy(run.model, run.state.q);
    run.advance(1);
    hurried += run.report.hurried;
    // Straight paths of falling bodies lose energy; lifting all 72 kg by the standoff takes 7 mJ.
    EXPECT_LT(kinetic_energy(run.model, run.state) + potential_energy(run.model, run.state.q), before + 0.01);
  }
  EXPECT_GT(hurried, 5);
  EXPECT_GT(run.clearance, 0);
  EXPECT_LT(run.velocity("box0").norm(), 0.1);  // the lowest one rests although its material would bounce
  EXPECT_EQ(run.lost_time, 0);
}

/// A box on a floor has two axes that are as far from its normal: a nudge must not turn the rows from one to the other.
TEST(Step, TangentsThatAreFixedInABodyDoNotHangOnRounding) {
  const double yaw = 0.4;
  Mat3 R = Mat3::Identity();
  R.topLeftCorner<2, 2>() << std::cos(yaw), -std::sin(yaw), std::sin(yaw), std::cos(yaw);
  for (const Vec3& tilt : {Vec3(0, 0, 0), Vec3(1e-16, -1e-17, 0), Vec3(-1e-8, 1e-7, 0), Vec3(1e-5, 1e-5, 0)})
    EXPECT_EQ(tangent_axis(R, (Vec3::UnitZ() + tilt).normalized()), 0);
  EXPECT_EQ(tangent_axis(R, Vec3(0.8, 0, 0.6)), 1);
  EXPECT_EQ(tangent_axis(R, (R.col(0) + R.col(1)).normalized()), 2);
}

/// Where friction stops a slip a thousand times over, rows that followed it would turn with the inverse of its speed.
TEST(Step, RowsDoNotFollowTheSlipOfWhatSurelySticks) {
  for (const double pull : {1e-5, 1.0}) {
    SceneDescription scene = ground(0.5, 0, 9.81);
    scene.gravity.x() = pull;
    scene.bodies.push_back(body("box", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0, 0.10001), Vec3::Zero()));
    const Model model = build_model(scene);
    StepWorkspace workspace(model);
    StepTrace trace;
    const StepResult result =
        step(model, initial_state(model), {}, controls_at(model, 0, 0.01), 0.01, {}, workspace, &trace);
    EXPECT_LT(result.next.v.norm(), 1e-12);
    const std::vector<RowsTrace>& rows = trace.islands.at(0).substeps.at(0).solves.at(0).rows;
    ASSERT_EQ(rows.size(), 4u);
    for (const RowsTrace& of : rows) EXPECT_EQ(of.along_slip, pull == 1.0);
  }
}

}  // namespace
}  // namespace jade
