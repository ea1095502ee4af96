#include <cmath>

#include <fmt/format.h>

#include "cases/minimise.h"
#include "cases/optimisation_case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

struct Truth {
  double mass, friction, restitution;
};
constexpr Truth kTrue{.mass = 1.2, .friction = 0.3, .restitution = 0.6},
    kGuess{.mass = 1.6, .friction = 0.2, .restitution = 0.52};
constexpr double kRadius = 0.1, kForce = 2;
constexpr int kSteps = 80;

/// A ball thrown flat: it bounces, slides in every bounce and after the last, and a known force pulls it sideways.
SceneDescription scene(const Truth& truth) {
  SceneDescription s = contact_scene("identification", kGravity, truth.friction, truth.restitution);
  s.bodies = {fixed_solid("floor", HalfSpace{}),
              free_solid("ball", Sphere{kRadius}, Vec3(0, 0, kRadius + 0.2), Vec3(4, 0, 0))};
  s.bodies[1].inertia = InertiaDescription{.mass = truth.mass, .inertia = 0.005 * Mat3::Identity()};
  const Signal pull{.times = {0}, .values = {kForce}}, none{.times = {0}, .values = {0}};
  s.bodies[1].joint.effort = {none, pull, none, none, none, none};
  return s;
}

std::vector<OptimisationRow> solve() {
  const RolloutSettings settings{.h = 0.01, .steps = kSteps};
  const Experiment truth = make_experiment(scene(kTrue), settings);
  const int x = coordinate_of(truth.model, "ball", 0);
  std::vector<Reading> seen;
  for (int i = 8; i <= kSteps; i += 8)
    for (int axis = 0; axis < 3; ++axis) seen.push_back({.coordinate = x + axis, .step = i});
  Outcome difference = readings(truth.model, seen);
  const VecX observed = Laboratory(truth).value(difference, {}, VecX());
  difference.value = [place = difference.value, observed](const Experiment& e, const Rollout& r) {
    return VecX(place(e, r) - observed);
  };

  const Experiment guess = make_experiment(scene(kGuess), settings);
  const std::vector<ParameterId> ids{{ParameterKind::inertia, guess.model.body_named("ball"), 0},
                                     {ParameterKind::friction, 0, 0},
                                     {ParameterKind::restitution, 0, 0}};
  Search search{.experiment = guess, .outcome = difference};
  for (const ParameterId& id : ids) search.variables.push_back(parameter_of(id));
  const Minimum minimum = least_squares(search);

  std::vector<OptimisationRow> rows;
  const double exact[] = {kTrue.mass, kTrue.friction, kTrue.restitution};
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const double value =
        parameter_value(guess.model, ids[k]) + minimum.displacement[static_cast<Eigen::Index>(k)];
    rows.push_back({.method = "Ceres",
                    .found = fmt::format("{:.10f}", value),
                    .quantity = name_of(guess.model, ids[k]),
                    .error = std::abs(value / exact[k] - 1),
                    .unit = "relative",
                    .tolerance = 1e-6,
                    .why = "the observed trajectory is exact: what is left is where the optimiser stops",
                    .evaluations = minimum.evaluations});
  }
  return rows;
}

const RegisterOptimisationCase identification{{
    .name = "identification",
    .claim = "Mass, friction and restitution of a ball follow from where it was seen sliding and bouncing.",
    .source = "the parameters that the observed trajectory was made with",
    .solve = solve,
}};

}  // namespace
}  // namespace jade::cases
