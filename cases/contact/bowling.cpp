#include <cmath>

#include <fmt/format.h>

#include "cases/case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.01, kSpeed = 10, kBall = 0.11, kPinHeight = 0.38, kPinRadius = 0.06,
                 kSpacing = 0.305;
constexpr int kSteps = 60, kRows = 4;

/// Ten pins in a triangle, prisms of eight sides, and a ball that comes at 10 m/s: 0.1 m a step, wider than a pin is
/// thick.
SceneDescription scene() {
  SceneDescription s = contact_scene("bowling", kGravity, 0.2, 0.3);
  s.bodies = {fixed_solid("lane", HalfSpace{}),
              free_solid("ball", Sphere{kBall}, Vec3(-0.5, 0.01, kBall + kStandoff), Vec3(kSpeed, 0, 0))};
  int pin = 0;
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i <= row; ++i) {
      const Vec3 at(0.5 * std::sqrt(3.0) * kSpacing * row, (i - 0.5 * row) * kSpacing,
                    kPinHeight / 2 + kStandoff);
      s.bodies.push_back(free_solid(fmt::format("pin{}", ++pin), prism(8, kPinRadius, kPinHeight, 0.2), at));
    }
  }
  return s;
}

/// What everything weighs, times g² h²/2 a step.
const double kFlightError = [] {
  double mass = 0;
  for (const reference::BodyMass& m : reference::body_masses(scene())) mass += m.mass;
  return mass * kGravity * kGravity * kStep * kStep / 2 * kSteps;
}();

const RegisterCase bowling{{
    .name = "bowling",
    .claim = "A ball at 10 m/s goes through ten pins: nothing passes through anything, and no energy comes "
             "from nowhere.",
    .source = "solid bodies and the energy theorem: impacts with e ≤ 1 and friction only take",
    .scene = scene,
    .time_step = kStep,
    .steps = kSteps,
    .expects =
        {never_increases(
             total_energy(),
             {.relative = 1e-3,
              .why = "turning pins are followed to second order: (ω h)²/12 of their energy of turning, "
                     "at most 50 rad/s and a twentieth of the whole"})
             .on(reference::Scheme::explicit_euler,
                 {.absolute = kFlightError,
                  .relative = 0.025,
                  .why = "it gains m g² h²/2 a step in flight, and ω h/2 of the energy of turning"})
             .on(reference::Scheme::semi_implicit_euler,
                 {.absolute = kFlightError,
                  .relative = 0.025,
                  .why =
                      "energies ripple by m g² h²/2 a step in flight and by ω h/2 of the energy of turning"}),
         never_intersects()},
    .wrong =
        [](SceneDescription& s) {
          s.never_collide = {{"ball", "lane"}};
        },
}};

}  // namespace
}  // namespace jade::cases
