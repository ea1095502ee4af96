#include <cmath>
#include <limits>

#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/impacts.h"
#include "reference/closed_form/pendulum.h"

namespace jade::cases {
namespace {

using closed_form::BouncingBall;
using reference::Scheme;

constexpr double kNone = std::numeric_limits<double>::infinity();

/// A block of 2 kg on a vertical rail, `height` above the rail's lower stop at 0.4 m.
constexpr double kStop = 0.4;

SceneDescription rail(const BouncingBall& ball) {
  SceneDescription s;
  s.name = "rail";
  s.gravity = Vec3(0, 0, -ball.gravity);
  BodyDescription block;
  block.name = "block";
  block.inertia = {.mass = 2, .com = Vec3::Zero(), .inertia = 0.1 * Mat3::Identity()};
  block.joint = {.kind = JointKind::prismatic,
                 .axis = Vec3::UnitZ(),
                 .position = {kStop + ball.height},
                 .velocity = {ball.velocity},
                 .lower = {kStop},
                 .upper = {kNone},
                 .limit_restitution = ball.restitution};
  s.bodies = {block};
  return s;
}

constexpr double kStep = 0.01;
const BouncingBall kOnce{.height = 1, .velocity = 0.5, .restitution = 0.8, .gravity = kGravity};
constexpr double kOnceEnd = 0.9;
const double kAfter = kOnceEnd - kOnce.first_impact();

const Tolerance kLocated{.absolute = 1e-8,
                         .covers = Covers::model_limit,
                         .why =
                             "our joints meet their limits 1 nm early; at (1 + e) times the speed of 4.5 m/s "
                             "over the speed that is 2 "
                             "nm, and a little more in the time after it"};

const RegisterCase joint_limit_impact{{
    .name = "joint_limit_impact",
    .claim =
        "A block that falls along a rail onto its stop with e = 0.8 leaves it with four fifths of the speed.",
    .source = "free fall and Newton's restitution; closed form in reference/closed_form/impacts.h",
    .scene = [] { return rail(kOnce); },
    .time_step = kStep,
    .steps = 90,
    .expects =
        {equals(
             position_of("block", 2), [](double t) { return kStop + kOnce.at(t).height; }, kLocated)
             .at_first_order(
                 {.absolute = 1.8 * kStep * (kOnce.impact_speed() + kGravity * kAfter),
                  .why = "the impact is known to a step: (1 + e) s h; speeds are wrong by g h/2 before and "
                         "after it: (1 + e) g h τ"}),
         ends_at(
             velocity_of("block", 2), [](double t) { return kOnce.at(t).velocity; }, kLocated)
             .at_first_order(
                 {.absolute = 1.8 * kGravity * kStep, .why = "the speed at the impact is wrong by g h"}),
         stays_above(position_of("block", 2), kStop,
                     {.absolute = 1e-12, .covers = Covers::rounding, .why = "a limit is never passed"})},
}};

const BouncingBall kDead{.height = 0.5, .velocity = 0, .restitution = 0, .gravity = kGravity};

const RegisterCase joint_limit_rest{{
    .name = "joint_limit_rest",
    .claim = "A block that falls along a rail onto a stop that gives nothing back stays there.",
    .source = "free fall, then rest",
    .scene = [] { return rail(kDead); },
    .time_step = kStep,
    .steps = 100,
    .expects = {equals(
                    position_of("block", 2), [](double t) { return kStop + kDead.at(t).height; }, kLocated)
                    .at_first_order({.absolute = kStep * kDead.impact_speed(),
                                     .why = "the impact is known to a step: s h; speeds are wrong by g h/2 "
                                            "before it, which is less"}),
                ends_at(velocity_of("block", 2), 0.0,
                        {.absolute = 1e-9, .covers = Covers::rounding, .why = "at rest since half a second"}),
                stays_above(
                    position_of("block", 2), kStop,
                    {.absolute = 1e-12, .covers = Covers::rounding, .why = "a limit is never passed"})},
}};

// A rod that swings down against an elastic stop and back up, again and again.
constexpr double kLength = 1, kAmplitude = 2, kLimit = -0.5, kSwingStep = 0.005;
constexpr int kSwingSteps = 400;
const closed_form::Pendulum kFree{.rate = std::sqrt(1.5 * kGravity / kLength), .amplitude = kAmplitude};
const double kFastest = 2 * kFree.rate * std::sin(kAmplitude / 2);

/// When the rod reaches its stop, by bisection: it only falls until then.
double time_of_stop() {
  double early = 0, late = kFree.period() / 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = (early + late) / 2;
    (kFree.angle(middle) > kLimit ? early : late) = middle;
  }
  return early;
}
const double kUntilStop = time_of_stop();
const double kHits = kSwingSteps * kSwingStep / (2 * kUntilStop);

/// The way back is the way there in reverse.
double swing(double t) { return kFree.angle(std::abs(std::remainder(t, 2 * kUntilStop))); }

SceneDescription stopped_pendulum() {
  SceneDescription s;
  s.name = "stopped_pendulum";
  s.gravity = Vec3(0, 0, -kGravity);
  BodyDescription rod = hinged_rod({.name = "rod", .mass = 1.2, .length = kLength, .angle = kAmplitude});
  rod.joint.lower = {kLimit};
  rod.joint.upper = {kNone};
  rod.joint.limit_restitution = 1;
  s.bodies = {rod};
  return s;
}

const double kTurn = kFastest * kSwingStep;

const RegisterCase joint_limit_swing{{
    .name = "joint_limit_swing",
    .claim =
        "A rod that swings against an elastic stop comes back to where it was released, again and again.",
    .source = "time reversal of the free swing; closed form in reference/closed_form/pendulum.h",
    .scene = stopped_pendulum,
    .time_step = kSwingStep,
    .steps = kSwingSteps,
    .expects =
        {equals(
             joint_angle("rod"), swing,
             {.absolute = kTurn * kTurn / 12 * kFastest * kSwingSteps * kSwingStep +
                          kHits * (kHits + 1) / 2 * kTurn * kTurn / 4 * kFree.rate * 2 * kUntilStop,
              .why =
                  "the phase error of second order, (ω h)²/12 a radian, and at each hit a velocity that is "
                  "wrong by an eighth of the jerk ω² θ̇ times h², twice for the bounce, which goes on for the "
                  "swings that follow"})
             .not_for(Scheme::semi_implicit_euler,
                      "its swings get lower at every hit; the energy says by how much")
             .not_for(Scheme::explicit_euler,
                      "its swings get higher at every hit; the energy says by how much"),
         conserves(
             total_energy(),
             {.relative = kTurn * kTurn / 4 * (1 + kHits),
              .why =
                  "(ω h)²/4 of the swing's energy bounds the ripple of a second-order scheme; it is at any "
                  "phase of that ripple when it hits"},
             1.2 * kGravity * kLength / 2 * (1 - std::cos(kAmplitude)))
             .at_first_order(
                 {.relative = 2 * kTurn * (1 + kHits),
                  .why = "a ripple of first order, ω h of the swing's energy, at any phase of which it "
                         "hits; explicit Euler gains as much in a swing"}),
         stays_above(joint_angle("rod"), kLimit,
                     {.absolute = 1e-12, .covers = Covers::rounding, .why = "a limit is never passed"})},
}};

}  // namespace
}  // namespace jade::cases
