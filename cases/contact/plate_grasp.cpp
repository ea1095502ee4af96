#include <cmath>

#include <fmt/format.h>

#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/thresholds.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.01, kHeight = 1;
constexpr closed_form::Grip kGrip{.mass = 0.1, .friction = 0.8, .gravity = 8};

/// The palm's upward velocity: still, faster, steady, slower, still. All corners fall on steps.
const Signal kLift{.interpolation = Signal::Interpolation::linear,
                   .times = {0, 0.1, 0.2, 0.5, 0.6},
                   .values = {0, 0, 0.2, 0.2, 0}};
constexpr double kLiftAcceleration = 2, kLiftSpeed = 0.2;

/// Its integral.
double lifted(double t) {
  double height = 0;
  for (std::size_t i = 1; i < kLift.times.size(); ++i) {
    const double from = kLift.times[i - 1], to = std::min(t, kLift.times[i]);
    if (to <= from) break;
    const double slope = (kLift.values[i] - kLift.values[i - 1]) / (kLift.times[i] - from);
    height += (to - from) * (kLift.values[i - 1] + slope * (to - from) / 2);
  }
  return height;
}

SceneDescription scene(double thickness, double force, bool lifts) {
  return gripped_plate({.mass = kGrip.mass,
                        .friction = kGrip.friction,
                        .gravity = kGrip.gravity,
                        .thickness = thickness,
                        .force = force,
                        .height = kHeight,
                        .lift = lifts ? std::vector<Signal>{kLift} : std::vector<Signal>{}});
}

const Tolerance kHeld{
    .absolute = 1e-9,
    .covers = Covers::rounding,
    .why = "constant forces on each side of the corners of the motion, which fall on steps"};
const Tolerance kUpright{.absolute = 1e-7,
                         .covers = Covers::rounding,
                         .why = "the fingers' faces keep it from turning, over a width of 0.04 m"};
const auto kStraight = [](double) { return Mat3::Identity(); };

Case lift(double thickness, double force) {
  return {
      .name = fmt::format("plate_lift_{}mm_{}N", 1000 * thickness, force),
      .claim = fmt::format("Two fingers that press with {} N lift a plate of {} m without slip.", force,
                           thickness),
      .source = "2 μ N ≥ m (g + a): 0.625 N are enough",
      .scene = [=] { return scene(thickness, force, true); },
      .time_step = kStep,
      .steps = 80,
      .expects = {equals(
                      position_of("plate", 2), [](double t) { return kHeight + lifted(t); }, kHeld)
                      .at_first_order(
                          {.absolute = kLiftSpeed * kStep,
                           .why = "Euler's rules use the speed of one end of each step: v h/2 on the way up "
                                  "to speed, and less than that for the standoff"}),
                  equals(orientation_error("plate", kStraight), 0.0, kUpright), never_intersects()},
      // With the force of the threshold less a twentieth the plate stays behind.
      .wrong =
          [](SceneDescription& s) {
            s.pairs[0].friction = 0.95 * kGrip.friction * kGrip.least_force(kLiftAcceleration) /
                                  std::abs(s.bodies[1].joint.effort[0].values[0]);
          },
  };
}

Case hold(const std::string& name, double force) {
  const double fall = kGrip.holds(force, 0) ? 0 : kGrip.gravity - 2 * kGrip.friction * force / kGrip.mass;
  constexpr int kSteps = 50;
  return {
      .name = "plate_grip_" + name,
      .claim = fmt::format("Of the 0.5 N that hold a plate {} N {}.", force,
                           fall > 0 ? "are too little: it slips down with g − 2 μ N/m" : "are enough"),
      .source = "2 μ N ≥ m g",
      .scene = [=] { return scene(0.02, force, false); },
      .time_step = kStep,
      .steps = kSteps,
      .expects = {equals(
                      position_of("plate", 2), [=](double t) { return kHeight - fall * t * t / 2; }, kHeld)
                      .at_first_order(
                          {.absolute = fall * kStep * kStep * kSteps / 2 + kGrip.gravity * kStep * kStep,
                           .why = "½ a h t; an engine without a gap closes its fingers first, and the plate "
                                  "falls freely for a step"}),
                  equals(orientation_error("plate", kStraight), 0.0, kUpright), never_intersects()},
      .wrong = [=](SceneDescription& s) { s.pairs[0].friction *= fall > 0 ? 1.05 : 0.95; },
  };
}

const RegisterCase thick_gentle{lift(0.02, 1)}, thick_firm{lift(0.02, 10)}, thin_gentle{lift(0.002, 1)},
    thin_firm{lift(0.002, 10)}, slips{hold("slips", 0.49)}, holds{hold("holds", 0.51)};

}  // namespace
}  // namespace jade::cases
