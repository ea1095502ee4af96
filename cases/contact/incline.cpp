#include <cmath>

#include <fmt/format.h>

#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/thresholds.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.01, kFriction = 0.5;
constexpr int kSteps = 100;

Quat slope(double angle) { return Quat(Eigen::AngleAxisd(angle, Vec3::UnitY())); }

/// A block let go on a plane that falls towards +x. Its sides: along the slope, across, and up from it.
SceneDescription scene(double angle, const Vec3& size) {
  SceneDescription s = contact_scene("incline", kGravity, kFriction, 0);
  const Quat R = slope(angle);
  BodyDescription block = free_solid("block", Box{size}, R * Vec3(0, 0, size.z() / 2 + kStandoff));
  block.joint.position = {
      block.joint.position[0], block.joint.position[1], block.joint.position[2], R.w(), R.x(), R.y(), R.z()};
  s.bodies = {fixed_solid("plane", HalfSpace{}, {.orientation = R}), block};
  return s;
}

/// Way down the slope since the start.
Quantity way_down(double angle, double height) {
  return {"way down the slope", "m", [=](const Mechanism& m, const reference::Frame& f) {
            const Vec3 moved =
                m.centre_of_mass(f, m.body("block")) - slope(angle) * Vec3(0, 0, height / 2 + kStandoff);
            return VecX::Constant(1, (slope(angle) * Vec3::UnitX()).dot(moved));
          }};
}

/// Flat enough not to tip.
Case sticks_or_slips(const std::string& name, double tangent) {
  const Vec3 size(0.3, 0.3, 0.1);
  const double angle = std::atan(tangent);
  const closed_form::Incline incline{angle, kFriction, kGravity};
  const double end = kSteps * kStep;
  return {
      .name = "incline_" + name,
      .claim = fmt::format("On a slope of tan θ = {} with μ = 0.5 a block {}.", tangent,
                           incline.sticks() ? "stays" : "slides with g (sin θ − μ cos θ)"),
      .source = "Coulomb friction",
      .scene = [=] { return scene(angle, size); },
      .time_step = kStep,
      .steps = kSteps,
      .expects = {equals(way_down(angle, size.z()),
                         [=](double t) { return incline.acceleration() * t * t / 2; },
                         {.absolute = 1e-9,
                          .covers = Covers::rounding,
                          .why = "constant force: exact up to rounding of the slope's normal, 1e-16 g t²"})
                      .at_first_order(
                          {.absolute = incline.acceleration() * kStep * end / 2 + kStandoff,
                           .why = "Euler's rules use the speed of one end of each step: ½ a h t; an engine "
                                  "without a gap falls by the standoff first"}),
                  equals(orientation_error("block", [=](double) { return slope(angle).toRotationMatrix(); }),
                         0.0, {.absolute = 1e-8, .covers = Covers::rounding, .why = "it does not turn"}),
                  never_intersects()},
      // Friction on the other side of the threshold, or off by a twentieth.
      .wrong = [=](SceneDescription& s) { s.pairs[0].friction *= incline.sticks() ? 0.95 : 1.05; },
  };
}

const RegisterCase sticks{sticks_or_slips("sticks", 0.499)}, slips{sticks_or_slips("slips", 0.501)},
    steep{sticks_or_slips("steep", 1)};

constexpr double kWidth = 0.1, kHeight = 0.3;

/// Turned towards the valley since the start [rad].
Quantity turned(double angle) {
  return {"turned", "rad", [=](const Mechanism& m, const reference::Frame& f) {
            const Mat3 R = (slope(angle).conjugate() * f.bodies[m.body("block")].orientation.normalized())
                               .toRotationMatrix();
            return VecX::Constant(1, std::atan2(R(0, 2), R(2, 2)));
          }};
}

const double kStands = std::atan(0.99 * kWidth / kHeight), kTips = std::atan(1.05 * kWidth / kHeight);

const RegisterCase stands{{
    .name = "incline_stands",
    .claim = "A tall block stands while its weight passes inside its lower edge.",
    .source = "tan θ ≤ w/h",
    .scene = [] { return scene(kStands, Vec3(kWidth, kWidth, kHeight)); },
    .time_step = kStep,
    .steps = kSteps,
    .expects = {equals(turned(kStands), 0.0,
                       {.absolute = 1e-8, .covers = Covers::rounding, .why = "it does not turn"}),
                equals(way_down(kStands, kHeight), 0.0,
                       {.absolute = 1e-9, .covers = Covers::rounding, .why = "nor does it slide"})
                    .at_first_order({.absolute = kStandoff,
                                     .covers = Covers::model_limit,
                                     .why = "an engine without a gap falls by the standoff first"}),
                never_intersects()},
    .wrong = [](SceneDescription& s) { s = scene(kTips, Vec3(kWidth, kWidth, kHeight)); },
}};

/// Half the diagonal, and √(m g r/I) with I = m (w² + h²)/3 = 4/3 m r² about the edge.
const double kRadius = std::hypot(kWidth, kHeight) / 2, kRate = std::sqrt(0.75 * kGravity / kRadius);

/// About its lower edge a block is a pendulum upside down: φ̈ = k² sin(φ + φ₀), with φ₀ how far the weight is outside
/// the edge at the start. Solved by Nyström's fourth-order rule in steps of 0.1 ms, whose error is below 1e-12.
double tipped(double t) {
  const double start = kTips - std::atan(kWidth / kHeight);
  const auto pull = [&](double phi) { return kRate * kRate * std::sin(start + phi); };
  double phi = 0, w = 0;
  const int n = static_cast<int>(std::ceil(t / 1e-4));
  const double h = n > 0 ? t / n : 0;
  for (int i = 0; i < n; ++i) {
    const double k1 = pull(phi), k2 = pull(phi + h / 2 * w + h * h / 8 * k1),
                 k3 = pull(phi + h * w + h * h / 2 * k2);
    phi += h * w + h * h / 6 * (k1 + 2 * k2);
    w += h / 6 * (k1 + 4 * k2 + k3);
  }
  return phi;
}

constexpr double kTipTime = 0.5;

const RegisterCase tips{{
    .name = "incline_tips",
    .claim = "A tall block turns over its lower edge when its weight passes outside of it.",
    .source =
        "tan θ > w/h, then a pendulum about the edge, integrated by a fourth-order rule with steps of 0.1 ms",
    .scene = [] { return scene(kTips, Vec3(kWidth, kWidth, kHeight)); },
    .time_step = kStep,
    .steps = static_cast<int>(kTipTime / kStep),
    .expects = {equals(turned(kTips), tipped,
                       {.relative = kRate * kRate * kStep * kStep / 12 * kRate * kTipTime,
                        .why = "the midpoint rule grows with the rate k wrong by (k h)²/12: k t times that"})
                    .at_first_order({.relative = kRate * kStep / 2 * kRate * kTipTime,
                                     .why = "Euler's rules grow with a rate wrong by k h/2: k t times that"}),
                never_intersects()},
}};

}  // namespace
}  // namespace jade::cases
