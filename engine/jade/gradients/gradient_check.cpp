#include "jade/gradients/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jade {
namespace {

double size_of(const VecX& x) { return x.size() == 0 ? 0 : x.lpNorm<Eigen::Infinity>(); }

/// The part of x that lies outside of the interval between two numbers.
double outside(double x, double a, double b) {
  return std::max({0.0, std::min(a, b) - x, x - std::max(a, b)});
}

}  // namespace

DerivativeCheck check_derivative(const VecX& analytic, Differences differences) {
  DerivativeCheck check{.differences = std::move(differences), .analytic = analytic};
  const Differences& d = check.differences;
  double distance = 0;
  for (Eigen::Index i = 0; i < analytic.size(); ++i) {
    // NaN is never near anything.
    const double off = !std::isfinite(analytic[i])        ? std::numeric_limits<double>::infinity()
                       : d.smoothness == Smoothness::kink ? outside(analytic[i], d.left[i], d.right[i])
                                                          : std::abs(analytic[i] - d.value[i]);
    distance = std::max(distance, off);
  }
  check.error = distance == 0 ? 0 : distance / std::max(d.size, size_of(analytic));
  check.digits = std::clamp(-std::log10(std::max(check.error, 1e-300)), 0.0, 16.0);
  return check;
}

double GradientCheck::worst() const {
  double error = 0;
  for (const GradientEntry& entry : entries)
    if (entry.smoothness != Smoothness::unresolved) error = std::max(error, entry.error);
  return error;
}

GradientCheck gradient_check(const Experiment& experiment, const Outcome& outcome,
                             const std::vector<Variable>& variables, const DifferenceSettings& settings) {
  Laboratory laboratory(experiment);
  const auto n = static_cast<Eigen::Index>(variables.size());
  const Laboratory::Derivative analytic = laboratory.differentiate(outcome, variables, VecX::Zero(n));
  GradientCheck check{.regularity = analytic.regularity};
  // A variable without effect is judged in a hundredth of the size of those that have one.
  double largest = 0;
  for (std::size_t k = 0; k < variables.size(); ++k)
    largest = std::max(largest, scale_of(experiment, variables[k]) *
                                    size_of(analytic.jacobian.col(static_cast<Eigen::Index>(k))));
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const std::span<const Variable> one(&variables[k], 1);
    // A parameter's own size is the unit of its steps.
    const double unit = scale_of(experiment, variables[k]);
    const Differences column =
        differentiate([&](double s) { return laboratory.value(outcome, one, VecX::Constant(1, s * unit)); },
                      1e-2 * largest, settings);
    for (std::size_t i = 0; i < outcome.names.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const auto of = [&](const VecX& x) { return x.size() == 0 ? column.value[row] / unit : x[row] / unit; };
      Differences entry = column;
      entry.value = column.value.segment(row, 1);
      if (column.left.size() > 0) entry.left = column.left.segment(row, 1);
      if (column.right.size() > 0) entry.right = column.right.segment(row, 1);
      const double a = analytic.jacobian(row, static_cast<Eigen::Index>(k));
      const DerivativeCheck result = check_derivative(VecX::Constant(1, a * unit), entry);
      check.entries.push_back({.outcome = outcome.names[i],
                               .variable = name_of(experiment.model, variables[k]),
                               .analytic = a,
                               .difference = of(column.value),
                               .left = of(column.left),
                               .right = of(column.right),
                               .estimated_error = column.error,
                               .error = result.error,
                               .digits = result.digits,
                               .smoothness = column.smoothness});
    }
  }
  return check;
}

}  // namespace jade
