#pragma once

#include <cmath>
#include <cstddef>

#include "jade/math/wide_loops.h"

namespace jade::lcp {

/// Loops over contiguous columns that the compiler vectorises without reordering a single addition, so that
/// every build gives the same bits. Written out because the hot loops of pivoting work on a dozen rows, where
/// the dispatch of a general library costs more than the arithmetic.

/// Two doubles in one register.
typedef double Pair __attribute__((vector_size(16)));
inline Pair load_pair(const double* p) {
  Pair pair;
  __builtin_memcpy(&pair, p, sizeof pair);
  return pair;
}
inline void store_pair(Pair pair, double* p) { __builtin_memcpy(p, &pair, sizeof pair); }

/// y += a x, n a multiple of four
JADE_INSIDE_LOOPS void axpy_in_fours(int n, double a, const double* __restrict x, double* __restrict y) {
#pragma GCC unroll 2
  for (int i = 0; i < n; i += 4) four_at(y + i) += a * four_at(x + i);
}

/// y += a0 x0 + a1 x1 + a2 x2 + a3 x3, n a multiple of four
JADE_INSIDE_LOOPS void axpy4_in_fours(int n, const double* a, const double* __restrict x0,
                                      const double* __restrict x1, const double* __restrict x2,
                                      const double* __restrict x3, double* __restrict y) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  for (int i = 0; i < n; i += 4) {
    four_at(y + i) +=
        (a0 * four_at(x0 + i) + a1 * four_at(x1 + i)) + (a2 * four_at(x2 + i) + a3 * four_at(x3 + i));
  }
}

/// M −= c rᵀ, M stored by columns that are `n` doubles apart, n a multiple of four: four columns share each load of c.
JADE_INSIDE_LOOPS void subtract_product(int n, int columns, const double* __restrict c,
                                        const double* __restrict r, double* __restrict M) {
  const std::ptrdiff_t stride = n;
  int j = 0;
  for (; j + 4 <= columns; j += 4) {
    const double r0 = r[j], r1 = r[j + 1], r2 = r[j + 2], r3 = r[j + 3];
    if (r0 == 0 && r1 == 0 && r2 == 0 && r3 == 0) continue;
    double* m = M + j * stride;
    for (int i = 0; i < n; i += 4, m += 4) {
      const Four x = four_at(c + i);
      four_at(m) -= r0 * x;
      four_at(m + stride) -= r1 * x;
      four_at(m + 2 * stride) -= r2 * x;
      four_at(m + 3 * stride) -= r3 * x;
    }
  }
  for (; j < columns; ++j) {
    if (r[j] != 0) axpy_in_fours(n, -r[j], c, M + j * stride);
  }
}

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

/// xᵀy in eight interleaved sums, two to a vector register.
inline double dot(int n, const double* x, const double* y) {
  Pair s0{}, s1{}, s2{}, s3{};
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    s0 += load_pair(x + i) * load_pair(y + i);
    s1 += load_pair(x + i + 2) * load_pair(y + i + 2);
    s2 += load_pair(x + i + 4) * load_pair(y + i + 4);
    s3 += load_pair(x + i + 6) * load_pair(y + i + 6);
  }
  for (; i + 2 <= n; i += 2) s0 += load_pair(x + i) * load_pair(y + i);
  const Pair sum = (s0 + s2) + (s1 + s3);
  double total = sum[0] + sum[1];
  if (i < n) total += x[i] * y[i];
  return total;
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
