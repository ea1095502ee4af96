/// What holds for every step of every world that our generators can grow.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/arbitrary_world.h"
#include "jade/dynamics/energy.h"
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
    }
  }

  Model model;
  StepWorkspace workspace;
  State state;
  StepMemory memory;
  double h;
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

RC_GTEST_PROP(Step, ConservesMomentumAmongFreeBodies, ()) {
  const World world =
      *arbitrary_world({.fixed = false, .articulated = false, .gravity = false, .most_things = 4});
  Run run(world);
  const Momentum before = momentum(run.model, run.state);
  double mass = 0, size = 0;
  for (const Joint& joint : run.model.joints()) {
    const double m = run.model.bodies()[joint.body].inertia.mass;
    mass += m;
    size += m * (run.state.v.segment<3>(joint.v).norm() + 0.2 * run.state.v.segment<3>(joint.v + 3).norm());
  }
  run.advance(kSteps);
  const Momentum after = momentum(run.model, run.state);
  // Rounding of every impulse, of the size of the momenta themselves and some metres from the origin.
  RC_ASSERT((after.linear - before.linear).norm() <= 1e-10 * (size + mass));
  // Angular momentum is kept by impacts; free rotation keeps it to second order in the turn of a segment, half a radian
  // at most, so only bodies that do not turn show it to rounding.
}

RC_GTEST_PROP(Step, NeverGainsEnergy, ()) {
  const World world =
      *arbitrary_world({.articulated = false, .fastest = 20, .spin = 10, .longest_step = 0.02});
  const Trial trial = try_world(world, {.steps = kSteps});
  // Of the kinetic energy, in one step. Impacts never gain; what is left is free rotation, of second order in turns of up
  // to half a radian a segment, and pushing out by the standoff.
  RC_ASSERT(trial.energy_gain <= 0.02);
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

}  // namespace
}  // namespace jade
