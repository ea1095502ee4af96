#include <gtest/gtest.h>

#include "jade/gradients/chained_steps.h"

/// What a gradient says of itself: whether it is regular.

namespace jade {
namespace {

using namespace step_tests;

/// A box that lands flush does so with four corners at once, and with one of them first if it is turned by however little; on a
/// slide that keeps it upright there is no such thing. It bounces, or is too slow for that.
TEST(Regularity, SaysThatAFlushHitIsAKink) {
  for (const double speed : {1.0, 0.05})
    for (const bool upright : {false, true}) {
      const double height = 0.1 + 0.005 * speed;
      SceneDescription scene = ground(0.5, 0.5, 9.81);
      BodyDescription box = body("box", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0, height), Vec3(0, 0, -speed));
      if (upright) {
        box.joint = {
            .kind = JointKind::prismatic, .axis = Vec3::UnitZ(), .position = {height}, .velocity = {-speed}};
      }
      scene.bodies.push_back(box);
      const Chain run(scene, 1);
      EXPECT_TRUE(run.regularity.exists) << run.regularity.why;
      EXPECT_EQ(run.regularity.regular, upright) << speed << ": " << run.regularity.why;
    }
}

/// Which of the corners of a box comes to rest first changes with a nudge of its yaw. That cuts the path of what spins above it,
/// and is nothing to what flies on without a turn.
TEST(Regularity, SaysThatSlipsWhichEndTogetherCutWhatTurns) {
  for (const double spin : {0.0, 1.0}) {
    SceneDescription scene = ground(0.5, 0, 9.81);
    scene.bodies.push_back(body("slider", Box{Vec3(0.2, 0.2, 0.1)}, Vec3(0, 0, 0.05001), Vec3(0.03, 0, 0)));
    scene.bodies.push_back(
        body("spinner", Box{Vec3(0.1, 0.2, 0.3)}, Vec3(0, 0, 0.3), Vec3::Zero(), spin * Vec3(30, 20, 10)));
    const Chain run(scene, 1);
    EXPECT_TRUE(run.regularity.exists) << run.regularity.why;
    EXPECT_EQ(run.regularity.regular, spin == 0) << run.regularity.why;
  }
}

/// What sticks to the floor beside a wall at the standoff carries nothing there and does not move. Yet moved into the wall it is
/// pushed out, and moved away it is not; a little further from the wall there is nothing of that.
TEST(Regularity, SaysThatAWallTouchedWithoutALoadIsAKink) {
  for (const double beyond : {0.0, 1e-3}) {
    SceneDescription scene = ground(0.5, 0, 9.81);
    BodyDescription wall = scene.bodies[0];
    wall.name = "wall";
    wall.shapes[0].X_BS.orientation = Quat::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitX());
    scene.bodies.push_back(wall);
    scene.bodies.push_back(body("box", Box{Vec3(0.2, 0.2, 0.2)},
                                Vec3(0.1 + kStandoff + beyond, 0, 0.1 + kStandoff), Vec3::Zero()));
    const Chain run(scene, 1);
    EXPECT_TRUE(run.regularity.exists) << run.regularity.why;
    EXPECT_EQ(run.regularity.regular, beyond > 0) << run.regularity.why;
  }
}

/// A body that stands on two levels is held there by friction: tipped by however little it cannot settle on both without a slip.
/// With both feet on the floor it can, and so it can on the stair without friction.
TEST(Regularity, SaysThatWhatFrictionHoldsOnTwoLevelsIsAtAKink) {
  for (const double stair_height : {0.0, 0.1})
    for (const double friction : {0.0, 0.8}) {
      SceneDescription scene = ground(friction, 0, 9.81);
      if (stair_height > 0) {
        BodyDescription stair{.name = "stair"};
        stair.shapes = {{.geometry = Box{Vec3(0.4, 0.4, stair_height)}, .material = "stuff"}};
        stair.joint.kind = JointKind::fixed;
        stair.joint.X_PJ.position = Vec3(0.5, 0, 0.5 * stair_height);
        scene.bodies.push_back(stair);
      }
      BodyDescription thing =
          body("thing", Box{Vec3(0.2, 0.3, 0.2)}, Vec3(0, 0, 0.1 + kStandoff), Vec3::Zero());
      thing.shapes.push_back(thing.shapes[0]);
      thing.shapes[1].X_BS.position = Vec3(0.45, 0.02, stair_height);
      scene.bodies.push_back(thing);
      const Chain run(scene, 1);
      EXPECT_TRUE(run.regularity.exists) << run.regularity.why;
      EXPECT_EQ(run.regularity.regular, stair_height == 0 || friction == 0)
          << stair_height << ", " << friction << ": " << run.regularity.why;
    }
}

}  // namespace
}  // namespace jade
