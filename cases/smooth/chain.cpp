#include <cmath>

#include <fmt/format.h>

#include "cases/case.h"
#include "cases/scenes.h"
#include "cases/scheme_error.h"

namespace jade::cases {
namespace {

using reference::Scheme;

constexpr int kLinks = 20;
constexpr double kStep = 0.0005, kLength = 0.1, kMass = 0.1;
constexpr int kSteps = 4000;
/// Energy between stretched out sideways and hanging down.
constexpr double kEnergyRange = kLinks * kMass * kGravity * kLinks * kLength / 2;

/// Fastest that a link turns: the whip's fold runs with the speed of a fall over the whole length, its end with twice
/// that [rad/s].
const double kFastest = 2 * std::sqrt(2 * kGravity * kLinks * kLength) / kLength;
constexpr const char* kBursts = "explicit Euler pumps energy in until the chain bursts";

/// Stretched out sideways and let go.
SceneDescription scene() {
  SceneDescription s;
  s.name = "chain";
  s.gravity = Vec3(0, 0, -kGravity);
  for (int i = 0; i < kLinks; ++i) {
    Rod rod{.name = fmt::format("link{}", i + 1),
            .mass = kMass,
            .length = kLength,
            .angle = i == 0 ? std::acos(0.0) : 0.0};
    if (i > 0) {
      rod.parent = fmt::format("link{}", i);
      rod.parent_length = kLength;
    }
    s.bodies.push_back(hinged_rod(rod));
  }
  return s;
}

const RegisterCase chain{{
    .name = "chain",
    .claim = "A chain of twenty links swings down, whips, and keeps its energy and its links together.",
    .source = "energy theorem",
    .scene = scene,
    .time_step = kStep,
    .steps = kSteps,
    .record_every = 20,
    .expects = {conserves(
                    total_energy(),
                    {.relative = as_random_walk(second_order_error(kFastest, kStep), kFastest* kStep* kSteps),
                     .why = "a second-order scheme's (ω h)²/4 a radian of the range of energy, adding up as "
                            "a random walk; ω where the end whips"},
                    kEnergyRange)
                    .not_for(Scheme::semi_implicit_euler,
                             "in joint coordinates it is not symplectic: with ω h a sixteenth its bound on "
                             "the energy is half of all there is; its order is tested on the double pendulum")
                    .not_for(Scheme::explicit_euler, kBursts),
                equals(joint_gap(), 0.0,
                       {.absolute = 1e-11,
                        .covers = Covers::solver,
                        .why = "hinges are no springs: rounding of 20 links"})
                    .not_for(Scheme::explicit_euler, kBursts)},
}};

}  // namespace
}  // namespace jade::cases
