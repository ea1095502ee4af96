#include <cmath>

#include "cases/case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

using reference::Scheme;

constexpr double kMass = 1.5, kStiffness = 60, kStart = 0.3, kStep = 0.005;
constexpr int kSteps = 1000;
const double kRate = std::sqrt(kStiffness / kMass);
const double kSag = -kMass * kGravity / kStiffness;
const double kAmplitude = kStart - kSag;
const double kAngle = kRate * kStep;             ///< ω h, phase in one step
const double kRadians = kRate * kStep * kSteps;  ///< phase in the whole run
const double kEnergy = kStiffness * kAmplitude * kAmplitude / 2;

SceneDescription scene() {
  SceneDescription s;
  s.name = "spring_mass";
  s.gravity = Vec3(0, 0, -kGravity);
  BodyDescription mass = free_body("mass", kMass, Vec3(0.1, 0.1, 0.1));
  mass.joint.kind = JointKind::prismatic;
  mass.joint.axis = Vec3::UnitZ();
  mass.joint.position = {kStart};
  mass.joint.stiffness = {kStiffness};
  s.bodies = {mass};
  return s;
}

double exact(double t) { return kSag + kAmplitude * std::cos(kRate * t); }

const RegisterCase spring_mass{{
    .name = "spring_mass",
    .claim = "A mass on a spring swings about its sag with the rate √(k/m).",
    .source = "harmonic oscillator; errors of the schemes by their own closed forms, see each tolerance",
    .scene = scene,
    .time_step = kStep,
    .steps = kSteps,
    .record_every = 2,
    .expects = {equals(position_of("mass", 2), exact,
                       {.absolute = 1.05 * kAmplitude * kAngle * kAngle / 12 * kRadians,
                        .why = "the midpoint rule turns by 2 atan(ω h/2) a step: late by (ω h)²/12 a radian, "
                               "5 % for higher terms"})
                    .on(Scheme::semi_implicit_euler,
                        {.absolute = 1.05 * kAmplitude * (kAngle / 2 + kAngle * kAngle / 24 * kRadians),
                         .why = "velocities are half a step late (ω h/2), and each step turns by 2 asin(ω "
                                "h/2): (ω h)²/24 a radian"})
                    .not_for(Scheme::explicit_euler,
                             "its amplitude grows by √(1 + ω²h²) a step; its order is tested instead"),
                conserves(total_energy(),
                          {.relative = 1e-12,
                           .covers = Covers::rounding,
                           .why = "the midpoint rule keeps quadratic invariants exactly"},
                          kEnergy)
                    .on(Scheme::semi_implicit_euler,
                        {.relative = 1.05 * kAngle / 2,
                         .why = "it keeps p²/2m + k x²/2 − (h/2m) k x p instead: a ripple of ω h/2"})
                    .not_for(Scheme::explicit_euler, "it pumps energy in without bound")},
}};

const RegisterCase spring_mass_convergence{{
    .name = "spring_mass_convergence",
    .claim = "Halving the step halves a first-order scheme's error in the oscillation and quarters a "
             "second-order one's.",
    .source = "harmonic oscillator",
    .scene = scene,
    .time_step = 0.002,
    .steps = 500,
    .record_every = 10,
    .expects = {converges_at_order_of_scheme(
        position_of("mass", 2), exact,
        {.absolute = 0.1, .why = "terms of next order are ω h ≈ 0.01 of the leading one"}, {.floor = 1e-12})},
}};

}  // namespace
}  // namespace jade::cases
