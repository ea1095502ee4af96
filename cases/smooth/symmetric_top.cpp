#include <cmath>

#include "cases/case.h"
#include "cases/scenes.h"
#include "cases/scheme_error.h"
#include "jade/math/rotation.h"
#include "reference/closed_form/free_rotation.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.002;
constexpr int kSteps = 1000;
constexpr double kDuration = kStep * kSteps;

/// An oblate body, tilted, spinning fast about its axis and slowly across it.
const closed_form::SymmetricTop kExact{.transverse = 0.2,
                                       .axial = 0.35,
                                       .R0 = rotation_exp(Vec3(0.4, -0.2, 0.1)),
                                       .angular_velocity = Vec3(2, 0, 9)};
const double kRate = kExact.precession_rate();
/// Sine of the angle between angular momentum and axis. A top that spins about its axis is exact in any scheme.
const double kTilt = kExact.angular_velocity.x() / kRate;

SceneDescription scene() {
  SceneDescription s;
  s.name = "symmetric_top";
  s.gravity = Vec3::Zero();
  s.bodies = {free_body("top", 1, Vec3(kExact.transverse, kExact.transverse, kExact.axial))};
  const Quat q(kExact.R0);
  const Vec3 w = kExact.angular_velocity_at(0);
  s.bodies[0].joint.position = {0, 0, 0, q.w(), q.x(), q.y(), q.z()};
  s.bodies[0].joint.velocity = {0, 0, 0, w.x(), w.y(), w.z()};
  return s;
}

const RegisterCase symmetric_top{{
    .name = "symmetric_top",
    .claim =
        "A symmetric top without torque spins about its axis while the axis circles the angular momentum.",
    .source = "closed form in reference/closed_form/free_rotation.h (Landau and Lifshitz, Mechanics, §33)",
    .scene = scene,
    .time_step = kStep,
    .steps = kSteps,
    .record_every = 5,
    .expects =
        {equals(orientation_error("top", [](double t) { return kExact.orientation(t); }), 0.0,
                {.absolute = kTilt * steadily(second_order_error(kRate, kStep), kRate* kDuration),
                 .why = "a second-order scheme's phase error of (ω h)²/4 a radian, ω the rate of "
                        "precession, times the tilt"})
             .at_first_order({.absolute = kTilt * steadily(first_order_error(kRate, kStep), kRate* kDuration),
                              .why = "a first-order scheme's phase error of ω h/2 a radian, times the tilt"}),
         conserves(angular_momentum(), {.relative = kTilt * to_and_fro(second_order_error(kRate, kStep)),
                                        .why = "a second-order scheme's (ω h)²/4 a radian, to and fro with "
                                               "the precession, times the tilt"})
             .at_first_order({.relative = kTilt * steadily(first_order_error(kRate, kStep), kRate* kDuration),
                              .why = "ω h/2 a radian, times the tilt"}),
         conserves(kinetic_energy(), {.relative = kTilt * to_and_fro(second_order_error(kRate, kStep)),
                                      .why = "a second-order scheme's (ω h)²/4 a radian, to and fro with the "
                                             "precession, times the tilt"})
             .at_first_order({.relative = kTilt * steadily(first_order_error(kRate, kStep), kRate* kDuration),
                              .why = "ω h/2 a radian, times the tilt"})},
}};

const RegisterCase symmetric_top_convergence{{
    .name = "symmetric_top_convergence",
    .claim = "The top's orientation error shrinks with the order of the scheme.",
    .source = "closed form in reference/closed_form/free_rotation.h",
    .scene = scene,
    .time_step = 0.002,
    .steps = 250,
    .record_every = 10,
    .expects = {converges_at_order_of_scheme(
        orientation_error("top", [](double t) { return kExact.orientation(t); }), 0.0,
        {.absolute = 0.1, .why = "terms of next order are ω h ≈ 0.03 of the leading one"}, {.floor = 1e-12})},
}};

}  // namespace
}  // namespace jade::cases
