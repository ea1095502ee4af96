#include <cmath>

#include <fmt/format.h>

#include "cases/minimise.h"
#include "cases/optimisation_case.h"
#include "cases/pushing_task.h"

namespace jade::cases {
namespace {

/// Published: 1.396542. With the gap d that the first ball has to cross, which it does in the time t to a speed v under a
/// force that falls linearly, the least of  (√2 − v (1 − t))² + 0.1 (12 d²/t³ − 12 d v/t² + 4 v²/t)  over v and t:
constexpr double kOptimum = 1.3965315;
constexpr int kSteps = 48;

std::vector<OptimisationRow> solve() {
  const Experiment experiment = make_experiment(pushing_scene(), {.h = 1.0 / kSteps, .steps = kSteps});
  const int x = coordinate_of(experiment.model, "first", 0);
  std::vector<Variable> variables;
  for (int i = 0; i < kSteps; ++i)
    for (int axis = 0; axis < 2; ++axis) variables.push_back(effort_of(x + axis, i));
  const Minimum minimum = least_loss({.experiment = experiment,
                                      .outcome = pushing_cost(experiment.model),
                                      .variables = variables,
                                      .most_iterations = 60});
  return {{.method = "Ceres, L-BFGS over 96 forces",
           .found = fmt::format("cost {:.6f}", minimum.outcome[0]),
           .quantity = "cost above the optimum (published: 1.396542)",
           .error = std::max(0.0, minimum.outcome[0] - kOptimum),
           .unit = "",
           .tolerance = 1e-3,
           .why = "forces that are constant over a step cost more than the best ones: by their variance "
                  "2e-4, and as "
                  "much for the step in which the balls meet; engines without a time of impact stay near 2.0",
           .evaluations = minimum.evaluations}};
}

const RegisterOptimisationCase push{{
    .name = "push_with_least_effort",
    .claim = "The forces of 48 steps push one ball so that the other nears its target at the least cost.",
    .source = "Zhong et al. 2022, task 3",
    .solve = solve,
}};

}  // namespace
}  // namespace jade::cases
