#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "jade/math/wide_loops.h"

namespace jade::lcp {

/// Loops over contiguous columns that the compiler vectorises without reordering a single addition, so that
/// every build gives the same bits. Written out because the hot loops of pivoting work on a dozen rows, where
/// the dispatch of a general library costs more than the arithmetic.

/// Four contacts of three rows, a box on the ground: the most common island of all has loops of its own.
inline constexpr int kRowsOfABox = 12;

/// Two doubles in one register.
typedef double Pair __attribute__((vector_size(16)));
inline Pair load_pair(const double* p) {
  Pair pair;
  __builtin_memcpy(&pair, p, sizeof pair);
  return pair;
}

/// Whether x is neither 0 nor −0, as a number: a step less than the comparison, which has to think of NaN.
inline int is_not_zero(double x) { return std::bit_cast<std::uint64_t>(x) << 1 != 0; }

/// bits |= those of x
JADE_INSIDE_LOOPS void collect_bits(const Four& x, FourBits& bits) {
  bits |= reinterpret_cast<const FourBits&>(x);
}

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

/// xᵀy in eight interleaved sums, n a multiple of four.
JADE_INSIDE_LOOPS double dot_in_fours(int n, const double* __restrict x, const double* __restrict y) {
  Four even{}, odd{};
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    even += four_at(x + i) * four_at(y + i);
    odd += four_at(x + i + 4) * four_at(y + i + 4);
  }
  if (i < n) even += four_at(x + i) * four_at(y + i);
  const Four sum = even + odd;
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/// y += Σ x_c column_c and size += Σ |x_c column_c| for a handful of columns. Each row's sums stay in registers.
JADE_INSIDE_LOOPS void add_with_sizes(int n, int columns, const double* const* column, const double* x,
                                      double* __restrict y, double* __restrict size) {
  int i = 0;
  for (; i + 12 <= n; i += 12) {
    Four y0 = four_at(y + i), y1 = four_at(y + i + 4), y2 = four_at(y + i + 8);
    Four s0 = four_at(size + i), s1 = four_at(size + i + 4), s2 = four_at(size + i + 8);
    for (int c = 0; c < columns; ++c) {
      const double* a = column[c] + i;
      const Four t0 = x[c] * four_at(a), t1 = x[c] * four_at(a + 4), t2 = x[c] * four_at(a + 8);
      y0 += t0;
      y1 += t1;
      y2 += t2;
      add_size(t0, s0);
      add_size(t1, s1);
      add_size(t2, s2);
    }
    four_at(y + i) = y0;
    four_at(y + i + 4) = y1;
    four_at(y + i + 8) = y2;
    four_at(size + i) = s0;
    four_at(size + i + 4) = s1;
    four_at(size + i + 8) = s2;
  }
  for (; i + 4 <= n; i += 4) {
    Four y0 = four_at(y + i), s0 = four_at(size + i);
    for (int c = 0; c < columns; ++c) {
      const Four t0 = x[c] * four_at(column[c] + i);
      y0 += t0;
      add_size(t0, s0);
    }
    four_at(y + i) = y0;
    four_at(size + i) = s0;
  }
  for (; i < n; ++i) {
    double y0 = y[i], s0 = size[i];
    for (int c = 0; c < columns; ++c) {
      // The analyzer does not see that as many columns are there as are counted.
      const double t0 = x[c] * column[c][i];  // NOLINT(clang-analyzer-core.NullDereference)
      y0 += t0;
      s0 += std::abs(t0);
    }
    y[i] = y0;
    size[i] = s0;
  }
}

/// v += A f and σ += |A||f|, over the columns that carry force; `column(j)` points to column j of A.
template <class Columns>
JADE_INSIDE_LOOPS void add_velocities(int n, int columns, const Columns& column, const double* f, double* v,
                                      double* sigma) {
  constexpr int kHandful = 12;
  for (int begin = 0; begin < columns; begin += kHandful) {
    const double* active[kHandful];
    double force[kHandful];
    const int end = begin + kHandful < columns ? begin + kHandful : columns;
    int count = 0;
    for (int j = begin; j < end; ++j) {
      active[count] = column(j);
      force[count] = f[j];
      count += is_not_zero(f[j]);
    }
    if (count > 0) add_with_sizes(n, count, active, force, v, sigma);
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

}  // namespace jade::lcp
