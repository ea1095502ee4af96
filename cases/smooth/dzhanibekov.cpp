#include <cmath>

#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/free_rotation.h"

namespace jade::cases {
namespace {

using reference::Scheme;

constexpr double kStep = 0.002;
constexpr double kMiddle = 5, kMajor = 0.05;
const closed_form::MiddleAxisFlip kExact{.inertia = Vec3(0.1, 0.2, 0.3), .middle = kMiddle, .major = kMajor};
const int kSteps = static_cast<int>(2.2 * kExact.flip_time() / kStep);
const double kDuration = kSteps * kStep;
/// Rate at which a disturbance of the spin about the middle axis grows: λ = ω₂ √((I₂−I₁)(I₃−I₂)/(I₁I₃)) [1/s].
const double kGrowth = kMiddle * std::sqrt(0.1 * 0.1 / (0.1 * 0.3));
/// Swiftest change of the angular velocity, in the middle of a flip: about ω₂ λ [rad/s²].
const double kSwiftest = kMiddle * kGrowth;

SceneDescription scene() {
  SceneDescription s;
  s.name = "dzhanibekov";
  s.gravity = Vec3::Zero();
  s.bodies = {free_body("nut", 1, kExact.inertia)};
  s.bodies[0].joint.velocity = {0, 0, 0, 0, kMiddle, kMajor};
  return s;
}

double square(double x) { return x * x; }

const RegisterCase dzhanibekov{{
    .name = "dzhanibekov",
    .claim =
        "A body spun about its middle axis flips over and back, at the times that elliptic functions tell, "
        "while its energy and angular momentum stay.",
    .source = "closed form in reference/closed_form/free_rotation.h (Landau and Lifshitz, Mechanics, §37)",
    .scene = scene,
    .time_step = kStep,
    .steps = kSteps,
    .record_every = 5,
    .expects =
        {equals(
             body_angular_velocity("nut"), [](double t) { return kExact.body_angular_velocity(t); },
             {.absolute = kSwiftest * kDuration * square(kMiddle * kStep) / 6,
              .why =
                  "late by (ω h)²/6 of the time run, twice what an oscillation is, at the swiftest change"})
             .on(Scheme::semi_implicit_euler, {.absolute = kSwiftest * kDuration * kGrowth * kStep / 2,
                                               .why = "the disturbance grows with λ(1 ± λ h/2): late by λ "
                                                      "h/2 of the time, at the swiftest change"})
             .not_for(Scheme::explicit_euler, "it loses energy so fast that later flips come at other times"),
         conserves(angular_momentum(),
                   {.relative = square(kMiddle * kStep), .why = "(ω h)² for a second-order scheme"})
             .at_first_order(
                 {.relative = kMiddle * kStep / 2 * kMiddle * kDuration, .why = "ω h/2 a radian"}),
         conserves(kinetic_energy(),
                   {.relative = square(kMiddle * kStep), .why = "(ω h)² for a second-order scheme"})
             .at_first_order(
                 {.relative = kMiddle * kStep / 2 * kMiddle * kDuration, .why = "ω h/2 a radian"})},
}};

}  // namespace
}  // namespace jade::cases
