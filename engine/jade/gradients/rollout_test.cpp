#include "jade/gradients/rollout.h"

#include <gtest/gtest.h>

#include "jade/gradients/gradient_check.h"

namespace jade {
namespace {

/// A tumbling box and a ball above a floor: flight, impacts, sliding and rest.
SceneDescription bodies_on_a_floor() {
  SceneDescription scene{.name = "floor"};
  scene.materials = {"stuff"};
  scene.pairs = {{"stuff", "stuff", 0.4, 0.5}};
  BodyDescription floor{.name = "floor"};
  floor.shapes = {{.geometry = HalfSpace{}, .material = "stuff"}};
  floor.joint.kind = JointKind::fixed;
  BodyDescription ball{.name = "ball"};
  ball.shapes = {{.geometry = Sphere{0.1}, .material = "stuff", .density = 1000}};
  ball.joint.position = {1, 0, 0.3, 1, 0, 0, 0};
  ball.joint.velocity = {0.5, 0.2, -1, 1, 2, 3};
  BodyDescription box{.name = "box"};
  box.shapes = {{.geometry = Box{Vec3(0.2, 0.3, 0.1)}, .material = "stuff", .density = 500}};
  box.joint.position = {0, 0, 0.3, 0.9, 0.1, 0.3, 0.2};
  box.joint.velocity = {1, 0, 0, 0.5, 1, 0};
  scene.bodies = {floor, ball, box};
  return scene;
}

class RolloutTest : public testing::Test {
 protected:
  RolloutTest()
      : model_(build_model(bodies_on_a_floor())),
        start_(initial_state(model_)),
        steps_(model_),
        gradients_(model_) {}

  Rollout run(RolloutSettings settings) { return rollout(model_, start_, {}, settings, steps_); }
  /// A loss that looks at three states and at everything in them.
  RolloutCotangents some_loss(const Rollout& path) const {
    RolloutCotangents cotangents = no_cotangents(path);
    const int nv = model_.nv();
    for (const int i : {0, path.steps() / 2, path.steps()}) {
      StepCotangent& at = cotangents.states[static_cast<std::size_t>(i)];
      at.q = VecX::LinSpaced(nv, -1, 1 + i);
      at.v = VecX::LinSpaced(nv, 0.5, -0.3);
    }
    return cotangents;
  }
  RolloutGradient gradient(const Rollout& path) {
    return rollout_gradient(model_, path, some_loss(path), parameters_of(model_), steps_, gradients_);
  }

  Model model_;
  State start_;
  StepWorkspace steps_;
  GradientWorkspace gradients_;
};

void expect_same_bits(const std::vector<State>& a, const std::vector<State>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].q, b[i].q) << "state " << i;
    EXPECT_EQ(a[i].v, b[i].v) << "state " << i;
  }
}

void expect_same_bits(const RolloutGradient& a, const RolloutGradient& b) {
  EXPECT_EQ(a.q0, b.q0);
  EXPECT_EQ(a.v0, b.v0);
  EXPECT_EQ(a.parameters, b.parameters);
  ASSERT_EQ(a.effort.size(), b.effort.size());
  for (std::size_t i = 0; i < a.effort.size(); ++i) EXPECT_EQ(a.effort[i], b.effort[i]) << "step " << i;
  EXPECT_EQ(a.regularity.distance, b.regularity.distance);
  EXPECT_EQ(a.regularity.why, b.regularity.why);
}

TEST_F(RolloutTest, IsTheSameToTheBitHoweverItIsRecorded) {
  std::vector<State> plain{start_};
  StepMemory memory;
  for (int i = 0; i < 60; ++i) {
    StepResult next =
        step(model_, plain.back(), memory, controls_at(model_, 0.01 * i, 0.01), 0.01, {}, steps_);
    plain.push_back(next.next);
    memory = next.memory;
  }
  for (const bool record : {false, true})
    for (const int spacing : {1, 7, 60})
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{20'000}, std::size_t{1} << 30}) {
        const Rollout path =
            run({.steps = 60, .record = record, .checkpoint_every = spacing, .max_bytes = bytes});
        expect_same_bits(path.states, plain);
        EXPECT_GT(path.report.impacts, 0);
      }
}

TEST_F(RolloutTest, GradientIsTheSameToTheBitWhateverWasKept) {
  const RolloutGradient whole = gradient(run({.steps = 60}));
  EXPECT_EQ(whole.replayed, 0);
  for (const int spacing : {1, 7, 60})
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{20'000}, std::size_t{200'000}}) {
      const RolloutGradient again =
          gradient(run({.steps = 60, .checkpoint_every = spacing, .max_bytes = bytes}));
      EXPECT_GT(again.replayed, 0);
      expect_same_bits(again, whole);
    }
  expect_same_bits(gradient(run({.steps = 60, .record = false})), whole);
}

