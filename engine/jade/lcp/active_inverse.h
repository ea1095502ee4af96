#pragma once

#include <vector>

#include "jade/lcp/class_equations.h"
#include "jade/lcp/contact_island.h"

namespace jade::lcp {

/// The inverse of the coupled equations of the current classes, kept while rows change class one by one.
///
/// Jade, section "Dantzig's Algorithm with Friction", equations E_C and E_F, with the typing error A_{C C_H} in
/// front of f_{C_L} read as A_{C C_L}. Written with the forces of the free rows X = C ∪ F as unknowns x:
///   f = P x:  f_i = x_i on X,  f_t = ±μ x_n for slipping tangents (H: +, L: −),  0 elsewhere
///   K = S (A + ε W) P,  S picks the rows X, W = diag(A)           K is not symmetric once rows slip
/// Entering and leaving rows border the inverse or delete from it: O(k²), k = |X|. A tangent that starts to slip
/// stays tied to its normal, so "leaving F" is a deletion of the slack s = μ f_n ∓ f_t and not of f_t itself.
class ActiveInverse {
 public:
  void reset(const ContactIsland& island, double epsilon);

  int size() const { return k_; }
  double epsilon() const { return epsilon_; }
  const std::vector<int>& free_rows() const { return free_; }
  const double* direction() const {
    return direction_.data();
  }  ///< k: K⁻¹ rhs, kept up to date by every change below
  const double* column(int j) const { return inverse_.data() + static_cast<std::ptrdiff_t>(j) * stride_; }

  /// A normal becomes clamped; its tangents slip as `classes` says (or are not there yet). `rhs` is the entry of
  /// the right-hand side of its equation. Returns the new component of the direction; 0 if singular.
  double insert_normal(int i, const std::vector<RowClass>& classes, double rhs);
  /// A slipping tangent starts to stick. Returns the speed of the slack s of the friction bound it leaves.
  double insert_tangent(int t, const std::vector<RowClass>& classes, double rhs);
  /// A tangent that was never tied to its normal (f_t = 0 so far) becomes free.
  double insert_loose(int t, const std::vector<RowClass>& classes, double rhs);
  /// A row leaves the free rows with zero force. Returns the speed of its velocity afterwards.
  double remove(int row);
  /// A sticking tangent starts to slip at its upper (+1) or lower (−1) bound. Returns the speed of its velocity.
  double remove_to_bound(int t, int sign);

  /// Forgets the rounding of all changes so far: the inverse of freshly factored equations of the same classes, and
  /// the direction for a right-hand side given on all n rows.
  void rebuild(const ClassEquations& equations, const std::vector<RowClass>& classes, const double* rhs);

  /// The direction for another right-hand side, given on all n rows.
  void aim(const double* rhs);

  /// How all n velocities feel the unknown of a free row: the column of A P, slipping tangents folded in.
  const double* velocity_column(int row) const {
    return row < island_->m ? folded_.data() + static_cast<std::ptrdiff_t>(row) * stride_
                            : island_->column(row);
  }

  /// In place, for vectors over the free rows: r becomes K⁻¹ r.
  void solve(double* r) const;
  bool healthy() const { return healthy_; }
  /// The least pivot met so far, where 1 means an independent row and ε a redundant one.
  double smallest_pivot() const { return smallest_pivot_; }

 private:
  void fold(int normal, const std::vector<RowClass>& classes);
  double border(int row, double rhs);
  double erase(int position, int tied_to, double slope);

  const ContactIsland* island_ = nullptr;
  double epsilon_ = 0;
  int k_ = 0;
  int stride_ = 0;
  bool healthy_ = true;
  double smallest_pivot_ = 1;
  std::vector<double> inverse_;
  std::vector<double> direction_;
  std::vector<int> free_, position_;
  std::vector<double> folded_;  ///< n × m: columns of A P of the clamped normals
  std::vector<double> column_x_, row_x_, u_;
  mutable std::vector<double> w_;
  double corner_ = 0;
};

}  // namespace jade::lcp
