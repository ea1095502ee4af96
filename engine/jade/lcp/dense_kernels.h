#pragma once

#include <cmath>
#include <cstddef>

namespace jade::lcp {

/// Loops over contiguous columns that the compiler vectorises without reordering a single addition, so that
/// every build gives the same bits. Written out because the hot loops of pivoting work on a dozen rows, where
/// the dispatch of a general library costs more than the arithmetic.

/// y += a x
inline void axpy(int n, double a, const double* __restrict x, double* __restrict y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

/// y += a0 x0 + a1 x1 + a2 x2 + a3 x3, one pass over y.
inline void axpy4(int n, const double* a, const double* __restrict x0, const double* __restrict x1,
                  const double* __restrict x2, const double* __restrict x3, double* __restrict y) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  for (int i = 0; i < n; ++i) y[i] += (a0 * x0[i] + a1 * x1[i]) + (a2 * x2[i] + a3 * x3[i]);
}

/// xᵀy in four interleaved sums.
inline double dot(int n, const double* __restrict x, const double* __restrict y) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  for (; i < n; ++i) s0 += x[i] * y[i];
  return (s0 + s2) + (s1 + s3);
}

/// y += M x, M stored by columns, `stride` doubles apart.
inline void multiply_add(int rows, int columns, const double* M, int stride, const double* x, double* y) {
  int j = 0;
  for (; j + 4 <= columns; j += 4) {
    const double* m = M + static_cast<std::ptrdiff_t>(j) * stride;
    axpy4(rows, x + j, m, m + stride, m + 2 * static_cast<std::ptrdiff_t>(stride),
          m + 3 * static_cast<std::ptrdiff_t>(stride), y);
  }
  for (; j < columns; ++j) axpy(rows, x[j], M + static_cast<std::ptrdiff_t>(j) * stride, y);
}

}  // namespace jade::lcp
