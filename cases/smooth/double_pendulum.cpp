#include "cases/case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

using reference::Scheme;

constexpr double kStep = 0.002, kLength = 0.5, kMass = 1;
/// Energy of both rods between standing up and hanging down.
constexpr double kEnergyRange = kMass * kGravity * (kLength + 3 * kLength);
/// Fastest that a rod turns in this run [rad/s].
constexpr double kRate = 25;

SceneDescription scene() {
  SceneDescription s;
  s.name = "double_pendulum";
  s.gravity = Vec3(0, 0, -kGravity);
  s.bodies = {hinged_rod({.name = "upper", .mass = kMass, .length = kLength, .angle = 2.0}),
              hinged_rod({.name = "lower",
                          .mass = kMass,
                          .length = kLength,
                          .parent = "upper",
                          .parent_length = kLength,
                          .angle = 0.5})};
  return s;
}

double square(double x) { return x * x; }

const RegisterCase double_pendulum{{
    .name = "double_pendulum",
    .claim = "A double pendulum is chaotic, yet its energy stays.",
    .source = "energy theorem",
    .scene = scene,
    .time_step = kStep,
    .steps = 1500,
    .record_every = 5,
    .expects =
        {conserves(
             total_energy(),
             {.relative = square(kRate * kStep),
              .why =
                  "(ω h)² of the range of energy for a second-order scheme, ω = 25 rad/s the fastest turn"},
             kEnergyRange)
             .on(Scheme::semi_implicit_euler, {.relative = kRate * kStep,
                                               .why = "ω h of the range of energy; in joint coordinates the "
                                                      "scheme is not symplectic, longer runs wander"})
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
