/// What holds for every step of every world that our generators can grow.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/arbitrary_world.h"
#include "generators/round_inertia.h"
#include "jade/dynamics/energy.h"
#include "jade/geometry/test_meshes.h"
#include "step_trial/symmetry.h"
#include "step_trial/trial.h"

namespace jade {
namespace {

using generators::arbitrary_world;
using generators::Climate;
using generators::World;
using step_trial::Trial;
using step_trial::try_world;

constexpr int kSteps = 6;

struct Run {
  explicit Run(const World& world)
      : model(build_model(world.scene)), workspace(model), state(initial_state(model)), h(world.h) {}

  void advance(int steps) {
    for (int i = 0; i < steps; ++i) {
      StepResult result = step(model, state, memory, controls_at(model, 0, h), h, {}, workspace);
      state = std::move(result.next);
      memory = std::move(result.memory);
      impacts = result.report.impacts.size();
      impact_energy = result.report.impact_energy;
    }
  }

  Model model;
  StepWorkspace workspace;
  State state;
  StepMemory memory;
  double h;
  std::size_t impacts = 0;  ///< of the last step
  double impact_energy = 0;
};

bool same_bits(const State& a, const State& b) { return a.q == b.q && a.v == b.v; }

RC_GTEST_PROP(GrownWorld, HasNoMistakesAndNothingIntersects, ()) {
  const World world = *arbitrary_world();
  for (const Mistake& m : check_scene(world.scene)) RC_FAIL(m.place + ": " + m.problem);
  RC_ASSERT(!try_world(world, {.steps = 0}).failed());
}

RC_GTEST_PROP(Step, NeverIntersects, ()) {
  const Trial trial = try_world(*arbitrary_world({.most_things = 4}), {.steps = kSteps, .spacing = 0.1});
  if (trial.failed()) RC_FAIL(trial.what);
}

/// The mutation that shows what the property above is worth.
TEST(Step, IntersectsWithoutContinuousDetection) {
  int caught = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const World world = generators::random_world(1, i, {.articulated = false, .most_things = 3});
    caught += try_world(world, {.steps = kSteps, .step = {.continuous = false}}).failed();
  }
  EXPECT_GT(caught, 5);
}

/// What six steps change of the momenta of bodies that nothing holds, as shares of what rounding may.
struct MomentumChange {
  double linear = 0, angular = 0;
};

MomentumChange momentum_change(const World& world) {
  Run run(world);
  const Momentum before = momentum(run.model, run.state);
  double mass = 0, size = 0, farthest = 1;
  for (const Joint& joint : run.model.joints()) {
    const double m = run.model.bodies()[joint.body].inertia.mass;
    const double speed = run.state.v.segment<3>(joint.v).norm();
    mass += m;
    size += m * (speed + 0.2 * run.state.v.segment<3>(joint.v + 3).norm());
    farthest = std::max(farthest, run.state.q.segment<3>(joint.q).norm() + kSteps * run.h * speed);
  }
  run.advance(kSteps);
  const Momentum after = momentum(run.model, run.state);
  // Rounding of every impulse, of the size of the momenta themselves, and for the angular one as far from the origin as
  // bodies get: the rows of both bodies act at one point, the middle of the gap, and so leave no couple.
  const double allowed = 1e-10 * (size + mass);
  return {(after.linear - before.linear).norm() / allowed,
          (after.angular - before.angular).norm() / (allowed * farthest)};
}

RC_GTEST_PROP(Step, ConservesMomentumAmongFreeBodies, ()) {
  const MomentumChange change = momentum_change(generators::with_round_inertia(
      *arbitrary_world({.fixed = false, .articulated = false, .gravity = false, .most_things = 4})));
  RC_ASSERT(change.linear <= 1);
  RC_ASSERT(change.angular <= 1);
}

/// Two bodies that slide past each other when another of their corners hits: levers of the whole segment would leave 5000
/// times what rounding may.
TEST(Step, ConservesAngularMomentumWhereAHitCutsASlide) {
  SceneDescription scene;
  scene.name = "slide";
  scene.gravity.setZero();
  scene.materials = {"stuff"};
  scene.pairs = {{"stuff", "stuff", 0.5, 0}};
  BodyDescription box{.name = "box"}, hull{.name = "hull"};
  box.shapes = {{.geometry = Box{Vec3(0.2819765633731201, 0.19529320384833013, 0.28071856019058644)},
                 .material = "stuff",
                 .density = 1e4}};
  box.joint.position = {-0.5175945284550458, -0.3618267734405002, 0.14036928009529323, 1, 0, 0, 0};
  box.joint.velocity = {-2.0183282770828006, 2.6477956465616845, 0, 0, 0, 0};
  ConvexHull points{{Vec3(-0.14562983622775558, 0, 0), Vec3(0.054562575077706336, 0, 0),
                     Vec3(0, -0.14365406640564304, 0), Vec3(0, 0.17901158225210623, 0),
                     Vec3(0, 0, -0.08727660044965077), Vec3(0, 0, 0.133911137203969),
                     Vec3(0.051433202961617956, -0.08039969930204935, -0.07273591949820293),
                     Vec3(-0.11349989050711454, -0.009922001126329445, 0.03767397972768644),
                     Vec3(-0.0077611886870502704, 0.09203300000227967, 0.07661390775012322)}};
  hull.shapes = {{.geometry = points, .material = "stuff", .density = 1e4}};
  hull.joint.position = {-0.7146901416648558,  -0.16118896292586782, 0.5029331104700175, 0.41692255910800935,
                         0.046021021928841103, 0.9067749549380184,   -0.0426242459711387};
  hull.joint.velocity = {3.439281625728773, -0.8903134221758439, -3.052431290688292, 0, 0, 0};
  scene.bodies = {box, hull};
  const MomentumChange change = momentum_change(generators::with_round_inertia({scene, 0.01}));
  EXPECT_LE(change.linear, 1);
  EXPECT_LE(change.angular, 1);
}

RC_GTEST_PROP(Step, NeverGainsEnergy, ()) {
  const World world =
      *arbitrary_world({.articulated = false, .fastest = 20, .spin = 10, .longest_step = 0.02});
  const Trial trial = try_world(world, {.steps = kSteps});
  // Of the kinetic energy, in one step. Impacts never gain; what is left is free rotation, of second order in turns of up
  // to half a radian a segment, and pushing out by the standoff.
  RC_ASSERT(trial.energy_gain <= 0.02);
}

/// The part of the energy balance that is exact, whatever the path between impacts does.
RC_GTEST_PROP(Step, NeverGainsEnergyByImpacts, ()) {
  Run run(*arbitrary_world({.most_things = 4}));
  for (int i = 0; i < kSteps; ++i) {
    const double before = kinetic_energy(run.model, run.state);
    run.advance(1);
    // Rounding of products of impulses and velocities, of the size of the energies at hand.
    RC_ASSERT(run.impact_energy <= 1e-10 * (before + kinetic_energy(run.model, run.state) + 1e-6));
  }
}

/// Any turn, mirrored or not, and either order of the bodies.
step_trial::Symmetry arbitrary_symmetry() {
  const auto number = [] { return *rc::gen::inRange(-100, 101) / 100.0; };
  Quat turn(number(), number(), number(), number());
  if (turn.norm() == 0) turn = Quat::Identity();
  step_trial::Symmetry symmetry;
  symmetry.R = turn.normalized().toRotationMatrix();
  if (*rc::gen::arbitrary<bool>()) symmetry.R.col(0) *= -1;
  symmetry.p = Vec3(number(), number(), number());
  symmetry.reversed = *rc::gen::arbitrary<bool>();
  return symmetry;
}

/// Of one thing (a stack is one) among floor and walls: things that fly past each other are advanced together where
/// their boxes overlap, and boxes have world axes.
RC_GTEST_PROP(Step, IsEquivariant, ()) {
  const World world = *arbitrary_world(
      {.articulated = false, .fastest = 20, .spin = 10, .longest_step = 0.02, .most_things = 1});
  const step_trial::Symmetry symmetry = arbitrary_symmetry();
  Run here(world), there({step_trial::image_of(world.scene, symmetry), world.h});
  for (int i = 0; i < 4; ++i) {
    there.state = step_trial::image_of(here.model, here.state, symmetry, there.model);
    // Without memory: it names bodies by their order.
    here.memory = there.memory = {};
    // Below a micrometre a second everything is at rest.
    const double speed =
        here.state.v.lpNorm<Eigen::Infinity>() + here.model.gravity().norm() * world.h + 1e-6;
    here.advance(1);
    there.advance(1);
    // Every impact magnifies the rounding of the time of the one before: after three nothing is left to compare.
    if (here.impacts > 2) continue;
    const State expected = step_trial::image_of(here.model, here.state, symmetry, there.model);
    // A hundred times what was seen over a thousand worlds: rounding of rows that depend on each other.
    RC_ASSERT((there.state.v - expected.v).lpNorm<Eigen::Infinity>() <= 1e-6 * speed);
  }
}

/// By how much the velocities after the last of some steps differ from those of the turned world.
double difference_when_turned(const World& world, const step_trial::Symmetry& symmetry, int steps) {
  Run here(world), there({step_trial::image_of(world.scene, symmetry), world.h});
  here.advance(steps - 1);
  there.state = step_trial::image_of(here.model, here.state, symmetry, there.model);
  here.memory = {};
  here.advance(1);
  there.advance(1);
  const State expected = step_trial::image_of(here.model, here.state, symmetry, there.model);
  return (there.state.v - expected.v).lpNorm<Eigen::Infinity>();
}

/// Cylinders that slide on their rim and tip within the step, which would end below the floor: how far must not depend on
/// the direction with which a search for the distance of shapes that overlap gives up.
TEST(Step, TippingCylinderDoesTheSameInATurnedWorld) {
  const Climate climate{
      .articulated = false, .fastest = 20, .spin = 10, .longest_step = 0.02, .most_things = 1};
  for (const auto& [seed, index, steps] :
       {std::array{2, 3398, 2}, std::array{5, 2046, 1}, std::array{5, 3094, 2}}) {
    const World world = generators::random_world(seed, index, climate);
    for (int k = 1; k <= 5; ++k) {
      step_trial::Symmetry symmetry;
      symmetry.R = Quat(1, 0.7 * k, -0.3 * k, 0.9).normalized().toRotationMatrix();
      // As in the property above, of speeds of metres per second.
      EXPECT_LT(difference_when_turned(world, symmetry, steps), 1e-6) << "world " << index << ", turn " << k;
    }
  }
}

RC_GTEST_PROP(Step, IsDeterministicToTheBit, ()) {
  const World world = *arbitrary_world({.most_things = 3});
  Run first(world), second(world);
  first.advance(kSteps);
  second.advance(kSteps / 2);
  // Saved and restored in the middle: a new workspace, the same state and memory.
  Run resumed(world);
  resumed.state = second.state;
  resumed.memory = second.memory;
  resumed.advance(kSteps - kSteps / 2);
  RC_ASSERT(same_bits(first.state, resumed.state));
}

/// A box on a table whose top is n × n squares of two triangles.
World box_on_table(int n) {
  SceneDescription scene;
  scene.name = "box on a table";
  scene.materials = {"stuff"};
  scene.pairs = {{"stuff", "stuff", 0.4, 0}};
  BodyDescription table{.name = "table"}, box{.name = "box"};
  table.joint.kind = JointKind::fixed;
  table.joint.X_PJ.position = Vec3(-2, -2, -0.5);
  table.shapes = {{.geometry = test_meshes::table(Vec3(4, 4, 0.5), n), .material = "stuff"}};
  box.shapes = {{.geometry = Box{Vec3(0.3, 0.2, 0.1)}, .material = "stuff", .density = 1000.0}};
  scene.bodies = {table, box};
  return {scene, 0.01};
}

RC_GTEST_PROP(Contact, NoGhosts, ()) {
  // Meshes are prepared once: that costs more than a hundred steps.
  static Run tables[] = {Run(box_on_table(1)), Run(box_on_table(8)), Run(box_on_table(32))};
  const auto real = [](double lo, double hi) {
    return *rc::gen::map(rc::gen::inRange(0, 1000001), [=](int i) { return lo + (hi - lo) * i * 1e-6; });
  };
  State start = tables[0].state;
  const double turn = real(-1.5, 1.5);
  start.q << real(-1, 1), real(-1, 1), 0.05 + StepSettings{}.standoff, std::cos(turn), 0, 0, std::sin(turn);
  start.v << real(-3, 3), real(-3, 3), 0, 0, 0, real(-3, 3);
  for (Run& run : tables) {
    run.state = start;
    run.memory = {};
    run.advance(10);
  }
  for (const Run& many : {std::cref(tables[1]), std::cref(tables[2])}) {
    // Merged faces have the same plane up to rounding, and the LCP is solved exactly: some roundings a step are left,
    // of coordinates of metres and speeds of metres per second.
    RC_ASSERT((many.state.q - tables[0].state.q).cwiseAbs().maxCoeff() <= 1e-12);
    RC_ASSERT((many.state.v - tables[0].state.v).cwiseAbs().maxCoeff() <= 1e-11);
  }
}

}  // namespace
}  // namespace jade
