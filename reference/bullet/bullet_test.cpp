// The Bullet adapter as the suite meets it: through its process.
#include <gtest/gtest.h>

#include "reference/engines.h"

namespace jade::reference {
namespace {

std::vector<Engine> bullet_engines() {
  std::vector<Engine> engines = known_engines();
  std::erase_if(engines, [](const Engine& e) { return e.name.rfind("bullet", 0) != 0; });
  return engines;
}

ShapeDescription shape(Shape geometry) {
  ShapeDescription s;
  s.geometry = std::move(geometry);
  s.material = "stuff";
  return s;
}

/// A body a centimetre above solid ground, moving along x.
SceneDescription resting(const Shape& geometry, double half_height, double friction, double speed) {
  SceneDescription scene;
  scene.name = "resting";
  scene.materials = {"stuff"};
  scene.pairs = {{"stuff", "stuff", friction, 0.0}};
  BodyDescription ground, body;
  ground.name = "ground";
  ground.joint.kind = JointKind::fixed;
  ground.shapes = {shape(HalfSpace{})};
  body.name = "body";
  body.inertia = InertiaDescription{.mass = 1, .com = Vec3::Zero(), .inertia = 0.1 * Mat3::Identity()};
  body.shapes = {shape(geometry)};
  body.joint.position = {0, 0, half_height + 0.01, 1, 0, 0, 0};
  body.joint.velocity = {speed, 0, 0, 0, 0, 0};
  scene.bodies = {ground, body};
  return scene;
}

std::vector<Vec3> cube_corners() {
  std::vector<Vec3> corners(8);
  for (int i = 0; i < 8; ++i)
    corners[i] = Vec3((i & 4) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5, (i & 1) != 0 ? 0.5 : -0.5);
  return corners;
}

const std::vector<std::array<int, 3>> kCubeTriangles{{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5},
                                                     {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6},
                                                     {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};

TEST(BulletAdapter, EveryShapeComesToRestOnTheGround) {
  struct Example {
    const char* name;
    Shape geometry;
    double half_height;
  };
  for (const Example& e :
       {Example{"sphere", Sphere{0.4}, 0.4}, Example{"box", Box{Vec3(1, 0.8, 0.6)}, 0.3},
        Example{"capsule", Capsule{0.2, 0.3}, 0.5}, Example{"cylinder", Cylinder{0.5, 0.3}, 0.3},
        Example{"hull", ConvexHull{cube_corners()}, 0.5},
        Example{"mesh", TriangleMesh{"", 1, cube_corners(), kCubeTriangles}, 0.5}}) {
    for (const Engine& engine : bullet_engines()) {
      const Recording r = engine.run({.scene = resting(e.geometry, e.half_height, 0.5, 0),
                                      .time_step = 0.002,
                                      .steps = 250,
                                      .record_every = 250});
      ASSERT_EQ(r.status, RunStatus::done) << r.reason;
      // Bullet keeps a body within its collision margin of a surface.
      EXPECT_NEAR(r.frames.back().bodies[1].position.z(), e.half_height, 0.045)
          << engine.name << " " << e.name;
      EXPECT_NEAR(r.frames.back().bodies[1].velocity.z(), 0, 0.05) << engine.name << " " << e.name;
    }
  }
}

TEST(BulletAdapter, TakesFrictionFromThePairOfMaterials) {
  for (const Engine& engine : bullet_engines()) {
    const auto speed_after = [&](double friction) {
      const Recording r = engine.run({.scene = resting(Box{Vec3(1, 1, 0.2)}, 0.1, friction, 2),
                                      .time_step = 0.002,
                                      .steps = 250,
                                      .record_every = 250});
      return r.frames.back().bodies[1].velocity.x();
    };
    EXPECT_NEAR(speed_after(0), 2, 1e-9) << engine.name;
    // 2 − μ g t over about 0.455 s of contact; a product of body coefficients would give 0.04 and 1.82.
    EXPECT_NEAR(speed_after(0.2), 2 - 0.2 * 9.81 * 0.455, 0.15) << engine.name;
  }
}

TEST(BulletAdapter, BouncesBackWithTheSpeedItCame) {
  // Whatever part of a step the impact falls on: a contact that is noticed before it touches must not eat the bounce.
  constexpr double kStep = 0.002, kRadius = 0.1;
  for (int i = 0; i <= 10; ++i) {
    SceneDescription scene = resting(Sphere{kRadius}, 0.3 + 0.001 * i, 0, 0);
    scene.pairs[0].restitution = 1;
    for (const Engine& engine : bullet_engines()) {
      const Recording r = engine.run({.scene = scene, .time_step = kStep, .steps = 200, .record_every = 1});
      ASSERT_EQ(r.status, RunStatus::done) << r.reason;
      double fastest_down = 0, fastest_up = 0;
      for (const Frame& frame : r.frames) {
        fastest_down = std::max(fastest_down, -frame.bodies[1].velocity.z());
        fastest_up = std::max(fastest_up, frame.bodies[1].velocity.z());
      }
      // Gravity of two steps; the impact itself is exact. The solver of btMultiBody knows no split impulse: it pushes
      // out a fifth (erp) of the overlap by velocity, and the overlap is at most what one step covers.
      const double gravity = 2 * 9.81 * kStep,
                   pushed = engine.name == "bullet:multibody" ? 0.2 * fastest_down : 0;
      EXPECT_GT(fastest_up, fastest_down - gravity) << engine.name << " from " << i << " mm higher";
      EXPECT_LT(fastest_up, fastest_down + gravity + pushed) << engine.name << " from " << i << " mm higher";
    }
  }
}

TEST(BulletAdapter, SaysWhatItCannotExpress) {
  for (const Engine& engine : bullet_engines()) {
    SceneDescription scene = resting(Sphere{0.4}, 0.4, 0, 0);
    scene.bodies[1].joint = {};
    scene.bodies[1].joint.kind = JointKind::screw;
    scene.bodies[1].joint.pitch = 0.1;
    const Recording r = engine.run({.scene = scene, .time_step = 0.01, .steps = 1});
    EXPECT_EQ(r.status, RunStatus::not_applicable) << engine.name;
    EXPECT_NE(r.reason.find("screw"), std::string::npos) << r.reason;
    const Recording unknown = engine.run({.scene = resting(Sphere{0.4}, 0.4, 0, 0),
                                          .time_step = 0.01,
                                          .steps = 1,
                                          .settings = {{"iteration", "3"}}});
    EXPECT_NE(unknown.reason.find("unknown setting iteration"), std::string::npos) << unknown.reason;
  }
}

}  // namespace
}  // namespace jade::reference
