#pragma once

#include <vector>

#include "jade/lcp/class_equations.h"
#include "jade/lcp/class_walk.h"

namespace jade::lcp {

struct ZPathSettings {
  double epsilon = 1e-5;       ///< compliance, relative to A_ii
  double perturbation = 1e-9;  ///< of b, relative to its largest entry: resolves ties
  int max_pivots = 0;
  int rebuild_every = 0;  ///< pivots between fresh factorisations; 0: never
};

/// Follows the solutions of v = (A + ε W) f + b + z d, d = 1 on normal rows and 0 on tangential ones, from
/// z = max(−b_n), where f = 0, down to z = 0, letting z turn back when the path does.
///
/// Jade, section "Failure Issues and Our Improvement", with its classes and its step, but driving the scalar z
/// instead of one force after the other. fᵀv ≤ 0 bounds f for every z ≥ 0 and f = 0 is the only solution for large
/// z, so the piecewise linear path can neither run away nor close a loop: it ends at z = 0. (Lemke's argument with
/// 3 unknowns a contact.) Ties are resolved by a tiny perturbation of b that is a fixed function of the canonical
/// row; the result is polished with the exact b afterwards.
class ZPath : private ClassWalk {
 public:
  /// Leaves the classes and forces at z = 0 in `state` and the inverse of their equations in `inverse`. False
  /// when a pivot vanished or `max_pivots` was reached.
  bool follow(const ContactIsland& island, const ZPathSettings& settings, IslandState& state,
              ActiveInverse& inverse, int& pivots);

 private:
  Event start(IslandState& state, const ZPathSettings& settings);
  void move(const IslandState& state, const ActiveInverse& inverse, bool forward);
  bool rebuild(IslandState& state, ActiveInverse& inverse);

  ClassEquations equations_;
  std::vector<double> x_;
  double z_ = 0;
};

}  // namespace jade::lcp
