#include "jade/lcp/few_equations.h"

#include <cmath>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {
namespace {

/// x with a zero in row j, the first lane being row `first`.
JADE_INSIDE_LOOPS void clear_row(int j, int first, Four& x) {
  x = FourBits{first, first + 1, first + 2, first + 3} == j ? Four{} : x;
}

}  // namespace

template <int kRows>
JADE_INSIDE_LOOPS bool FewEquations::factor_in(const ClassRows& rows, const double* A, std::ptrdiff_t stride,
                                               double epsilon, double least_pivot) {
  alignas(32) double K[kRows * kRows];
  const int k = k_;
  // Missing rows are those of the unit matrix. Registers are filled before they are stored: numbers that are stored one by
  // one would be waited for.
  int at[kRows];
  for (int i = 0; i < kRows; ++i) at[i] = rows.free[i < k ? i : 0];
  const auto gather = [&](int row, int first, Four& x) __attribute__((always_inline)) {
    const double* a = A + row * stride;
    const int* r = at + first;
    x = Four{a[r[0]], a[r[1]], a[r[2]], a[r[3]]};
    x = FourBits{first, first + 1, first + 2, first + 3} < k ? x : Four{};
  };
  for (int q = 0; q < k; ++q) {
    for (int b = 0; b < kRows; b += 4) {
      Four x;
      gather(at[q], b, x);
      const Four compliance = FourBits{b, b + 1, b + 2, b + 3} == q ? epsilon * x : Four{};
      four_at(K + q * kRows + b) = x + compliance;
    }
  }
  for (int q = k; q < kRows; ++q) {
    for (int b = 0; b < kRows; b += 4)
      four_at(K + q * kRows + b) = FourBits{b, b + 1, b + 2, b + 3} == q ? Four{1, 1, 1, 1} : Four{};
  }
  for (const ClassRows::Slip& slip : rows.slips) {
    double* column = K + (rows.plain + slip.column) * kRows;
    for (int b = 0; b < kRows; b += 4) {
      Four x;
      gather(slip.tangent, b, x);
      four_at(column + b) += slip.slope * x;
    }
  }
  double least[kRows];
  for (int q = 0; q < kRows; ++q) least[q] = least_pivot * std::abs(K[q * kRows + q]);
#pragma GCC unroll 4
  for (int j = 0; j < kRows; ++j) {
    const double pivot = K[j * kRows + j];
    if (!(std::abs(pivot) > least[j])) return false;
    const double inverse = 1 / pivot;
    inverse_[j] = inverse;
    Four g[kRows / 4];
    for (int b = 0; b < kRows / 4; ++b) {
      g[b] = four_at(K + j * kRows + 4 * b) * inverse;
      clear_row(j, 4 * b, g[b]);
      four_at(G_ + j * kRows + 4 * b) = g[b];
    }
    for (int c = j + 1; c < kRows; ++c) {
      const double factor = K[c * kRows + j];
      for (int b = 0; b < kRows / 4; ++b) four_at(K + c * kRows + 4 * b) -= factor * g[b];
    }
  }
  return true;
}

template <int kRows>
JADE_INSIDE_LOOPS void FewEquations::solve_in(double* r) const {
  constexpr int blocks = kRows / 4;
  for (int i = k_; i < kRows; ++i) r[i] = 0;
  Four x[blocks];  // read number by number, as they have just been written
  for (int b = 0; b < blocks; ++b) x[b] = Four{r[4 * b], r[4 * b + 1], r[4 * b + 2], r[4 * b + 3]};
#pragma GCC unroll 12
  for (int j = 0; j < kRows; ++j) {
    const double factor = x[j / 4][j % 4];
    for (int b = 0; b < blocks; ++b) x[b] -= factor * four_at(G_ + j * kRows + 4 * b);
  }
  for (int b = 0; b < blocks; ++b) four_at(r + 4 * b) = x[b] * four_at(inverse_ + 4 * b);
}

JADE_WIDE_LOOPS bool FewEquations::factor(const ClassRows& rows, const double* A, int stride, double epsilon,
                                          double least_pivot) {
  k_ = static_cast<int>(rows.free.size());
  if (k_ <= 4) return factor_in<4>(rows, A, stride, epsilon, least_pivot);
  return k_ <= 8 ? factor_in<8>(rows, A, stride, epsilon, least_pivot)
                 : factor_in<kMostRows>(rows, A, stride, epsilon, least_pivot);
}

JADE_WIDE_LOOPS void FewEquations::solve(double* r) const {
  if (k_ <= 4) {
    solve_in<4>(r);
  } else if (k_ <= 8) {
    solve_in<8>(r);
  } else {
    solve_in<kMostRows>(r);
  }
}

}  // namespace jade::lcp
