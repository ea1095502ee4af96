#include <cmath>

#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/impacts.h"

namespace jade::cases {
namespace {

using closed_form::BouncingBall;

constexpr double kStep = 0.01, kRadius = 0.1;

SceneDescription scene(const BouncingBall& ball) {
  SceneDescription s = contact_scene("bouncing_ball", ball.gravity, 0.3, ball.restitution);
  s.bodies = {fixed_solid("ground", HalfSpace{}),
              free_solid("ball", Sphere{kRadius}, Vec3(0, 0, kRadius + kStandoff + ball.height))};
  return s;
}

/// Height of the centre.
ClosedForm height_of(const BouncingBall& ball) {
  return [=](double t) { return kRadius + kStandoff + ball.at(t).height; };
}

const Tolerance kLocated{
    .absolute = 1e-9,
    .covers = Covers::rounding,
    .why =
        "flight is exact, and impacts are located to rounding of the gap; 1e-12 s at 4 m/s, "
        "added up over the bounces"};

const BouncingBall kElastic{.height = 1, .velocity = 0, .restitution = 1, .gravity = kGravity};
constexpr int kElasticSteps = 300;
const double kFlights = kElasticSteps * kStep * kGravity / (2 * kElastic.impact_speed()) + 1;

const RegisterCase elastic{{
    .name = "bouncing_ball_elastic",
    .claim = "A ball with e = 1 bounces to its first height again and again.",
    .source = "free flight between bounces that reverse the velocity",
    .scene = [] { return scene(kElastic); },
    .time_step = kStep,
    .steps = kElasticSteps,
    .expects = {equals(position_of("ball", 2), height_of(kElastic), kLocated)
                    .not_for(reference::Scheme::semi_implicit_euler,
                             "its bounces get lower; the energy says by how much")
                    .not_for(reference::Scheme::explicit_euler,
                             "its bounces get higher; the energy says by how much"),
                conserves(
                    total_energy(),
                    {.relative = 1e-10, .covers = Covers::rounding, .why = "the path is the parabola itself"},
                    // m g × height
                    1000 * 4.0 / 3 * M_PI * std::pow(kRadius, 3) * kGravity * kElastic.height)
                    .at_first_order(
                        {.relative = 2.2 * kFlights * kGravity * kStep / kElastic.impact_speed(),
                         .why = "each flight changes the speed s by g h, so the energy by 2 g h/s a flight; "
                                "10 % for the flights' getting shorter"}),
                never_intersects()},
}};

const BouncingBall kOnce{.height = 1, .velocity = 0, .restitution = 0.8, .gravity = kGravity};
constexpr double kOnceEnd = 0.9;
const double kAfter = kOnceEnd - kOnce.first_impact();

const RegisterCase once{{
    .name = "bouncing_ball_inelastic",
    .claim = "A ball with e = 0.8 leaves the ground with four fifths of the speed it came with.",
    .source = "free flight and Newton's restitution",
    .scene = [] { return scene(kOnce); },
    .time_step = kStep,
    .steps = 90,
    .expects = {equals(position_of("ball", 2), height_of(kOnce), kLocated)
                    .at_first_order(
                        {.absolute = 1.8 * kStep * (kOnce.impact_speed() + kGravity * kAfter),
                         .why =
                             "the impact is known to a step: (1 + e) s h; speeds are wrong by g h/2 before "
                             "and after it: (1 + e) g h τ"}),
                ends_at(
                    velocity_of("ball", 2), [](double t) { return kOnce.at(t).velocity; }, kLocated)
                    .at_first_order({.absolute = 1.8 * kGravity * kStep,
                                     .why = "the speed at the impact is wrong by g h"}),
                never_intersects()},
}};

const BouncingBall kZeno{.height = 1, .velocity = 0, .restitution = 0.5, .gravity = kGravity};

const RegisterCase zeno{{
    .name = "bouncing_ball_comes_to_rest",
    .claim = "A ball with e = 0.5 makes infinitely many bounces in √(2h/g) (1 + e)/(1 − e) = 1.354571 s and "
             "then rests.",
    .source = "sum of the flights' geometric series",
    .scene = [] { return scene(kZeno); },
    .time_step = kStep,
    .steps = 200,
    .expects =
        {equals(
             position_of("ball", 2), height_of(kZeno),
             {.absolute = 2 * kGravity * kStep * kStep,
              .covers = Covers::model_limit,
              .why = "bounces shorter than a step are left out: a bounce from 2 g h rises to 2 e² g h², and "
                     "the ball is down 2 e h earlier"})
             .at_first_order({.absolute = 1.5 * kStep * 2 * kZeno.impact_speed(),
                              .why =
                                  "the first impact is known to a step: (1 + e) s h; later ones add half of "
                                  "that each"}),
         ends_at(velocity_of("ball", 2), 0.0,
                 {.absolute = 1e-9, .covers = Covers::rounding, .why = "at rest since half a second"}),
         ends_at(position_of("ball", 2), kRadius + kStandoff,
                 {.absolute = 1e-8,
                  .covers = Covers::solver,
                  .why = "a thousandth of the standoff: what is left "
                         "of the last bounce is pushed out"})
             .at_first_order({.absolute = 1.01 * kStandoff,
                              .covers = Covers::model_limit,
                              .why = "an engine without a gap rests lower by the standoff"}),
         never_intersects()},
}};

}  // namespace
}  // namespace jade::cases
