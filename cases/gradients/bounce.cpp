#include "cases/gradient_case.h"
#include "cases/scenes.h"
#include "reference/closed_form/impacts.h"

namespace jade::cases {
namespace {

constexpr double kRadius = 0.1;

const Tolerance kLocated{
    .relative = 1e-9,
    .covers = Covers::rounding,
    .why = "flight is exact and the moment of impact is located to rounding of the gap, 1e-15 m of 1e-5"};

SceneDescription scene(double height, double velocity, double restitution, double gravity) {
  SceneDescription s = contact_scene("bounce", gravity, 0.3, restitution);
  s.bodies = {
      fixed_solid("floor", HalfSpace{}),
      free_solid("ball", Sphere{kRadius}, Vec3(0, 0, kRadius + kStandoff + height), Vec3(0, 0, velocity))};
  return s;
}

const closed_form::DriftingBall kDrift{.height = 0.93, .speed = 2, .restitution = 0.8};

const RegisterGradientCase drifting{{
    .name = "bounce_without_gravity",
    .claim = "A ball that bounces ends lower by e for every metre that it starts higher.",
    .source = "y = e (|v| T − h) after the bounce",
    .scene = [] { return scene(kDrift.height, -kDrift.speed, kDrift.restitution, 0); },
    .time_step = 0.1,
    .steps = 10,
    .outcome = final_position("ball", {2}),
    // Upward velocity is minus the speed.
    .truths = {by_position("ball", 2, {kDrift.by_height()}), by_velocity("ball", 2, {-kDrift.by_speed(1)}),
               by_restitution({kDrift.by_restitution(1)}), by_position("ball", 0, {0.0})},
    .tolerance = kLocated,
}};

/// The impact falls on the end of a step: half a second, five steps.
const closed_form::DriftingBall kOnTime{.height = 1, .speed = 2, .restitution = 0.8};

const RegisterGradientCase on_time{{
    .name = "bounce_at_the_end_of_a_step",
    .claim = "It makes no difference to a gradient that an impact falls on the boundary of two steps.",
    .source = "y = e (|v| T − h) after the bounce",
    .scene = [] { return scene(kOnTime.height, -kOnTime.speed, kOnTime.restitution, 0); },
    .time_step = 0.1,
    .steps = 10,
    .outcome = final_position("ball", {2}),
    .truths = {by_position("ball", 2, {kOnTime.by_height()}), by_velocity("ball", 2, {-kOnTime.by_speed(1)}),
               by_restitution({kOnTime.by_restitution(1)})},
    .tolerance = kLocated,
}};

const closed_form::BouncingBall kFall{.height = 1, .velocity = 0, .restitution = 0.8, .gravity = kGravity};
const closed_form::BouncingBall::Gradient kFallGradient = kFall.gradient_after_first_bounce(0.7);

const RegisterGradientCase falling{{
    .name = "bounce_with_gravity",
    .claim =
        "A ball dropped from 1 m is higher after 0.7 s by 0.190552 for every metre that it starts higher.",
    .source = "∂y/∂h = −e + (1 + e) g τ/s, and the same for velocity and restitution",
    .scene = [] { return scene(kFall.height, kFall.velocity, kFall.restitution, kGravity); },
    .time_step = 0.01,
    .steps = 70,
    .outcome = final_position("ball", {2}),
    .truths = {by_position("ball", 2, {kFallGradient.by_height}),
               by_velocity("ball", 2, {kFallGradient.by_velocity}),
               by_restitution({kFallGradient.by_restitution}), by_gravity(2)},
    .tolerance = kLocated,
}};

const RegisterGradientCase figure{{
    .name = "ball_and_floor_of_the_paper",
    .claim =
        "Two steps with an elastic bounce in the second: ∂y₂/∂y₀ = −1, where a test at the ends of steps "
        "says +1.",
    .source = "Jade paper, figure of discrete against continuous detection",
    .scene = [] { return scene(1.5, -1, 1, 0); },
    .time_step = 1,
    .steps = 2,
    .outcome = final_position("ball", {2}),
    .truths = {by_position("ball", 2, {-1.0}), by_velocity("ball", 2, {-2.0})},
    .tolerance = kLocated,
    // What a discrete engine sees: the ball has not yet come down.
    .wrong = [](SceneDescription& s) { s.bodies[1].joint.position[2] += 1; },
}};

/// Ball between two walls: hits the right one first.
const closed_form::BetweenWalls kWalls{.room = 1, .start = 0.3, .speed = 3, .restitution = 0.7};

const RegisterGradientCase walls{{
    .name = "bounce_off_two_walls",
    .claim = "After two bounces a ball is e² further for every metre that it starts further.",
    .source = "straight motion and Newton's restitution, twice",
    .scene =
        [] {
          SceneDescription s = contact_scene("two_walls", 0, 0.3, kWalls.restitution);
          const double thick = 0.1, reach = kRadius + kStandoff + thick / 2;
          const Box wall{Vec3(thick, 1, 1)};
          s.bodies = {
              fixed_solid("left", wall, {Vec3(-reach, 0, 0)}),
              fixed_solid("right", wall, {Vec3(kWalls.room + reach, 0, 0)}),
              free_solid("ball", Sphere{kRadius}, Vec3(kWalls.start, 0, 0), Vec3(kWalls.speed, 0, 0))};
          return s;
        },
    .time_step = 0.05,
    .steps = 20,
    .outcome = final_position("ball", {0}),
    .truths = {by_position("ball", 0, {kWalls.by_start()}), by_velocity("ball", 0, {kWalls.by_speed(1)}),
               by_restitution({kWalls.by_restitution(1)})},
    .tolerance = kLocated,
}};

}  // namespace
}  // namespace jade::cases
