#pragma once

#include <utility>
#include <vector>

#include <ceres/cost_function.h>
#include <ceres/first_order_function.h>

#include "jade/gradients/experiment.h"

/// Experiments for the optimiser Ceres. A target of its own, Jade::ceres: the engine does not need it.
namespace jade {

/// An experiment whose variables an optimiser moves: variable i is moved by unit[i] · x[i] from where it is in the
/// experiment. Units make variables of different sizes alike to an optimiser.
struct MovableExperiment {
  Experiment experiment;
  Outcome outcome;
  std::vector<Variable> variables;
  VecX units;  ///< empty: ones

  VecX displacement(const double* x) const {
    const Eigen::Map<const VecX> map(x, static_cast<Eigen::Index>(variables.size()));
    return units.size() == 0 ? VecX(map) : VecX(map.cwiseProduct(units));
  }
};

/// The outcome as residuals, with analytic Jacobians: for ceres::Problem, one block of as many parameters as there are
/// variables. A trial point that cannot be simulated (a parameter out of its range, bodies that intersect) is refused,
/// which makes the optimiser try a shorter step.
class ExperimentCost : public ceres::CostFunction {
 public:
  explicit ExperimentCost(MovableExperiment movable)
      : movable_(std::move(movable)), laboratory_(movable_.experiment) {
    set_num_residuals(static_cast<int>(movable_.outcome.names.size()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(movable_.variables.size()));
  }

  bool Evaluate(double const* const* x, double* residuals, double** jacobians) const override try {
    const VecX d = movable_.displacement(x[0]);
    Eigen::Map<VecX> r(residuals, num_residuals());
    if (jacobians == nullptr || jacobians[0] == nullptr) {
      r = laboratory_.value(movable_.outcome, movable_.variables, d);
      return r.allFinite();
    }
    const Laboratory::Derivative derivative =
        laboratory_.differentiate(movable_.outcome, movable_.variables, d);
    if (!derivative.regularity.exists) return false;
    r = derivative.value;
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<RowMajor> J(jacobians[0], derivative.jacobian.rows(), derivative.jacobian.cols());
    J = derivative.jacobian;
    if (movable_.units.size() > 0) J = J * movable_.units.asDiagonal();
    return r.allFinite() && J.allFinite();
  } catch (const InvalidInput&) {
    return false;
  } catch (const StepError&) {
    return false;
  }

 private:
  MovableExperiment movable_;
  mutable Laboratory laboratory_;  // memory only
};

/// The first number of the outcome as a loss, with its analytic gradient: for ceres::GradientProblem.
class ExperimentLoss : public ceres::FirstOrderFunction {
 public:
  explicit ExperimentLoss(MovableExperiment movable)
      : size_(static_cast<int>(movable.variables.size())), cost_(std::move(movable)) {}

  int NumParameters() const override { return size_; }
  bool Evaluate(const double* x, double* loss, double* gradient) const override {
    std::vector<double> residuals(static_cast<std::size_t>(cost_.num_residuals()));
    std::vector<double> jacobian(residuals.size() * static_cast<std::size_t>(size_));
    double* rows = jacobian.data();
    if (!cost_.Evaluate(&x, residuals.data(), gradient == nullptr ? nullptr : &rows)) return false;
    *loss = residuals[0];
    if (gradient != nullptr) std::copy_n(jacobian.data(), size_, gradient);
    return true;
  }

 private:
  int size_;
  ExperimentCost cost_;
};

}  // namespace jade
