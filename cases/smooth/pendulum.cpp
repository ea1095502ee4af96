#include "reference/closed_form/pendulum.h"

#include <cmath>

#include "cases/case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

using reference::Scheme;

constexpr double kLength = 1, kMass = 1.2, kAmplitude = 2.5, kStep = 0.005;

/// ω² = m g (l/2) / (m l²/3) for a thin rod about its end.
const closed_form::Pendulum kExact{.rate = std::sqrt(1.5 * kGravity / kLength), .amplitude = kAmplitude};
/// Fastest the rod turns [rad/s].
const double kFastest = 2 * kExact.rate * std::sin(kAmplitude / 2);
const double kEnergySwing = kMass * kGravity * kLength / 2 * (1 - std::cos(kAmplitude));

SceneDescription scene() {
  SceneDescription s;
  s.name = "pendulum";
  s.gravity = Vec3(0, 0, -kGravity);
  s.bodies = {hinged_rod({.name = "rod", .mass = kMass, .length = kLength, .angle = kAmplitude})};
  return s;
}

double square(double x) { return x * x; }

const RegisterCase pendulum{{
    .name = "pendulum",
    .claim = "A rod released at 2.5 rad swings with the period of the elliptic integral, not that of small "
             "swings.",
    .source = "closed form in reference/closed_form/pendulum.h",
    .scene = scene,
    .time_step = kStep,
    .steps = 1600,
    .expects =
        {period_equals(joint_angle("rod"), kExact.period(),
                       {.relative = square(kFastest * kStep) / 12,
                        .why = "the phase error of second-order schemes is at most (ω h)²/12 a radian, ω the "
                               "fastest rate"})
             .on(Scheme::semi_implicit_euler, {.relative = square(kFastest * kStep) / 6,
                                               .why = "its energy error is of first order but swings, so the "
                                                      "period is nearly of second order; twice the bound"})
             .not_for(Scheme::explicit_euler,
                      "it pumps energy in and leaves the swing; its order is tested instead"),
         equals(joint_angle("rod"), [](double t) { return kExact.angle(t); },
                {.absolute = square(kFastest * kStep) / 12 * kFastest * 8,
                 .why = "that phase error over 8 s at the fastest rate"})
             .on(Scheme::semi_implicit_euler,
                 {.absolute = kFastest * kStep + square(kFastest * kStep) / 6 * kFastest * 8,
                  .why = "half a step's motion to either side, and the phase error"})
             .not_for(Scheme::explicit_euler,
                      "it pumps energy in and leaves the swing; its order is tested instead"),
         conserves(
             total_energy(),
             {.relative = square(kFastest * kStep) / 4,
              .why = "no drift: (ω h)²/4 of the swing's energy bounds the ripple of a second-order scheme"},
             kEnergySwing)
             .on(Scheme::semi_implicit_euler,
                 {.relative = kFastest * kStep,
                  .why = "no drift, but a ripple of first order: ω h of the swing's energy"})
             .not_for(Scheme::explicit_euler, "it pumps energy in without bound"),
         equals(joint_gap(), 0.0,
                {.absolute = 1e-12, .covers = Covers::solver, .why = "a hinge is no spring: rounding only"})},
}};

/// The same swing for one second, where even explicit Euler has not gone astray.
const RegisterCase pendulum_convergence{{
    .name = "pendulum_convergence",
    .claim = "Halving the step halves a first-order scheme's error in the pendulum's angle and quarters a "
             "second-order one's.",
    .source = "closed form in reference/closed_form/pendulum.h",
    .scene = scene,
    .time_step = 0.002,
    .steps = 500,
    .record_every = 10,
    .expects = {converges_at_order_of_scheme(
        joint_angle("rod"), [](double t) { return kExact.angle(t); },
        {.absolute = 0.1,
         .why = "terms of next order are ω h ≈ 0.015 of the leading one; 0.1 tells 1 from 2"},
        {.floor = 1e-11})},
}};

}  // namespace
}  // namespace jade::cases
