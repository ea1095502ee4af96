#pragma once

#include "jade/lcp/class_equations.h"

namespace jade::lcp {

/// K of a handful of free rows (see ClassEquations), solved by Gauss and Jordan up to three registers wide: as long as rows
/// are few, what ClassEquations wins by symmetry it loses to bookkeeping and to waiting for the number before.
///   for each row j:  r ← r − r_j g_j,   g_j = K_j / K_jj but zero in row j, K as the rows before j left it;   x = r / K_jj
/// No exchanges of rows, so every pivot has to be a good one.
class FewEquations {
 public:
  /// Those of a box that stands.
  static constexpr int kMostRows = 12;

  /// Of K + ε W. Columns of A are `stride` doubles apart. False when a pivot keeps less than `least_pivot` of the size its row
  /// began with.
  bool factor(const ClassRows& rows, const double* A, int stride, double epsilon, double least_pivot);
  /// In place: r becomes K⁻¹ r. Has ClassEquations::room(k) numbers, of which only k count.
  void solve(double* r) const;

 private:
  template <int kRows>
  bool factor_in(const ClassRows& rows, const double* A, std::ptrdiff_t stride, double epsilon,
                 double least_pivot);
  template <int kRows>
  void solve_in(double* r) const;

  int k_ = 0;
  alignas(32) double G_[kMostRows * kMostRows];  ///< by columns
  alignas(32) double inverse_[kMostRows];        ///< of the pivots
};

}  // namespace jade::lcp
