#include "cases/minimise.h"

#include <ceres/gradient_problem.h>
#include <ceres/gradient_problem_solver.h>
#include <ceres/problem.h>
#include <ceres/solver.h>

#include "jade_ceres/experiment_cost.h"

namespace jade::cases {
namespace {

// Far below what is asked of any result: the searches end where rounding ends them.
constexpr double kNothing = 1e-20;

MovableExperiment movable(const Search& search) {
  return {search.experiment, search.outcome, search.variables, search.units};
}

Minimum minimum(const Search& search, const VecX& x, int evaluations, const std::string& ending) {
  Minimum result{
      .displacement = movable(search).displacement(x.data()), .evaluations = evaluations, .ending = ending};
  result.outcome = Laboratory(search.experiment).value(search.outcome, search.variables, result.displacement);
  return result;
}

}  // namespace

Minimum least_squares(const Search& search) {
  VecX x = VecX::Zero(static_cast<Eigen::Index>(search.variables.size()));
  ceres::Problem problem;
  problem.AddResidualBlock(new ExperimentCost(movable(search)), nullptr, x.data());
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = search.most_iterations;
  options.function_tolerance = options.gradient_tolerance = options.parameter_tolerance = kNothing;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return minimum(search, x, summary.num_residual_evaluations, summary.message);
}

Minimum least_loss(const Search& search) {
  VecX x = VecX::Zero(static_cast<Eigen::Index>(search.variables.size()));
  const ceres::GradientProblem problem(new ExperimentLoss(movable(search)));
  ceres::GradientProblemSolver::Options options;
  options.max_num_iterations = search.most_iterations;
  options.function_tolerance = options.gradient_tolerance = options.parameter_tolerance = kNothing;
  options.logging_type = ceres::SILENT;
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(options, problem, x.data(), &summary);
  return minimum(search, x, summary.num_cost_evaluations + summary.num_gradient_evaluations, summary.message);
}

Minimum descend(const Search& search, double rate) {
  Laboratory laboratory(search.experiment);
  VecX d = VecX::Zero(static_cast<Eigen::Index>(search.variables.size()));
  for (int i = 0; i < search.most_iterations; ++i)
    d -= rate * laboratory.differentiate(search.outcome, search.variables, d).jacobian.row(0).transpose();
  return {.displacement = d,
          .outcome = laboratory.value(search.outcome, search.variables, d),
          .evaluations = search.most_iterations,
          .ending = "all steps were made"};
}

}  // namespace jade::cases
