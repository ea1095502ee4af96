#pragma once

#include <vector>

#include "jade/lcp/class_equations.h"
#include "jade/lcp/contact_island.h"

namespace jade::lcp {

/// The coupled equations of the current classes, solved for every row at once and kept while rows change class one
/// by one.
///
/// Jade, section "Dantzig's Algorithm with Friction", equations E_C and E_F, with the typing error A_{C C_H} in
/// front of f_{C_L} read as A_{C C_L}. Written with the forces of the free rows X = C ∪ F as unknowns x:
///   f = P x:  f_i = x_i on X,  f_t = ±μ x_n for slipping tangents (H: +, L: −),  0 elsewhere
///   K = S Ā P,  Ā = A + ε W,  S picks the rows X,  W = diag(A)    K is not symmetric once rows slip
///   T = K⁻¹ on the rows X,  Ā P K⁻¹ on all others                  n × k, k = |X|
/// Column p of T says how the force of every free row and the velocity of every other row answer to the velocity of
/// the p-th free row. So whatever b becomes, `respond(b)` has the forces of the free rows and the velocities of the
/// others in one vector. An entering or leaving row exchanges a force for a velocity: one Gauss–Jordan step, O(n k).
/// A tangent that starts to slip stays tied to its normal, so "leaving F" exchanges the slack f_t ∓ μ f_n and not f_t.
class ClassTableau {
 public:
  /// No row is free.
  void reset(const ContactIsland& island, double epsilon);

  int size() const { return k_; }
  double epsilon() const { return epsilon_; }
  const std::vector<int>& free_rows() const { return free_; }

  /// How fast each row moves (forces of free rows, velocities of others) along the direction that was set by `aim` or
  /// `drive`; kept up to date by every exchange below.
  const double* direction() const { return direction_.data(); }
  /// The direction in which b falls by g (all n rows).
  void aim(const double* g);
  /// The same while no row is free.
  void head_along(const double* g) {
    for (int i = 0; i < length_; ++i) direction_[i] = -g[i];
  }
  /// The direction in which the force of `row`, which is not free, grows by `sign`.
  void drive(int row, double sign);

  /// A normal becomes clamped; its tangents slip as `classes` says (or are not there yet). Returns the speed of its
  /// force.
  double insert_normal(int i, const std::vector<RowClass>& classes);
  /// A slipping tangent starts to stick. Returns the speed of the slack of the friction bound it leaves.
  double insert_tangent(int t, const std::vector<RowClass>& classes);
  /// A tangent that was never tied to its normal (f_t = 0 so far) becomes free. Returns the speed of its force.
  double insert_loose(int t);
  /// A row leaves the free rows with zero force. Returns the speed of its velocity afterwards.
  double remove(int row);
  /// A sticking tangent starts to slip at its upper (+1) or lower (−1) bound. Returns the speed of its velocity.
  double remove_to_bound(int t, int sign);

  /// Forgets the rounding of all exchanges so far: T of freshly factored equations of the same classes.
  void rebuild(const ClassEquations& equations, const std::vector<RowClass>& classes);

  /// For velocities q (all n rows) that would be there without forces: the forces of the free rows, and the velocities
  /// of the others, once the free rows are at rest.
  void respond(const double* q, double* answer) const;
  /// In place, for vectors over the free rows: r becomes K⁻¹ r.
  void solve(double* r) const;

  bool healthy() const { return healthy_; }
  /// The least pivot met so far, where 1 means an independent row and ε a redundant one.
  double smallest_pivot() const { return smallest_pivot_; }

 private:
  double* column(int p) { return columns_.data() + static_cast<std::ptrdiff_t>(p) * length_; }
  const double* column(int p) const { return columns_.data() + static_cast<std::ptrdiff_t>(p) * length_; }
  double* pending_column(int r) { return pending_columns_.data() + static_cast<std::ptrdiff_t>(r) * length_; }
  const double* pending_column(int r) const {
    return pending_columns_.data() + static_cast<std::ptrdiff_t>(r) * length_;
  }
  double* pending_row(int r) { return pending_rows_.data() + static_cast<std::ptrdiff_t>(r) * length_; }
  const double* pending_row(int r) const {
    return pending_rows_.data() + static_cast<std::ptrdiff_t>(r) * length_;
  }
  void answer_to(const double* q, double* answer) const;
  double entry(int row, int p) const;
  void add_row(int to, double factor, int from);
  double enter(int row);
  double leave(int row);
  double exchange(int row, double pivot, const double* answers);
  double exchange_at_once(int row, double inverse, const double* answers);
  double turn(int row, double inverse, const double* answers);
  void apply_pending();

  const ContactIsland* island_ = nullptr;
  double epsilon_ = 0;
  int k_ = 0;
  int length_ = 0;  ///< n, padded
  bool healthy_ = true;
  double smallest_pivot_ = 1;
  std::vector<int> free_, position_;
  std::vector<double> held_;  ///< n: 0 for free rows, 1 for all others
  std::vector<double> direction_;
  std::vector<double> cause_;  ///< n: velocities that one unit of an entering force causes directly
  mutable std::vector<double> factors_;
  mutable std::vector<int> met_;
  mutable std::vector<double> answers_;
  /// T = columns − Σ_r pending_column_r pending_row_rᵀ. Large tableaus are brought up to date a few exchanges at a
  /// time: each pass over memory then does the work of all of them.
  std::vector<double> columns_;
  std::vector<double> pending_columns_, pending_rows_;
  int pending_ = 0;
};

}  // namespace jade::lcp
