#include "jade/stepping/separate.h"

#include <gtest/gtest.h>

#include "jade/stepping/step_simulation.h"

namespace jade {
namespace {

using namespace step_tests;

// What positions of a metre are rounded to, over several passes.
constexpr double kRounding = 1e-10;

TEST(Separate, LiftsATouchingStackToItsStandoffs) {
  // Each box is put exactly on the one below; the ground does not move, so box k is lifted by k + 1 standoffs.
  SceneDescription scene = ground(0.5, 0, 9.81);
  for (int i = 0; i < 5; ++i)
    scene.bodies.push_back(body("box " + std::to_string(i), Box{Vec3(0.25, 0.25, 0.25)},
                                Vec3(0, 0, 0.125 + 0.25 * i), Vec3(0, 0.1, 0)));
  Simulation run(scene);
  const State before = run.state;
  EXPECT_THROW(run.advance(1), StepError);
  run.state = before;
  const Separation apart = separate(run.model, run.state);
  EXPECT_TRUE(apart.reached);
  EXPECT_EQ(apart.pairs.size(), 5u);
  EXPECT_EQ(apart.state.v, run.state.v);
  EXPECT_NEAR(apart.farthest, 5 * kStandoff, 0.1 * kStandoff);
  for (const Separation::Pair& pair : apart.pairs) {
    EXPECT_NEAR(pair.before, 0, 1e-15);
    EXPECT_NEAR(pair.after, kStandoff, kRounding);
  }
  run.state = apart.state;
  for (int i = 0; i < 5; ++i)
    EXPECT_NEAR(run.position("box " + std::to_string(i)).z(), 0.125 + 0.25 * i + (i + 1) * kStandoff, 1e-10);
  run.advance(10);
  EXPECT_EQ(run.lost_time, 0);
}

TEST(Separate, LeavesAStateWithRoomAsItIs) {
  SceneDescription scene = ground(0.5, 0, 9.81);
  scene.bodies.push_back(
      body("box", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0, 0.1 + 1.5 * kStandoff), Vec3::Zero()));
  const Model model = build_model(scene);
  const State state = initial_state(model);
  const Separation apart = separate(model, state);
  EXPECT_TRUE(apart.pairs.empty());
  EXPECT_EQ(apart.state.q, state.q);
  EXPECT_EQ(apart.farthest, 0);
}

TEST(Separate, MovesTheLighterOfTwoBalls) {
  // Masses as 1 to 8: displacements as 8 to 1, and the centre of mass stays.
  SceneDescription scene = ground(0.5, 0, 0);
  scene.bodies.push_back(body("small", Sphere{0.1}, Vec3(0, 0, 1), Vec3::Zero()));
  scene.bodies.push_back(body("large", Sphere{0.2}, Vec3(0.3, 0, 1), Vec3::Zero()));
  Simulation run(scene);
  run.state = separate(run.model, run.state).state;
  EXPECT_NEAR(run.position("small").x(), -kStandoff * 8 / 9, kRounding);
  EXPECT_NEAR(run.position("large").x(), 0.3 + kStandoff / 9, kRounding);
}

TEST(Separate, TurnsAJointUntilItsLinkIsClear) {
  // A bar on a hinge lies with its end on the ground: the hinge turns, nothing else can.
  SceneDescription scene = ground(0.5, 0, 9.81);
  BodyDescription bar = body("bar", Capsule{0.05, 0.5}, Vec3::Zero(), Vec3::Zero());
  bar.joint = {.kind = JointKind::revolute, .axis = Vec3::UnitY()};
  bar.joint.X_PJ.position = Vec3(0, 0, 0.05 + 0.5);
  bar.joint.X_BK.position = Vec3(0, 0, 0.5);
  bar.joint.position = {std::acos(0.5)};  // its lower end is 1 · cos 60° below the hinge: on the ground
  scene.bodies.push_back(bar);
  Simulation run(scene);
  const Separation apart = separate(run.model, run.state);
  EXPECT_TRUE(apart.reached);
  ASSERT_EQ(apart.pairs.size(), 1u);
  EXPECT_NEAR(apart.pairs[0].after, kStandoff, 1e-9);
  EXPECT_NEAR(0.5 - std::cos(apart.state.q[0]), kStandoff, 1e-9);
}

TEST(Separate, SaysWhereThereIsNoRoom) {
  SceneDescription scene = ground(0.5, 0, 0);
  scene.bodies.clear();
  for (const double side : {-1.0, 1.0}) {
    BodyDescription wall =
        body(side < 0 ? "left" : "right", Box{Vec3(0.1, 1, 1)}, Vec3::Zero(), Vec3::Zero());
    wall.joint = {};
    wall.joint.kind = JointKind::fixed;
    wall.joint.X_PJ.position = Vec3(side * 0.15, 0, 0);
    scene.bodies.push_back(wall);
  }
  scene.bodies.push_back(body("ball", Sphere{0.1 - 0.25e-5}, Vec3::Zero(), Vec3::Zero()));
  const Model model = build_model(scene);
  const Separation apart = separate(model, initial_state(model));
  EXPECT_FALSE(apart.reached);
  EXPECT_EQ(apart.pairs.size(), 2u);
}

TEST(Separate, RefusesWhatOverlapsWithPairAndDepth) {
  SceneDescription scene = ground(0.5, 0, 9.81);
  scene.bodies.push_back(body("sunk", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0, 0.08), Vec3::Zero()));
  const Model model = build_model(scene);
  try {
    (void)separate(model, initial_state(model));
    FAIL() << "accepted";
  } catch (const StepError& error) {
    for (const char* part : {"\"sunk\"", "\"ground\"", "0.02"})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace jade
