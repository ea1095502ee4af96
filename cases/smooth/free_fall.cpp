#include "cases/case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

constexpr double kHeight = 10, kStep = 0.01;
constexpr int kSteps = 100;

SceneDescription scene() {
  SceneDescription s;
  s.name = "free_fall";
  s.gravity = Vec3(0, 0, -kGravity);
  s.bodies = {free_body("ball", 2, Vec3(0.1, 0.1, 0.1))};
  s.bodies[0].joint.position = {0, 0, kHeight, 1, 0, 0, 0};
  return s;
}

const RegisterCase free_fall{{
    .name = "free_fall",
    .claim = "A dropped ball falls by g t²/2 and reaches the speed g t.",
    .source = "Galileo; elementary",
    .scene = scene,
    .time_step = kStep,
    .steps = kSteps,
    .expects =
        {equals(position_of("ball", 2), [](double t) { return kHeight - kGravity * t * t / 2; },
                {.absolute = 1e-12,
                 .covers = Covers::rounding,
                 .why = "a second-order scheme is exact under constant acceleration; 100 roundings of 10 m"})
             .at_first_order({.absolute = kGravity * kStep * kStep * kSteps / 2 * (1 + 1e-10),
                              .why = "both Euler schemes are off by exactly g h t / 2"}),
         equals(velocity_of("ball", 2), [](double t) { return -kGravity * t; },
                {.absolute = 1e-12,
                 .covers = Covers::rounding,
                 .why = "every scheme sums a constant acceleration exactly"}),
         conserves(total_energy(),
                   {.relative = 1e-13, .covers = Covers::rounding, .why = "exact fall; rounding of 200 J"})
             .at_first_order({.absolute = 2 * kGravity * kGravity * kStep * kStep * kSteps / 2 * (1 + 1e-10),
                              .why = "m g times the error of the height, g h t / 2"})},
}};

}  // namespace
}  // namespace jade::cases
