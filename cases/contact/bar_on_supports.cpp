#include <cmath>
#include <numbers>

#include "cases/case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.01, kRestitution = 0.5, kBall = 0.05, kSpeed = 5;
constexpr double kSupport = 0.4, kSupportWidth = 0.04;  ///< distance of their middles from the centre
const Vec3 kBar(1, 0.1, 0.05);

const double kBarMass = 1000 * kBar.prod();
const double kBarInertia = kBarMass * (kBar.x() * kBar.x() + kBar.z() * kBar.z()) / 12;
const double kBallMass = 1000 * 4.0 / 3 * std::numbers::pi * std::pow(kBall, 3);

/// The bar lies with its lower side at z = 0 on two blocks; the ball starts `way` below it at x = `offset`.
SceneDescription scene(double gravity, double way, double offset) {
  SceneDescription s = contact_scene("bar_on_supports", gravity, 0, kRestitution);
  const Box block{Vec3(kSupportWidth, 0.1, 0.2)};
  s.bodies = {
      fixed_solid("left", block, {.position = Vec3(-kSupport, 0, -0.1 - kStandoff)}),
      fixed_solid("right", block, {.position = Vec3(kSupport, 0, -0.1 - kStandoff)}),
      free_solid("bar", Box{kBar}, Vec3(0, 0, kBar.z() / 2)),
      free_solid("ball", Sphere{kBall}, Vec3(offset, 0, -kBall - kStandoff - way), Vec3(0, 0, kSpeed))};
  return s;
}

const Tolerance kLossless{
    .relative = 1e-10, .covers = Covers::rounding, .why = "impacts with e ≤ 1 only take"};

// In the middle: both ends leave their supports, and the bar flies without turning.
constexpr double kWay = 0.3;
const double kHitSpeed = std::sqrt(kSpeed * kSpeed - 2 * kGravity * kWay);
const double kHitTime = (kSpeed - kHitSpeed) / kGravity;
const double kThrown = (1 + kRestitution) * kBallMass / (kBallMass + kBarMass) * kHitSpeed;

double height_in_the_middle(double t) {
  const double flight = std::max(0.0, t - kHitTime);
  return kBar.z() / 2 + kThrown * flight - kGravity * flight * flight / 2;
}

const RegisterCase middle{{
    .name = "bar_hit_in_the_middle",
    .claim = "A bar on two supports that a ball hits from below in the middle flies up level.",
    .source = "momentum and Newton's restitution; supports can push, not pull",
    .scene = [] { return scene(kGravity, kWay, 0); },
    .time_step = kStep,
    .steps = 12,  // the bar is in the air
    .expects =
        {equals(position_of("bar", 2), height_in_the_middle,
                {.absolute = 1e-9,
                 .covers = Covers::rounding,
                 .why = "flight is exact, and the impact is located to rounding"})
             .at_first_order(
                 {.absolute = 2 * kStep * kThrown + kStandoff,
                  .why = "the impact is known to a step (V h), its speed to g h of 5 m/s, and an engine "
                         "without a gap lets the bar down by the standoff"}),
         equals(body_angular_velocity("bar"), [](double) { return Vec3(0, 0, 0); },
                {.absolute = 1e-9, .covers = Covers::rounding, .why = "all is symmetric"}),
         never_increases(total_energy(), kLossless)
             .at_first_order({.absolute = (kBarMass + kBallMass) * kGravity * kGravity * kStep * kStep * 12,
                              .relative = 2 * kGravity * kStep / kSpeed,
                              .why = "Euler's rules err by g h in the speed of flight"}),
         never_intersects()},
}};

// Near an end: the other end would go down, so its support pushes in the same instant. Lever: its outer edge.
constexpr double kOffset = 0.28, kLever = kSupport + kSupportWidth / 2;
constexpr double kEndStep = 0.001;
constexpr double kEndWay = 0.2495;  ///< hit 0.1 ms before the end of step 50, and one more follows
constexpr int kEndSteps = 51;

/// After the hit, with J the ball's impulse and S the far support's:
///   V = (J + S)/M,  Ω = (J d − S l)/I,  V − l Ω = 0,  V + d Ω − (u − J/m) = e u
struct EndHit {
  double J, S;
  EndHit() {
    const double share = (kLever * kOffset / kBarInertia - 1 / kBarMass) /
                         (1 / kBarMass + kLever * kLever / kBarInertia);  // S/J
    const double by_impulse = (1 + share) / kBarMass + kOffset * (kOffset - share * kLever) / kBarInertia;
    J = (1 + kRestitution) * kSpeed / (by_impulse + 1 / kBallMass);
    S = share * J;
  }
  double speed() const { return (J + S) / kBarMass; }
  double turning() const { return (J * kOffset - S * kLever) / kBarInertia; }
};
const EndHit kEndHit;

/// As the bar turns, its lower side, c below its middle, dips at the support with c Ω² τ; the support answers with an
/// impulse that stops this, and as much again where an engine restores the gap. τ: time since the hit.
constexpr double kSinceHit = 1.1e-3;
const double kDip = kBar.z() / 2 * kEndHit.turning() * kEndHit.turning() * kSinceHit;
const double kAnswer = 2 * kDip / (1 / kBarMass + kLever * kLever / kBarInertia);

Tolerance just_after(double by_answer) {
  return {.absolute = by_answer + 1e-9,
          .relative = std::pow(kEndHit.turning() * kSinceHit, 2),
          .why =
              "1.1 ms after the hit the bar has turned by Ω τ: (Ω τ)² of every speed, and what the support "
              "answers"};
}

const RegisterCase end{{
    .name = "bar_hit_near_its_end",
    .claim = "A bar that a ball hits from below near one end turns about the support at the other, which "
             "pushes in the "
             "same instant.",
    .source = "momentum, angular momentum, Newton's restitution at the ball and none at a contact at rest",
    .scene = [] { return scene(0, kEndWay, kOffset); },
    .time_step = kEndStep,
    .steps = kEndSteps,
    .expects = {ends_at(velocity_of("bar", 2), kEndHit.speed(), just_after(kAnswer / kBarMass)),
                ends_at(
                    body_angular_velocity("bar"), [](double) { return Vec3(0, -kEndHit.turning(), 0); },
                    just_after(kAnswer* kLever / kBarInertia)),
                ends_at(velocity_of("ball", 2), kSpeed - kEndHit.J / kBallMass, just_after(0)),
                never_increases(kinetic_energy(), kLossless), never_intersects()},
}};

}  // namespace
}  // namespace jade::cases
