#include <cmath>

#include <fmt/format.h>

#include "cases/case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

using reference::Scheme;

constexpr int kLinks = 20;
constexpr double kStep = 0.001, kLength = 0.1, kMass = 0.1;
/// Energy between stretched out sideways and hanging down.
constexpr double kEnergyRange = kLinks * kMass * kGravity * kLinks * kLength / 2;

/// Fastest that a link turns, when the end of the chain whips for the first time [rad/s].
constexpr double kFastest = 110;
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
    .steps = 1500,
    .record_every = 10,
    .expects = {conserves(total_energy(),
                          {.relative = kFastest * kFastest * kStep * kStep,
                           .why = "(ω h)² of the range of energy, ω = 110 rad/s where the end whips"},
                          kEnergyRange)
                    .on(Scheme::semi_implicit_euler,
                        {.relative = kFastest * kStep, .why = "ω h of the range of energy, ω = 110 rad/s"})
                    .not_for(Scheme::explicit_euler, kBursts),
                equals(joint_gap(), 0.0,
                       {.absolute = 1e-11,
                        .covers = Covers::solver,
                        .why = "hinges are no springs: rounding of 20 links"})
                    .not_for(Scheme::explicit_euler, kBursts)},
}};

}  // namespace
}  // namespace jade::cases
