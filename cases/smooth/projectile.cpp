#include "cases/case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.01, kSpeed = 6, kLift = 7;
constexpr int kSteps = 150;
constexpr double kDuration = kStep * kSteps;

/// A tumbling body whose frame is not at its centre of mass: the origin of the frame flies no parabola.
SceneDescription scene() {
  SceneDescription s;
  s.name = "projectile";
  s.gravity = Vec3(0, 0, -kGravity);
  s.bodies = {free_body("wrench", 1.5, Vec3(0.02, 0.05, 0.06))};
  s.bodies[0].inertia->com = Vec3(0.3, -0.1, 0.2);
  s.bodies[0].joint.position = {-0.3, 0.1, -0.2, 1, 0, 0, 0};
  s.bodies[0].joint.velocity = {kSpeed, 0, kLift, 3, 1, -2};
  return s;
}

const RegisterCase projectile{{
    .name = "projectile",
    .claim = "The centre of mass of a thrown, tumbling body flies a parabola, whatever the tumbling.",
    .source = "momentum theorem",
    .scene = scene,
    .time_step = kStep,
    .steps = kSteps,
    .expects =
        {equals(position_of("wrench", 0), [](double t) { return kSpeed * t; },
                {.absolute = 1e-11,
                 .covers = Covers::rounding,
                 .why = "no force along x: 150 roundings of 9 m, and of the rotated offset"}),
         equals(position_of("wrench", 1), 0.0,
                {.absolute = 1e-11, .covers = Covers::rounding, .why = "no force and no velocity along y"}),
         equals(position_of("wrench", 2), [](double t) { return kLift * t - kGravity * t * t / 2; },
                {.absolute = 1e-11, .covers = Covers::rounding, .why = "exact under constant acceleration"})
             .at_first_order({.absolute = kGravity * kStep * kDuration / 2 * (1 + 1e-9),
                              .why = "both Euler schemes are off by exactly g h t / 2"})},
}};

}  // namespace
}  // namespace jade::cases
