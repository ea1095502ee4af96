#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "jade/math/types.h"

namespace jade {

/// A numerical derivative and how far to trust it.
struct Derivative {
  VecX value;
  double error = std::numeric_limits<double>::infinity();  ///< estimate, largest over the components
};

struct RiddersSettings {
  double first_step = 0.1;  ///< large enough that f(s) − f(−s) is far above rounding
  int levels = 12;
  double shrink = 1.4;
  bool one_sided = false;  ///< use s ≥ 0 only: the derivative from the right (negate s in f for the left)
};

/// Derivative at s = 0 of a vector function f(s), by Ridders' extrapolation of differences to step zero.
///   central:    D(h) = (f(h) − f(−h)) / 2h      error series in h²
///   one-sided:  D(h) = (f(h) − f(0)) / h        error series in h
/// A Neville tableau removes one power after the other; the entry whose neighbours agree best is returned with
/// that disagreement as its error.
/// C. Ridders, "Accurate computation of F'(x) and F'(x)F''(x)", Advances in Engineering Software 4(2), 1982.
/// To differentiate on a manifold let f(s) move the point: f(s) = g(q ⊕ s d).
template <class Function>
Derivative ridders_derivative(Function&& f, const RiddersSettings& settings = {}) {
  const VecX f0 = settings.one_sided ? VecX(f(0.0)) : VecX();
  const auto difference = [&](double h) -> VecX {
    if (settings.one_sided) return (VecX(f(h)) - f0) / h;
    return (VecX(f(h)) - VecX(f(-h))) / (2 * h);
  };
  const double ratio = settings.one_sided ? settings.shrink : settings.shrink * settings.shrink;

  double h = settings.first_step;
  std::vector<VecX> previous{difference(h)}, current;
  Derivative best{previous[0]};
  for (int level = 1; level < settings.levels; ++level) {
    h /= settings.shrink;
    current.assign(1, difference(h));
    double power = ratio;
    for (int k = 1; k <= level; ++k, power *= ratio) {
      current.push_back((current[k - 1] * power - previous[k - 1]) / (power - 1));
      const double error = std::max((current[k] - current[k - 1]).template lpNorm<Eigen::Infinity>(),
                                    (current[k] - previous[k - 1]).template lpNorm<Eigen::Infinity>());
      if (error <= best.error) best = {current[k], error};
    }
    // Further levels only add rounding once the diagonal moves away from the best value.
    if ((current[level] - previous[level - 1]).template lpNorm<Eigen::Infinity>() >= 2 * best.error) break;
    std::swap(previous, current);
  }
  return best;
}

}  // namespace jade