TEST_F(RolloutTest, GradientEqualsTheProductOfTheStepsJacobians) {
  const Rollout path = run({.steps = 25});
  const std::vector<ParameterId> ids = parameters_of(model_);
  const RolloutCotangents loss = some_loss(path);
  const RolloutGradient back = gradient(path);
  // Forward: how everything at step t moves the loss, by multiplying Jacobians from the right.
  const int nv = model_.nv();
  std::vector<StepJacobian> jacobians(25);
  for (std::size_t i = 0; i < 25; ++i) step_jacobian(model_, path.traces[i], ids, gradients_, jacobians[i]);
  const auto stacked = [&](const StepCotangent& c) {
    VecX x = VecX::Zero(2 * nv);
    if (c.q.size() > 0) x << c.q, c.v;
    return x;
  };
  MatX by_start = MatX::Identity(2 * nv, 2 * nv);
  MatX by_parameters = MatX::Zero(2 * nv, static_cast<Eigen::Index>(ids.size()));
  MatX by_third_effort = MatX::Zero(2 * nv, nv);
  VecX start = stacked(loss.states[0]), parameters = VecX::Zero(by_parameters.cols()), third = VecX::Zero(nv);
  for (std::size_t i = 0; i < 25; ++i) {
    const StepJacobian& J = jacobians[i];
    by_start = J.state * by_start;
    by_parameters = J.state * by_parameters + J.parameters;
    by_third_effort = i == 3 ? J.effort : MatX(J.state * by_third_effort);
    const VecX w = stacked(loss.states[i + 1]);
    start += by_start.transpose() * w;
    parameters += by_parameters.transpose() * w;
    third += by_third_effort.transpose() * w;
  }
  VecX back_start(2 * nv);
  back_start << back.q0, back.v0;
  // Sums of 25 products in another order.
  const double rounding = 1e-11;
  EXPECT_LT((start - back_start).norm(), rounding * start.norm());
  EXPECT_LT((parameters - back.parameters).norm(), rounding * parameters.norm());
  EXPECT_LT((third - back.effort[3]).norm(), rounding * third.norm());
}

TEST_F(RolloutTest, TapeStaysWithinItsBound) {
  const Rollout whole = run({.steps = 60});
  std::size_t largest = 0;
  for (const StepTrace& trace : whole.traces) largest = std::max(largest, trace.bytes());
  for (const std::size_t bytes : {std::size_t{1}, 8 * largest, 20 * largest}) {
    const Rollout path = run({.steps = 60, .max_bytes = bytes});
    // One trace is always allowed, at rest and in the replay, and the checkpoint of the start.
    const std::size_t least = 2 * largest + 1000;
    EXPECT_LE(path.tape_bytes(), bytes + least);
    const std::size_t most = gradient(path).most_bytes;
    EXPECT_LE(most, bytes + least);
    if (bytes >= 8 * largest) {
      EXPECT_LE(path.tape_bytes(), bytes);
      EXPECT_LE(most, bytes);
    }
  }
}

TEST_F(RolloutTest, CostOfTheGradientIsLinearInTheLength) {
  // Checkpoints at every step: what was not kept is replayed once, however long the trajectory is.
  for (const int n : {30, 60, 120})
    EXPECT_LE(gradient(run({.steps = n, .max_bytes = 100'000})).replayed, n) << n;
  // A spacing whose traces fit is replayed once as well.
  const RolloutGradient spaced = gradient(run({.steps = 100, .checkpoint_every = 5, .max_bytes = 400'000}));
  EXPECT_LE(spaced.replayed, 100);
}

TEST_F(RolloutTest, GradientAddsWhatTheLossSeesDirectly) {
  const Rollout path = run({.steps = 10});
  RolloutCotangents loss = some_loss(path);
  const RolloutGradient without = gradient(path);
  loss.effort.assign(10, VecX::Constant(model_.nv(), 0.25));
  loss.parameters = VecX::Constant(static_cast<Eigen::Index>(parameters_of(model_).size()), 3);
  const RolloutGradient with =
      rollout_gradient(model_, path, loss, parameters_of(model_), steps_, gradients_);
  EXPECT_EQ(with.q0, without.q0);
  // Sums in another order.
  EXPECT_LT((with.effort[4] - without.effort[4] - loss.effort[4]).norm(),
            1e-13 * (1 + with.effort[4].norm()));
  EXPECT_LT((with.parameters - without.parameters - loss.parameters).norm(),
            1e-13 * (1 + with.parameters.norm()));
}

TEST_F(RolloutTest, AgreesWithDifferencesOfWholeTrajectories) {
  const Experiment experiment = make_experiment(bodies_on_a_floor(), {.steps = 12});
  const int ball = coordinate_of(experiment.model, "ball", 0),
            box = coordinate_of(experiment.model, "box", 0);
  const Outcome outcome = readings(
      experiment.model,
      {{.coordinate = ball}, {.velocity = true, .coordinate = box + 4}, {.coordinate = box + 2, .step = 6}});
  const GradientCheck check = gradient_check(
      experiment, outcome,
      {position_of(box + 3), velocity_of(ball + 2), effort_of(box + 1), effort_of(ball, 2),
       parameter_of({ParameterKind::friction, 0, 0}), parameter_of({ParameterKind::restitution, 0, 0}),
       parameter_of({ParameterKind::gravity, 0, 2}), parameter_of({ParameterKind::step_size, 0, 0})});
  int judged = 0;
  for (const GradientEntry& e : check.entries) {
    if (e.smoothness == Smoothness::unresolved) continue;
    ++judged;
    EXPECT_LT(e.error, 1e-6) << e.outcome << " by " << e.variable << ": " << e.analytic << " against "
                             << e.difference;
  }
  EXPECT_EQ(judged, 24);
}

TEST_F(RolloutTest, RefusesWhatMakesNoSense) {
  EXPECT_THROW(run({.h = 0}), InvalidInput);
  EXPECT_THROW(run({.steps = -1}), InvalidInput);
  EXPECT_THROW(run({.checkpoint_every = 0}), InvalidInput);
  const std::vector<Controls> two(2, controls_at(model_, 0, 0.01));
  EXPECT_THROW((void)rollout(model_, start_, two, {.steps = 3}, steps_), InvalidInput);
  const Rollout path = run({.steps = 2});
  EXPECT_THROW((void)rollout_gradient(model_, path, {}, {}, steps_, gradients_), InvalidInput);
}

}  // namespace
}  // namespace jade
