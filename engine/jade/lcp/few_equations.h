#pragma once

#include "jade/lcp/class_equations.h"

namespace jade::lcp {

/// K of a handful of free rows (see ClassEquations) as one L U, a register or two wide: as long as rows are few, what
/// ClassEquations wins by symmetry it loses to bookkeeping. No exchanges of rows, so every pivot has to be a good one.
class FewEquations {
 public:
  static constexpr int kMostRows = 8;

  /// Columns of A are `stride` doubles apart. False when a pivot keeps less than `least_pivot` of the size its row began with.
  bool factor(const ClassRows& rows, const double* A, int stride, double least_pivot);
  /// In place: r becomes K⁻¹ r. Has ClassEquations::room(k) numbers, of which only k count.
  void solve(double* r) const;

 private:
  template <int kRows>
  bool factor_in(const ClassRows& rows, const double* A, std::ptrdiff_t stride, double least_pivot);
  template <int kRows>
  void solve_in(double* r) const;

  int k_ = 0;
  alignas(32) double L_[kMostRows * kMostRows];  ///< by columns, zero on and above the diagonal
  alignas(32) double U_[kMostRows * kMostRows];  ///< by columns, zero on and below it
  alignas(32) double inverse_[kMostRows];        ///< of the pivots
};

}  // namespace jade::lcp
