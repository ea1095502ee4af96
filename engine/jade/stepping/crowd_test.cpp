#include "jade/stepping/crowd.h"

#include <random>

#include <gtest/gtest.h>

#include "jade/dynamics/energy.h"
#include "jade/stepping/step_simulation.h"

namespace jade {
namespace {

using step_tests::body;
using step_tests::ground;
using step_tests::Simulation;

/// Boxes in layers of nine above the floor of a bin, turned a little at random.
SceneDescription rain(int boxes) {
  SceneDescription scene = ground(0.5, 0, 9.81);
  constexpr double kInside = 0.45, kWall = 0.2, kPitch = 0.27;
  for (const int side : {0, 1, 2, 3}) {
    const Vec3 out = side < 2 ? Vec3(side == 0 ? 1 : -1, 0, 0) : Vec3(0, side == 2 ? 1 : -1, 0);
    Vec3 size = Vec3::Constant(2 * (kInside + kWall));
    size -= out.cwiseAbs() * (size.x() - kWall);
    BodyDescription wall = scene.bodies[0];
    wall.name = "wall" + std::to_string(side);
    wall.shapes[0].geometry = Box{size};
    wall.shapes[0].X_BS.position = out * (kInside + kWall / 2) + Vec3(0, 0, size.z() / 2);
    scene.bodies.push_back(wall);
  }
  std::mt19937 random(3);  // its sequence is fixed by the standard
  const auto draw = [&] { return 2 * (random() / 4294967296.0) - 1; };
  for (int i = 0; i < boxes; ++i) {
    const int layer = i / 9;
    const Vec3 at(kPitch * (i % 3 - 1), kPitch * (i / 3 % 3 - 1), 0.2 + kPitch * layer);
    const Vec3 moved(draw(), draw(), draw());
    BodyDescription box =
        body("box" + std::to_string(i), Box{Vec3::Constant(0.2)}, at + 0.02 * moved, Vec3::Zero());
    const Quat turn = Quat(1, 0.1 * draw(), 0.1 * draw(), 0.1 * draw()).normalized();
    const double numbers[] = {turn.w(), turn.x(), turn.y(), turn.z()};
    std::copy(numbers, numbers + 4, box.joint.position.begin() + 3);
    scene.bodies.push_back(box);
  }
  return scene;
}

TEST(Crowd, ThirtyBoxesFallIntoABinAndLieStill) {
  Simulation run(rain(30));
  int hurried = 0;
  double energy = kinetic_energy(run.model, run.state) + potential_energy(run.model, run.state.q);
  for (int i = 0; i < 300; ++i) {
    run.advance(1);
    hurried += run.report.hurried;
    const double now = kinetic_energy(run.model, run.state) + potential_energy(run.model, run.state.q);
    // Lifting all 240 kg by the standoff takes 24 mJ.
    EXPECT_LT(now, energy + 0.024) << "step " << i;
    energy = now;
  }
  EXPECT_GT(hurried, 0);
  EXPECT_EQ(run.lost_time, 0);
  EXPECT_GT(run.clearance, 0);
  // What an iteration leaves undecided is rest.
  EXPECT_LT(run.state.v.lpNorm<Eigen::Infinity>(), 1e-4);
  const VecX before = run.state.q;
  for (int i = 0; i < 50; ++i) {
    run.advance(1);
    EXPECT_EQ(run.report.substeps, 1);
  }
  EXPECT_LT((run.state.q - before).lpNorm<Eigen::Infinity>(), 1e-5);
}

TEST(Crowd, ResumesToTheBitFromStateAndMemory) {
  const SceneDescription scene = rain(27);
  Simulation whole(scene), second(scene);
  whole.advance(60);
  second.state = whole.state;
  second.memory = whole.memory;
  whole.advance(15);
  second.advance(15);
  EXPECT_EQ(whole.state.q, second.state.q);
  EXPECT_EQ(whole.state.v, second.state.v);
}

/// Iterated, a tower stands as well, and its forces are known to the residual that is reported.
/// Bodies of all proportions that spin up to 200 rad/s, all in one step that has no patience: straight paths keep angular
/// momentum to rounding and never gain energy, where the explicit rule would double it.
TEST(Crowd, SpinInAHurryNeverGainsEnergy) {
  std::mt19937 random(5);
  const auto draw = [&] { return random() / 4294967296.0; };
  int hurried = 0;
  for (int world = 0; world < 40; ++world) {
    SceneDescription scene = ground(0.5, 0, 0);
    const Vec3 size(0.02 + 0.2 * draw(), 0.002 + 0.1 * draw(), 0.01 + 0.05 * draw());
    scene.bodies.push_back(body("body", Box{size}, Vec3(0, 0, 1), Vec3::Zero()));
    for (int k = 3; k < 6; ++k) scene.bodies.back().joint.velocity[k] = 115 * (2 * draw() - 1);
    StepSettings settings;
    settings.patience = -1;
    Simulation run(scene, settings);
    const Vec3 kept = momentum(run.model, run.state).angular;
    double energy = kinetic_energy(run.model, run.state);
    for (int i = 0; i < 4; ++i) {
      run.advance(1, 0.02);
      hurried += run.report.hurried;
      const double now = kinetic_energy(run.model, run.state);
      EXPECT_LE(now, energy * (1 + 1e-12)) << "world " << world << ", step " << i;
      energy = now;
    }
    EXPECT_LE((momentum(run.model, run.state).angular - kept).norm(), 1e-11 * kept.norm())
        << "world " << world;
    EXPECT_EQ(run.lost_time, 0);
  }
  EXPECT_GT(hurried, 0);
}

/// A trunk with a hinged leg that spins freely, without patience: explicit Coriolis forces would pump it up.
TEST(Crowd, MechanismInAHurryIsNotPumpedUp) {
  SceneDescription scene = ground(0.5, 0, 0);
  scene.bodies.push_back(body("trunk", Box{Vec3::Constant(0.1)}, Vec3(0, 0, 5), Vec3::Zero()));
  scene.bodies.back().joint.velocity = {0, 0, 0, 30, -20, 50};
  BodyDescription leg = body("leg", Capsule{0.02, 0.1}, Vec3::Zero(), Vec3::Zero());
  leg.joint = {};
  leg.joint.kind = JointKind::revolute;
  leg.joint.parent = "trunk";
  leg.joint.axis = Vec3::UnitX();
  leg.joint.X_PJ.position = Vec3(0.1, 0, 0);
  leg.joint.X_BK.position = Vec3(0, 0, 0.1);
  leg.joint.position = {0.4};
  leg.joint.velocity = {5};
  scene.bodies.push_back(leg);
  StepSettings settings;
  settings.patience = -1;
  Simulation run(scene, settings);
  const double start = kinetic_energy(run.model, run.state);
  double least = start, most = start;
  for (int i = 0; i < 100; ++i) {
    run.advance(1);
    ASSERT_EQ(run.report.hurried, 1);
    least = std::min(least, kinetic_energy(run.model, run.state));
    most = std::max(most, kinetic_energy(run.model, run.state));
  }
  // Of first order in turns of a third of a radian, without a trend; explicit forces reach nine times the energy.
  EXPECT_GT(least, 0.85 * start);
  EXPECT_LT(most, 1.15 * start);
}

/// Cylinders without friction that are thrown flat: their lowest point runs around the rim, and once they came so near to the
/// floor that no certified motion was left, they hung there for good.
TEST(Crowd, CylindersThatFallFlatComeToLie) {
  for (const int world : {12, 18, 24, 26}) {
    std::mt19937 random(world);
    const auto draw = [&] { return 2 * (random() / 4294967296.0) - 1; };
    SceneDescription scene = ground(0, 0, 9.81);
    for (int i = 0; i < 2; ++i) {
      const Vec3 at(0.1 * draw(), 0.1 * draw(), 0.25 + 0.4 * i);
      const Vec3 velocity(3 * draw(), 3 * draw(), -5 + 3 * draw());
      BodyDescription cylinder = body("cylinder" + std::to_string(i), Cylinder{0.1, 0.05}, at, velocity);
      const Quat turn = Quat(1, draw(), draw(), draw()).normalized();
      const double numbers[] = {turn.w(), turn.x(), turn.y(), turn.z()};
      std::copy(numbers, numbers + 4, cylinder.joint.position.begin() + 3);
      for (int k = 3; k < 6; ++k) cylinder.joint.velocity[k] = 40 * draw();
      scene.bodies.push_back(cylinder);
    }
    Simulation run(scene);
    const auto energy = [&] {
      return kinetic_energy(run.model, run.state) + potential_energy(run.model, run.state.q);
    };
    double before = energy();
    for (int i = 0; i < 30; ++i) {
      run.advance(1, 0.02);
      // Lifting both, 3.1 kg each, by the standoff takes 0.6 mJ; what flies before it lands turns by up to half a radian a
      // segment, to second order, and gains 1e-5 of its energy by that.
      EXPECT_LT(energy(), before * (1 + 1e-4) + 6e-4) << "world " << world << ", step " << i;
      before = energy();
    }
    EXPECT_EQ(run.lost_time, 0) << "world " << world;
    EXPECT_GT(run.clearance, 0);
  }
}

TEST(Crowd, TowerOfEightStands) {
  SceneDescription scene = ground(0.5, 0, 9.81);
  constexpr double kSide = 0.2, kGap = step_tests::kStandoff;
  for (int i = 0; i < 8; ++i)
    scene.bodies.push_back(body("box" + std::to_string(i), Box{Vec3::Constant(kSide)},
                                Vec3(0, 0, kSide / 2 + kGap + i * (kSide + kGap)), Vec3::Zero()));
  Simulation run(scene, {.crowd = 16});
  const VecX start = run.state.q;
  run.advance(200);
  EXPECT_EQ(run.report.hurried, 1);
  EXPECT_LT(run.report.iterated_to, (run.settings.standoff - run.settings.clearance) / (2 * 0.01));
  EXPECT_EQ(run.lost_time, 0);
  // The standoff to which the gaps are kept, summed over the tower.
  EXPECT_LT((run.state.q - start).lpNorm<Eigen::Infinity>(), 8 * kGap);
  double lowest = 0;
  for (const ContactReport& contact : run.report.contacts)
    if (contact.point.z() < kSide / 2) lowest += contact.impulse.z();
  const double weight = 8 * 8 * 9.81 * 0.01;  // of a step [N s]
  EXPECT_NEAR(lowest, weight, 1e-4 * weight);
}

}  // namespace
}  // namespace jade
