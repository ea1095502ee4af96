#pragma once

#include <vector>

#include "jade/lcp/class_equations.h"
#include "jade/lcp/class_walk.h"

namespace jade::lcp {

struct ZPathSettings {
  double epsilon = 1e-5;       ///< compliance, relative to A_ii
  double perturbation = 1e-9;  ///< of b, relative to its largest entry: resolves ties
  /// Of b by A p, p a small force on every row relative to the largest entry of b: resolves ties without leaving the
  /// range of J, where a perturbation would be magnified by 1/ε.
  double nudge = 0;
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
  /// Leaves the classes at z = 0 in `state` and their equations in `tableau`. False when a pivot vanished
  /// or `max_pivots` was reached.
  bool follow(const ContactIsland& island, const ZPathSettings& settings, IslandState& state,
              ClassTableau& tableau, int& pivots);

  /// One step of the proximal point method from where the path (or the step before) ended, f₀:
  ///   v = A f + ε W (f − f₀) + b,
  /// reached by moving b to b − ε W f₀ and letting rows change class on the way. Its fixed points are solutions
  /// without compliance and without perturbation; it mends classes that ε has bent, which is cheaper than another
  /// path with a smaller ε and loses no digits. Same outcome as `follow`.
  /// `afresh` forgets the rounding collected so far.
  bool relax(IslandState& state, ClassTableau& tableau, bool afresh, int& pivots);
  /// Of the free rows where the path has ended.
  double largest_force(const ClassTableau& tableau) const;
  /// How far the latest proximal step moved any force.
  double moved() const { return moved_; }

 private:
  Event start(IslandState& state);
  bool walk(IslandState& state, ClassTableau& tableau, Event event, int& pivots);
  bool walk_box(IslandState& state, ClassTableau& tableau, Event event, int& pivots);
  bool walk_two(IslandState& state, ClassTableau& tableau, Event event, int& pivots);
  bool walk_four(IslandState& state, ClassTableau& tableau, Event event, int& pivots);
  bool walk_any(IslandState& state, ClassTableau& tableau, Event event, int& pivots);
  template <int kLength>
  bool walk_along(IslandState& state, ClassTableau& tableau, Event event, int& pivots);
  template <int kLength>
  Event step(IslandState& state, const ClassTableau& tableau, bool forward);
  bool rebuild(IslandState& state, ClassTableau& tableau);
  void put_onto_path(ClassTableau& tableau);
  void take_forces(IslandState& state) const;

  ZPathSettings settings_;
  ClassEquations equations_;
  std::vector<double> q_, from_;
  std::vector<double> spread_;  ///< of the perturbation over the rows
  double moved_ = 0;
};

}  // namespace jade::lcp
