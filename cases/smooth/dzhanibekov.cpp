#include <cmath>

#include "cases/case.h"
#include "cases/scenes.h"
#include "cases/scheme_error.h"
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
        {equals(body_angular_velocity("nut"), [](double t) { return kExact.body_angular_velocity(t); },
                {.absolute = kSwiftest * kDuration * second_order_error(kMiddle, kStep),
                 .why = "a second-order scheme is late by (ω h)²/4 of the time run, at the swiftest change"})
             .on(Scheme::semi_implicit_euler,
                 {.absolute = kSwiftest * kDuration * first_order_error(kGrowth, kStep),
                  .why = "the disturbance grows with λ(1 ± λ h/2): late by λ "
                         "h/2 of the time, at the swiftest change"})
             .not_for(Scheme::explicit_euler, "it loses energy so fast that later flips come at other times"),
         conserves(angular_momentum(),
                   {.relative = to_and_fro(second_order_error(kMiddle, kStep)),
                    .why = "a second-order scheme's (ω h)²/4 a radian, to and fro with the flips"})
             .at_first_order({.relative = steadily(first_order_error(kMiddle, kStep), kMiddle* kDuration),
                              .why = "ω h/2 a radian"}),
         conserves(kinetic_energy(),
                   {.relative = to_and_fro(second_order_error(kMiddle, kStep)),
                    .why = "a second-order scheme's (ω h)²/4 a radian, to and fro with the flips"})
             .at_first_order({.relative = steadily(first_order_error(kMiddle, kStep), kMiddle* kDuration),
                              .why = "ω h/2 a radian"})},
}};

}  // namespace
}  // namespace jade::cases
