#include <cmath>

#include <fmt/format.h>

#include "cases/minimise.h"
#include "cases/optimisation_case.h"
#include "cases/scenes.h"
#include "reference/closed_form/impacts.h"

namespace jade::cases {
namespace {

constexpr double kRadius = 0.05, kHeight = 1, kRestitution = 0.8, kTime = 1;
const Vec2 kTarget(2, 0.6);  // x and height of the centre [m]

std::vector<OptimisationRow> solve() {
  SceneDescription s = contact_scene("throw_and_bounce", kGravity, 0, kRestitution);
  s.bodies = {fixed_solid("floor", HalfSpace{}),
              free_solid("ball", Sphere{kRadius}, Vec3(0, 0, kHeight), Vec3(1, 0, 0.5))};
  const Experiment experiment = make_experiment(s, {.h = 0.01, .steps = 100});
  const int x = coordinate_of(experiment.model, "ball", 0);
  Outcome miss = readings(experiment.model, {{.coordinate = x}, {.coordinate = x + 2}});
  miss.value = [place = miss.value](const Experiment& e, const Rollout& r) {
    return VecX(place(e, r) - kTarget);
  };
  const Minimum minimum = least_squares(
      {.experiment = experiment, .outcome = miss, .variables = {velocity_of(x), velocity_of(x + 2)}});

  const Vec2 v = Vec2(1, 0.5) + Vec2(minimum.displacement);
  const std::string found = fmt::format("({:.9f}, {:.9f}) m/s", v.x(), v.y());
  // Judged by the closed form of the flight, not by the engine.
  const double rest = kRadius + kStandoff;
  const closed_form::BouncingBall ball{
      .height = kHeight - rest, .velocity = v.y(), .restitution = kRestitution, .gravity = kGravity};
  const Vec2 landed(v.x() * kTime, rest + ball.at(kTime).height);
  return {{.method = "Ceres",
           .found = found,
           .quantity = "distance from the target, by the closed form",
           .error = (landed - kTarget).norm(),
           .unit = "m",
           .tolerance = 1e-8,
           .why = "flight and bounce are exact; the moment of impact is located to rounding",
           .evaluations = minimum.evaluations}};
}

const RegisterOptimisationCase throw_and_bounce{{
    .name = "throw_and_bounce",
    .claim = "A ball finds the velocity with which it hits a target in the air after one bounce.",
    .source = "free flight and Newton's restitution",
    .solve = solve,
}};

}  // namespace
}  // namespace jade::cases
