#include <cmath>

#include <fmt/format.h>

#include "cases/minimise.h"
#include "cases/optimisation_case.h"
#include "cases/scenes.h"
#include "reference/closed_form/thresholds.h"

namespace jade::cases {
namespace {

constexpr closed_form::Grip kGrip{.mass = 0.1, .friction = 0.8, .gravity = 8};
constexpr double kFirst = 0.2;  // [N]: far too little

std::vector<OptimisationRow> solve() {
  const Experiment experiment = make_experiment(
      gripped_plate(
          {.mass = kGrip.mass, .friction = kGrip.friction, .gravity = kGrip.gravity, .force = kFirst}),
      {.h = 0.01, .steps = 10});
  const Model& model = experiment.model;
  const int left = coordinate_of(model, "left", 0), right = coordinate_of(model, "right", 0);
  const Outcome falls = readings(model, {{.velocity = true, .coordinate = coordinate_of(model, "plate", 2)}});
  Search search{.experiment = experiment, .outcome = falls, .variables = {effort_of(left), effort_of(right)}};
  const Minimum minimum = least_squares(search);
  // The fingers press against each other; what they do is half of their difference.
  const double force = kFirst + (minimum.displacement[0] - minimum.displacement[1]) / 2;
  return {
      {.method = "Ceres, from fingers that let it slip",
       .found = fmt::format("{:.9f} N", force),
       .quantity = "clamp force from m g/(2 μ)",
       .error = std::abs(force - kGrip.least_force(0)),
       .unit = "N",
       .tolerance = 1e-6,
       .why = "the slip falls linearly with the force and ends in a kink: the optimiser comes from below and "
              "stops where nothing slips any more",
       .evaluations = minimum.evaluations}};
}

const RegisterOptimisationCase least_grip{{
    .name = "least_grip",
    .claim = "A gripper that lets a plate slip finds the least force that holds it.",
    .source = "2 μ N = m g",
    .solve = solve,
}};

}  // namespace
}  // namespace jade::cases
