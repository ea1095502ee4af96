// The fuzzer itself: it finds what is broken on purpose, makes it small, and gives the same on any number of threads.
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "jade/model/scene_json.h"
#include "step_fuzz/shrink_world.h"
#include "step_fuzz/step_table.h"

namespace jade::reports {
namespace {

using step_trial::Fault;

StepFuzzSettings small_campaign(int jobs) {
  return {.count = 10,
          .seed = 4,
          .families = step_trial::world_families(),
          .steps = 2,
          .spacing = 0.1,
          .jobs = jobs};
}

TEST(StepFuzz, GivesTheSameOnAnyNumberOfThreads) {
  const StepFuzzSettings one = small_campaign(1), three = small_campaign(3);
  EXPECT_EQ(to_json(one, run_campaign(one)), to_json(three, run_campaign(three)));
}

/// The mutation that shows what the campaign is worth: steps that are not certified.
TEST(StepFuzz, FailsWithoutContinuousDetectionAndShrinksTheWorld) {
  StepFuzzSettings settings = small_campaign(1);
  settings.count = 25;
  settings.seed = 5;
  settings.steps = 3;
  settings.families = {*step_trial::world_family_named("fast")};
  settings.step.continuous = false;
  const StepFuzzResult result = run_campaign(settings);
  ASSERT_GT(result.rows[0].faults.at(Fault::intersects), 5);

  const StepFailure& failure =
      *std::ranges::find(result.rows[0].failures, Fault::intersects, &StepFailure::fault);
  const generators::World world = world_of(settings, 0, failure.index);
  const auto fails = [&](const generators::World& candidate) {
    return try_world(candidate, trial_settings(settings, 0)).fault == Fault::intersects;
  };
  const generators::World small = shrink(world, fails);
  EXPECT_TRUE(fails(small));
  // One that moves and one that it goes into.
  EXPECT_EQ(small.scene.bodies.size(), 2u);
  settings.step.continuous = true;
  EXPECT_FALSE(fails(small));
}

TEST(StepFuzz, StepsOfOneWorldAreJudgedWithinToo) {
  StepFuzzSettings settings = small_campaign(1);
  settings.count = 25;
  settings.spacing = 0.02;  // some of a family are slow and go little farther than this
  const StepFuzzResult within = run_campaign(settings);
  settings.spacing = 0;
  const StepFuzzResult ends = run_campaign(settings);
  for (std::size_t f = 0; f < within.rows.size(); ++f) {
    EXPECT_EQ(ends.rows[f].states, ends.rows[f].steps + ends.rows[f].worlds);
    EXPECT_GT(within.rows[f].states, 2 * ends.rows[f].states);
  }
}

/// Crowds are placed around each other and, where that leads them to a wall, on one side of it. Worlds 370 and 378 stood in one.
TEST(StepFuzz, WorldsStartApart) {
  const generators::Climate crowded = step_trial::world_family_named("crowded")->climate;
  for (const std::uint64_t index : {std::uint64_t{370}, std::uint64_t{378}}) {
    const generators::World world = generators::random_world(11, index, crowded);
    EXPECT_NE(step_trial::try_world(world, {.steps = 1}).fault, Fault::starts_overlapping) << index;
  }
  StepFuzzSettings settings = small_campaign(2);
  settings.count = 100;
  settings.steps = 1;
  settings.spacing = 0;
  settings.families = {*step_trial::world_family_named("crowded")};
  const StepFuzzResult result = run_campaign(settings);
  EXPECT_EQ(result.rows[0].worlds, 100);
  EXPECT_FALSE(result.rows[0].faults.contains(Fault::starts_overlapping));
}

TEST(StepFuzz, NoFamilyDrawsTheWorldsOfAnother) {
  const StepFuzzSettings settings = small_campaign(1);
  std::set<std::string> scenes;
  constexpr std::uint64_t count = 50;
  for (std::size_t family = 0; family < settings.families.size(); ++family)
    for (std::uint64_t index = 0; index < count; ++index)
      scenes.insert(scene_to_json(world_of(settings, family, index).scene));
  EXPECT_EQ(scenes.size(), count * settings.families.size());
}

/// Its state is that of the start, so that it can be saved and replayed as any other.
TEST(StepFuzz, WorldThatStartsOverlappingIsAFaultWithAState) {
  generators::World world = world_of(small_campaign(1), 0, 0);
  for (BodyDescription& body : world.scene.bodies)
    if (body.joint.kind == JointKind::free) body.joint.position[2] = -0.1;
  const step_trial::Trial trial = step_trial::try_world(world, {});
  ASSERT_EQ(trial.fault, Fault::starts_overlapping);
  const generators::World saved = world_at(world, trial.before);
  EXPECT_EQ(initial_state(build_model(saved.scene)).q, initial_state(build_model(world.scene)).q);
}

}  // namespace
}  // namespace jade::reports
