#pragma once

#include "jade/math/wide_loops.h"

namespace jade {

/// out += scale M in, where `in` and `out` are rows of `width` numbers each and M is small. Entries of M that are zero are
/// left out, and the terms of a number are added in the order of M's columns: the bits do not depend on the width.
struct RowProduct {
  const double* M = nullptr;  ///< rows × columns
  int rows = 1, columns = 0;
  long M_stride = 0;  ///< from one row of M to the next
  double scale = 1;
  const double* in = nullptr;  ///< `columns` rows
  long in_stride = 0;
  double* out = nullptr;  ///< `rows` rows
  long out_stride = 0;
  int width = 0;
  bool afresh = false;  ///< out = scale M in: what stood there is not read
};
void add_row_product(const RowProduct& product);

namespace row_product {

/// Registers of so many doubles: fours, and less for what is left of a row.
struct Fours {
  typedef Four Wide;
};
struct Twos {
  typedef double Wide __attribute__((vector_size(16), aligned(8), may_alias));
};
struct Ones {
  typedef double Wide;
};

/// The sums of one row of M for N registers of columns of `in`.
template <class Registers, int N>
JADE_INSIDE_LOOPS void add_columns(const RowProduct& p, const double* M, const double* in, double* out) {
  typedef typename Registers::Wide Wide;
  const Wide* const before = reinterpret_cast<const Wide*>(out);
  Wide sum[N];
  for (int k = 0; k < N; ++k) sum[k] = p.afresh ? Wide{} : before[k];
  for (int j = 0; j < p.columns; ++j, in += p.in_stride) {
    if (M[j] == 0) continue;
    const double factor = p.scale * M[j];
    for (int k = 0; k < N; ++k) sum[k] += factor * reinterpret_cast<const Wide*>(in)[k];
  }
  for (int k = 0; k < N; ++k) reinterpret_cast<Wide*>(out)[k] = sum[k];
}

}  // namespace row_product

/// The same inside of a function with wide loops of its own.
JADE_INSIDE_LOOPS void add_row_product_inside(const RowProduct& p) {
  using namespace row_product;
  for (int i = 0; i < p.rows; ++i) {
    const double* M = p.M + i * p.M_stride;
    const double* in = p.in;
    double* out = p.out + i * p.out_stride;
    int left = p.width;
    for (; left >= 32; left -= 32, in += 32, out += 32) add_columns<Fours, 8>(p, M, in, out);
    // In one go, so that M is read once.
    const int fours = left / 4;
    if (fours == 7) add_columns<Fours, 7>(p, M, in, out);
    if (fours == 6) add_columns<Fours, 6>(p, M, in, out);
    if (fours == 5) add_columns<Fours, 5>(p, M, in, out);
    if (fours == 4) add_columns<Fours, 4>(p, M, in, out);
    if (fours == 3) add_columns<Fours, 3>(p, M, in, out);
    if (fours == 2) add_columns<Fours, 2>(p, M, in, out);
    if (fours == 1) add_columns<Fours, 1>(p, M, in, out);
    left -= 4 * fours, in += 4 * fours, out += 4 * fours;
    if (left >= 2) add_columns<Twos, 1>(p, M, in, out), left -= 2, in += 2, out += 2;
    if (left > 0) add_columns<Ones, 1>(p, M, in, out);
  }
}

}  // namespace jade
