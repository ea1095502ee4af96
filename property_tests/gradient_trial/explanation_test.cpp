#include "gradient_trial/explanation.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace jade::gradient_trial {
namespace {

/// A ball above or on a floor, in free fall or without gravity.
generators::World ball_world(double height, double gravity) {
  generators::World world{.scene = {.name = "ball"}, .h = 0.01};
  SceneDescription& scene = world.scene;
  scene.gravity = {0, 0, -gravity};
  scene.materials = {"stuff"};
  scene.pairs = {{"stuff", "stuff", 0.5, 0.5}};
  BodyDescription floor{.name = "floor"}, ball{.name = "ball"};
  floor.joint.kind = JointKind::fixed;
  floor.shapes = {{.geometry = HalfSpace{}, .material = "stuff"}};
  ball.shapes = {{.geometry = Sphere{0.1}, .material = "stuff", .density = 1000}};
  ball.joint.position = {0, 0, height, 1, 0, 0, 0};
  ball.joint.velocity = {1, 0.5, 0, 0, 0, 0.3};
  scene.bodies = {floor, ball};
  return world;
}

constexpr TrialSettings kAtOnce{.warm_up = 0};

TEST(Explanation, PartsNowhereInFreeFlight) {
  const Explanation explanation = explain(ball_world(1, 9.81), 5, 0, kAtOnce);
  EXPECT_EQ(explanation.first(), -1);
  ASSERT_FALSE(explanation.nudges.empty());
  ASSERT_FALSE(explanation.stages.empty());
  for (const NudgeTrial& nudge : explanation.nudges) EXPECT_TRUE(nudge.same_above && nudge.same_below);
  // All of a flight is known to every stage, from both sides.
  for (const StageTrial& stage : explanation.stages) {
    EXPECT_LT(std::max({stage.central, stage.right, stage.left}), 1e-6) << stage.name;
    EXPECT_TRUE(stage.above.empty() && stage.below.empty()) << stage.name;
  }
}

/// A hit: the time of impact and the impulses are stages of their own, and the tape is right after each.
TEST(Explanation, FollowsAHitStageByStage) {
  generators::World world = ball_world(0.1 + 0.02, 9.81);
  world.scene.bodies[1].joint.velocity[2] = -3;
  const Explanation explanation = explain(world, 5, 0, kAtOnce);
  EXPECT_EQ(explanation.first(), -1);
  const auto impulses = std::find_if(explanation.stages.begin(), explanation.stages.end(),
                                     [](const auto& stage) { return stage.name.ends_with("impulses"); });
  ASSERT_NE(impulses, explanation.stages.end());
  EXPECT_EQ(impulses->decisions, "hits [0CFF]");
  EXPECT_LT(impulses->central, 1e-7);
  EXPECT_NE((impulses - 2)->decisions.find("until 0/1"), std::string::npos) << (impulses - 2)->decisions;
}

/// What touches without a load is pressed on one side and leaves on the other: the first segment is where they part, and there
/// the tape has one of both sides.
TEST(Explanation, FindsTheKinkOfWhatOnlyTouches) {
  const Explanation explanation = explain(ball_world(0.1 + StepSettings{}.standoff, 0), 5, 0, kAtOnce);
  const int first = explanation.first();
  ASSERT_GE(first, 0);
  const StageTrial& stage = explanation.stages[static_cast<std::size_t>(first)];
  EXPECT_NE(stage.name.find("step 0"), std::string::npos) << stage.name;
  EXPECT_LT(std::min(stage.right, stage.left), 1e-6);
  EXPECT_GT(std::max(stage.right, stage.left), 1e-3);
  EXPECT_FALSE(explanation.trial.regularity.regular);
  // One side is solved with other classes, and its own gradient is another one however small the nudge.
  const NudgeTrial& last = explanation.nudges.back();
  EXPECT_GT(std::max(last.gradient_above, last.gradient_below), 1e-3);
  EXPECT_LT(std::min(last.gradient_above, last.gradient_below), 1e-6);
}

TEST(Explanation, IsOfTheDirectionThatTheTrialDraws) {
  const generators::World world = ball_world(0.5, 9.81);
  for (std::size_t k = 0; k < 3; ++k) {
    const GradientTrial trial = try_gradient(world, 11, kAtOnce);
    const Explanation explanation = explain(world, 11, k, kAtOnce);
    EXPECT_EQ(explanation.trial.check.error, trial.directions[k].check.error);
    EXPECT_EQ(explanation.trial.check.differences.size, trial.directions[k].check.differences.size);
  }
}

}  // namespace
}  // namespace jade::gradient_trial
