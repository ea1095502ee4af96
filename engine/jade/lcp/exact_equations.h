#pragma once

#include "jade/lcp/class_equations.h"
#include "jade/lcp/class_inverse.h"

namespace jade::lcp {

/// The equations of given classes (see ClassEquations) without compliance, for rows that nearly depend on each other or
/// contradict each other: every mode down to what rounding leaves of dependent rows is solved for, what contradicts itself is
/// met in the mean, and dependent rows share their load as a vanishing compliance lets them (ClassInverse::factor_shared).
/// Dearer than ClassEquations, since pivots are looked for everywhere.
class ExactEquations {
 public:
  /// Beyond this many rows a search for pivots takes a tenth of a millisecond.
  static constexpr int kMostRows = 64;
  /// `dependent`: see ClassInverse.
  explicit ExactEquations(double dependent = ClassInverse::kDependent) : inverse_(dependent) {}

  /// Rows of a matrix whose column j `column(j)` points to. False when there are none or too many, or when something is not
  /// finite.
  template <class Columns>
  bool factor(const ClassRows& rows, const Columns& column);
  /// In place, one number for each free row.
  void solve(double* r);
  /// r ← r − K x
  void subtract_product(const double* x, double* r) const;

 private:
  ClassInverse inverse_;
  RowMatX K_, r_;
  VecX W_;
};

template <class Columns>
bool ExactEquations::factor(const ClassRows& rows, const Columns& column) {
  const int k = static_cast<int>(rows.free.size());
  if (k == 0 || k > kMostRows) return false;
  K_.resize(k, k);
  W_.resize(k);
  for (int q = 0; q < k; ++q) {
    const double* a = column(rows.free[q]);
    W_[q] = a[rows.free[q]];
    for (int p = 0; p < k; ++p) K_(p, q) = a[rows.free[p]];
  }
  for (const ClassRows::Slip& slip : rows.slips) {
    const double* a = column(slip.tangent);
    for (int p = 0; p < k; ++p) K_(p, rows.plain + slip.column) += slip.slope * a[rows.free[p]];
  }
  return inverse_.factor_shared(K_, W_);
}

inline void ExactEquations::solve(double* r) {
  const long k = K_.rows();
  r_ = Eigen::Map<const VecX>(r, k);
  inverse_.solve(r_);
  Eigen::Map<VecX>(r, k) = r_;
}

inline void ExactEquations::subtract_product(const double* x, double* r) const {
  const long k = K_.rows();
  Eigen::Map<VecX>(r, k) -= K_ * Eigen::Map<const VecX>(x, k);
}

}  // namespace jade::lcp
