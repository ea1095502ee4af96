#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cases/minimise.h"
#include "cases/optimisation_case.h"
#include "cases/scenes.h"
#include "reference/closed_form/impacts.h"

namespace jade::cases {
namespace {

constexpr double kRadius = 0.05;
const Vec2 kFirstGuess(4, -0.1);
const closed_form::Billiards kTable{.radius = kRadius, .standoff = kStandoff};
const closed_form::Billiards kWithoutGap{.radius = kRadius};

Shape mesh_ball(int cuts, MeshNormals normals) {
  TriangleMesh mesh = icosphere(kRadius, cuts);
  mesh.normals = normals;
  return mesh;
}

SceneDescription scene(const Shape& ball) {
  SceneDescription s = contact_scene("two_balls", 0, 0, 1);
  s.bodies = {free_solid("shot", ball, Vec3(kTable.start.x(), kTable.start.y(), 0),
                         Vec3(kFirstGuess.x(), kFirstGuess.y(), 0)),
              free_solid("target", ball, Vec3::Zero())};
  return s;
}

/// Where the second ball is, seen from the target: two residuals.
Outcome miss(const Model& model) {
  const int x = coordinate_of(model, "target", 0);
  Outcome outcome = readings(model, {{.coordinate = x}, {.coordinate = x + 1}});
  outcome.value = [place = outcome.value](const Experiment& e, const Rollout& r) {
    return VecX(place(e, r) - kTable.target);
  };
  return outcome;
}

/// The paper's loss, 10 |miss|².
Outcome loss(const Model& model) {
  const Outcome two = miss(model);
  return {.names = {"loss"},
          .value =
              [two](const Experiment& e, const Rollout& r) {
                return VecX::Constant(1, kTable.loss_weight * two.value(e, r).squaredNorm());
              },
          .cotangents =
              [two](const Experiment& e, const Rollout& r, int) {
                const VecX off = two.value(e, r);
                RolloutCotangents sum = two.cotangents(e, r, 0);
                VecX& q = sum.states.back().q;
                q = 2 * kTable.loss_weight * (off[0] * q + off[1] * two.cotangents(e, r, 1).states.back().q);
                return sum;
              }};
}

Search search(const Shape& ball, Outcome (*outcome)(const Model&)) {
  const Experiment experiment = make_experiment(scene(ball), {.h = 0.01, .steps = 20});
  const int x = coordinate_of(experiment.model, "shot", 0);
  return {.experiment = experiment,
          .outcome = outcome(experiment.model),
          .variables = {velocity_of(x), velocity_of(x + 1)}};
}

std::string text(const Vec2& v) { return fmt::format("({:.7f}, {:.7f}) m/s", v.x(), v.y()); }

OptimisationRow found(const std::string& method, const Minimum& minimum, double distance) {
  return {.method = method,
          .found = text(kFirstGuess + Vec2(minimum.displacement)),
          .quantity = "distance from the target",
          .error = distance,
          .unit = "m",
          .evaluations = minimum.evaluations};
}

OptimisationRow printed(const std::string& engine, const Vec2& velocity, double printed_error) {
  return {.method = "printed: " + engine,
          .found = text(velocity),
          .quantity = "distance from the target",
          .error = (kWithoutGap.shoot(velocity).position - kWithoutGap.target).norm(),
          .unit = "m",
          .why = fmt::format("exact physics from the printed velocity; printed error {} m", printed_error)};
}

std::vector<OptimisationRow> solve() {
  const Minimum exact = least_squares(search(Sphere{kRadius}, miss));
  OptimisationRow reach = found("Ceres, spheres", exact, exact.outcome.norm());
  reach.tolerance = 1e-9;
  reach.why = "exact gradients lead the optimiser to rounding";
  OptimisationRow velocity = reach;
  velocity.quantity = "velocity from the closed form's";
  velocity.unit = "m/s";
  velocity.error = (kFirstGuess + Vec2(exact.displacement) - kTable.perfect_velocity()).norm();
  velocity.tolerance = 1e-8;
  velocity.why = "a metre a second moves the ball by 0.2 m: ten times the distance above";

  Search plain = search(Sphere{kRadius}, loss);
  plain.most_iterations = 1000;
  constexpr double kRate = 0.15;
  const Minimum steps = descend(plain, kRate);
  OptimisationRow descent =
      found("1000 plain gradient steps, spheres", steps, std::sqrt(steps.outcome[0] / kTable.loss_weight));
  descent.tolerance = 1e-9;
  descent.why =
      "rate 0.15; the loss has curvatures between 0.7 and 3, so that errors shrink by a tenth a step";

  std::vector<OptimisationRow> rows{reach, velocity, descent};
  for (const auto& [cuts, vertices] : {std::pair(1, 42), std::pair(2, 162), std::pair(3, 642)})
    for (const MeshNormals normals : {MeshNormals::flat, MeshNormals::smooth}) {
      const bool smooth = normals == MeshNormals::smooth;
      const Minimum mesh = least_squares(search(mesh_ball(cuts, normals), miss));
      OptimisationRow row =
          found(fmt::format("Ceres, meshes of {} vertices, {} normals", vertices, smooth ? "smooth" : "flat"),
                mesh, mesh.outcome.norm());
      row.why = smooth ? "the hit acts along the line of centres; only its point lies in a facet"
                       : "the direction of the hit does not move with the velocity, the loss is a staircase";
      rows.push_back(row);
    }
  rows.push_back(printed("Brax", Vec2(4, -0.5621), 0.05043));
  rows.push_back(printed("Diff-Taichi", Vec2(4, -0.5715), 0.01577));
  rows.push_back(printed("Nimble", Vec2(4, -0.5819), 0.02491));
  rows.push_back(printed("Jade", Vec2(4, -0.6285), 0.00156));
  rows.push_back(printed("analytical", Vec2(4, -0.7003), 0));
  return rows;
}

const RegisterOptimisationCase two_balls{{
    .name = "two_balls",
    .claim = "From (4, −0.1) m/s the paper's task ends on the target, at the velocity of the closed form.",
    .source = "Jade paper, table of the two-ball task; closed form of the shot at the standoff in use",
    .solve = solve,
}};

}  // namespace
}  // namespace jade::cases
