#include <cmath>

#include "cases/case.h"
#include "cases/scenes.h"
#include "cases/scheme_error.h"

namespace jade::cases {
namespace {

using reference::Scheme;

constexpr double kStep = 0.002, kLength = 0.5, kMass = 1;
constexpr double kUpper = 2.0, kLower = 0.5;  ///< initial angles, the lower against the upper
constexpr int kSteps = 5000;
/// Energy of both rods between standing up and hanging down.
constexpr double kEnergyRange = kMass * kGravity * (kLength + 3 * kLength);
/// Energy at the start above that of hanging down.
const double kEnergy =
    kMass * kGravity * kLength * (1.5 * (1 - std::cos(kUpper)) + 0.5 * (1 - std::cos(kUpper + kLower)));
/// Fastest that the lower rod can turn, with all that energy in it while the upper one moves so as to take least:
/// ½ (M₂₂ − M₁₂²/M₁₁) ω² with M₁₁ = 4/3, M₂₂ = 1/3 and at most M₁₂ = 1/2 of m l² [rad/s].
const double kRate = std::sqrt(2 * kEnergy / ((1.0 / 3 - 3.0 / 16) * kMass * kLength * kLength));
const double kRadians = kRate * kStep * kSteps;

SceneDescription scene() {
  SceneDescription s;
  s.name = "double_pendulum";
  s.gravity = Vec3(0, 0, -kGravity);
  s.bodies = {hinged_rod({.name = "upper", .mass = kMass, .length = kLength, .angle = kUpper}),
              hinged_rod({.name = "lower",
                          .mass = kMass,
                          .length = kLength,
                          .parent = "upper",
                          .parent_length = kLength,
                          .angle = kLower})};
  return s;
}

const RegisterCase double_pendulum{{
    .name = "double_pendulum",
    .claim = "A double pendulum is chaotic, yet its energy stays.",
    .source = "energy theorem",
    .scene = scene,
    .time_step = kStep,
    .steps = kSteps,
    .record_every = 5,
    .expects =
        {conserves(
             total_energy(),
             {.relative = as_random_walk(second_order_error(kRate, kStep), kRadians),
              .why =
                  "a second-order scheme's (ω h)²/4 a radian of the range of energy, adding up as a random "
                  "walk; ω the fastest turn that the energy allows"},
             kEnergyRange)
             .on(Scheme::semi_implicit_euler,
                 {.relative = as_random_walk(first_order_error(kRate, kStep), kRadians),
                  .why = "ω h/2 a radian, as a random walk; in joint coordinates "
                         "the scheme is not symplectic"})
             .not_for(Scheme::explicit_euler,
                      "it pumps energy in without bound; its order is tested instead"),
         equals(
             joint_gap(), 0.0,
             {.absolute = 1e-12, .covers = Covers::solver, .why = "hinges are no springs: rounding only"})},
}};

const RegisterCase double_pendulum_convergence{{
    .name = "double_pendulum_convergence",
    .claim = "The double pendulum's energy error shrinks with the order of the scheme.",
    .source = "energy theorem",
    .scene = scene,
    .time_step = 0.001,
    .steps = 500,
    .record_every = 10,
    .expects = {drift_converges_at_order_of_scheme(
        total_energy(), {.absolute = 0.1, .why = "terms of next order are ω h ≈ 0.01 of the leading one"},
        {.floor = 1e-10})},
}};

}  // namespace
}  // namespace jade::cases
