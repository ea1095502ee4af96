#include "jade/gradients/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace jade {
namespace {

double size_of(const VecX& x) { return x.size() == 0 ? 0 : x.lpNorm<Eigen::Infinity>(); }

/// Neville's tableau, row by row, for differences whose error is a series in powers of h^(log2 ratio).
class Tableau {
 public:
  Tableau(double ratio, int order) : ratio_(ratio), order_(order) {}

  /// The difference for the next step, known up to `noise`; nullopt where the function does not exist, which starts the
  /// tableau anew.
  void add(const std::optional<VecX>& difference, double noise) {
    absent_ = !difference;
    if (absent_) {
      row_.clear();
      return;
    }
    doubt(*difference, noise);
    std::vector<VecX> next{*difference};
    double power = ratio_;
    for (std::size_t k = 1; k <= row_.size() && k <= static_cast<std::size_t>(order_); ++k, power *= ratio_) {
      next.push_back((next[k - 1] * power - row_[k - 1]) / (power - 1));
      // Two that agree by chance know no more than rounding lets them, which the tableau magnifies.
      const double error = std::max(
          {size_of(next[k] - next[k - 1]), size_of(next[k] - row_[k - 1]), 3e-2 * rounding_gain() * noise});
      if (best_.size() == 0 || error < error_) {
        best_ = next[k];
        error_ = error;
        distance_ = size_of(*difference - best_);
      }
    }
    row_ = std::move(next);
  }

  /// Smaller steps come nearer to the derivative. Where they do not, what larger ones settled on is that of a function
  /// beyond a kink: a step of contacts is nearly linear on either side of one.
  void doubt(const VecX& difference, double noise) {
    if (best_.size() == 0) return;
    const double distance = size_of(difference - best_);
    if (distance > 0.9 * distance_ + noise + 1e-6 * size_of(best_)) {
      best_.resize(0);
      error_ = std::numeric_limits<double>::infinity();
      row_.clear();
    }
    distance_ = distance;
  }

  /// Π (rᵏ + 1) / (rᵏ − 1) over all orders, to a whole number.
  double rounding_gain() const { return ratio_ < 3 ? 8 : 2; }

  const VecX& best() const { return best_; }
  double error() const { return error_; }
  bool exists() const { return best_.size() > 0; }
  bool absent() const { return absent_; }

 private:
  double ratio_;
  int order_;
  bool absent_ = false;  ///< the function did not exist at the last step
  std::vector<VecX> row_;
  VecX best_;
  double distance_ = 0;  ///< of the last difference from it
  double error_ = std::numeric_limits<double>::infinity();
};

std::optional<VecX> evaluate(const std::function<VecX(double)>& f, double s) {
  try {
    VecX value = f(s);
    if (value.allFinite()) return value;
  } catch (const InvalidInput&) {
  } catch (const StepError&) {
  }
  return std::nullopt;
}

/// Rounding of a function: what second differences on either side alone leave at places that are all the same to its derivative.
/// The slope is not in them, a kink or a jump at zero is not between them, and curvature is far below rounding there. A kink in
/// between them looks like rounding of 1e-11 of itself, which at the smallest step is little beside it.
double noise_of(const std::function<VecX(double)>& f, const VecX& f0) {
  // A hundred roundings of the result at least: it may round once where its arguments do not. Where it is worse conditioned
  // than a million it is not called noise: such a function changes its mind.
  const double least = 1e-14 * (1 + size_of(f0)), most = 1e4 * least;
  double scatter = 0;
  for (const double s : {3e-13, 2e-12, 1e-11})
    for (const double side : {-s, s}) {
      const std::optional<VecX> one = evaluate(f, side), two = evaluate(f, 2 * side),
                                three = evaluate(f, 3 * side);
      if (one && two && three) scatter = std::max(scatter, size_of(*one - 2 * *two + *three));
    }
  // A few places of many.
  return std::clamp(2 * scatter, least, most);
}

/// The part of x that lies outside of the interval between two numbers.
double outside(double x, double a, double b) {
  return std::max({0.0, std::min(a, b) - x, x - std::max(a, b)});
}

}  // namespace

const char* name_of(Smoothness smoothness) {
  constexpr const char* names[] = {"regular", "kink", "edge", "unresolved"};
  return names[static_cast<int>(smoothness)];
}

Differences differentiate(const std::function<VecX(double)>& f, double least_size,
                          const DifferenceSettings& settings) {
  const VecX f0 = f(0);
  Tableau central(4, settings.order), right(2, settings.order), left(2, settings.order);
  const auto size = [&] {
    double largest = least_size;
    for (const Tableau* t : {&central, &right, &left}) largest = std::max(largest, size_of(t->best()));
    return largest;
  };
  const double rounding = noise_of(f, f0);
  double h = settings.first_step;
  for (int level = 0; level < settings.levels; ++level, h /= 2) {
    const std::optional<VecX> above = evaluate(f, h), below = evaluate(f, -h);
    const double noise = rounding / h;
    right.add(above ? std::optional<VecX>((*above - f0) / h) : std::nullopt, noise);
    left.add(below ? std::optional<VecX>((f0 - *below) / h) : std::nullopt, noise);
    central.add(above && below ? std::optional<VecX>((*above - *below) / (2 * h)) : std::nullopt, noise);
    const double enough = settings.enough * size();
    if (h < settings.least_look && central.error() <= enough &&
        left.error() + right.error() <= settings.same_slope * size())
      break;
  }

  Differences result{.left = left.best(), .right = right.best(), .size = size()};
  const double scale = result.size > 0 ? result.size : 1;
  const double settled = settings.settled * scale;
  if (!left.exists() || !right.exists()) {
    const Tableau& only = left.exists() ? left : right;
    result.value = only.exists() ? only.best() : VecX::Zero(f0.size());
    result.error = only.error() / scale;
    const Tableau& other = left.exists() ? right : left;
    if (other.absent() && only.error() <= settled) result.smoothness = Smoothness::edge;
    return result;
  }
  // A central difference knows nothing of f(0): it settles on the mean at a kink, and across a jump that is taken back.
  // Only where both sides settle as well, on slopes that are one as far as rounding tells, is there a derivative.
  const double apart = size_of(right.best() - left.best()), unsure = left.error() + right.error();
  const bool same_slope = apart <= settings.same_slope * scale + unsure;
  if (central.exists() && central.error() <= settled && same_slope &&
      unsure <= settings.known_slope * scale) {
    result.smoothness = Smoothness::regular;
    result.value = central.best();
    result.error = central.error() / scale;
    return result;
  }
  result.value = 0.5 * (left.best() + right.best());
  result.error = unsure / scale;
  if (!same_slope && unsure <= 2e-5 * scale) result.smoothness = Smoothness::kink;
  return result;
}

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
