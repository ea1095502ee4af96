#include <cmath>

#include "cases/gradient_case.h"
#include "cases/scenes.h"
#include "reference/closed_form/impacts.h"

namespace jade::cases {
namespace {

const Tolerance kLocated{
    .relative = 1e-9,
    .covers = Covers::rounding,
    .why = "straight motion is exact, the moment of impact is located to rounding, 1e-15 m of 1e-5"};

const RegisterGradientCase line{{
    .name = "equal_balls_on_a_line",
    .claim = "Equal balls exchange velocities: the second ends where the first would have, whatever its own "
             "place was.",
    .source = "x₂(T) = x₁ + v₁ T + 2 r; e = 1",
    .scene =
        [] {
          SceneDescription s = contact_scene("equal_balls", 0, 0, 1);
          s.bodies = {free_solid("first", Sphere{0.1}, Vec3::Zero(), Vec3(1, 0, 0)),
                      free_solid("second", Sphere{0.1}, Vec3(0.52, 0, 0))};
          return s;
        },
    .time_step = 0.01,
    .steps = 100,
    .outcome = final_position("second", {0}),
    .truths = {by_position("first", 0, {1.0}), by_position("second", 0, {0.0}),
               by_velocity("first", 0, {1.0}), by_velocity("second", 0, {0.0})},
    .tolerance = kLocated,
}};

// ---- the paper's billiards ----------------------------------------------------------------------------------

constexpr double kRadius = 0.05;
const Vec2 kShot(4, -0.1);
const closed_form::Billiards kTable{.radius = kRadius, .standoff = kStandoff};
const closed_form::Billiards::Shot kHit = kTable.shoot(kShot);

SceneDescription billiards() {
  SceneDescription s = contact_scene("billiards", 0, 0, 1);
  s.bodies = {free_solid("shot", Sphere{kRadius}, Vec3(kTable.start.x(), kTable.start.y(), 0),
                         Vec3(kShot.x(), kShot.y(), 0)),
              free_solid("target", Sphere{kRadius}, Vec3::Zero())};
  return s;
}

const RegisterGradientCase position{{
    .name = "billiards_position",
    .claim = "Where the second ball goes, by the velocity of the first.",
    .source = "two-ball impact at the distance 2 r plus the standoff, differentiated",
    .scene = billiards,
    .time_step = 0.01,
    .steps = 20,
    .outcome = final_position("target", {0, 1}),
    .truths = {by_velocity("shot", 0, {kHit.by_velocity(0, 0), kHit.by_velocity(1, 0)}),
               by_velocity("shot", 1, {kHit.by_velocity(0, 1), kHit.by_velocity(1, 1)})},
    .tolerance = kLocated,
}};

/// 10 |p − target|²
Outcome loss(const Model& model) {
  const int x = coordinate_of(model, "target", 0);
  const auto off = [x](const Experiment& experiment, const Rollout& rollout) {
    const Outcome place = readings(experiment.model, {{.coordinate = x}, {.coordinate = x + 1}});
    return Vec2(place.value(experiment, rollout) - kTable.target);
  };
  return {.names = {"loss"},
          .value =
              [=](const Experiment& e, const Rollout& r) {
                return VecX::Constant(1, kTable.loss_weight * off(e, r).squaredNorm());
              },
          .cotangents =
              [=](const Experiment& e, const Rollout& r, int) {
                RolloutCotangents cotangents = no_cotangents(r);
                VecX& q = cotangents.states.back().q = VecX::Zero(e.model.nv());
                q.segment<2>(x) = 2 * kTable.loss_weight * off(e, r);
                return cotangents;
              }};
}

const RegisterGradientCase billiards_loss{{
    .name = "billiards_loss",
    .claim = "The loss of the paper's task at its first guess (4, −0.1) has the gradient (0.767, 1.520).",
    .source = "chain rule on the closed form of the shot",
    .scene = billiards,
    .time_step = 0.01,
    .steps = 20,
    .outcome = loss,
    .truths = {by_velocity("shot", 0, {kTable.loss_gradient(kShot).x()}),
               by_velocity("shot", 1, {kTable.loss_gradient(kShot).y()})},
    .tolerance = kLocated,
}};

}  // namespace
}  // namespace jade::cases
