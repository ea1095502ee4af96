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

/// The sums of N registers of columns of `in`, from column `first` on, for all rows of M.
template <class Registers, int N>
JADE_INSIDE_LOOPS void add_columns(const RowProduct& p, int first) {
  typedef typename Registers::Wide Wide;
  // Numbers that stores to `out` cannot change.
  const int rows = p.rows, columns = p.columns;
  const long in_stride = p.in_stride, out_stride = p.out_stride, M_stride = p.M_stride;
  const double scale = p.scale;
  const bool afresh = p.afresh;
  const double* const first_in = p.in + first;
  const double* M = p.M;
  double* out = p.out + first;
  for (int i = 0; i < rows; ++i, M += M_stride, out += out_stride) {
    const double* in = first_in;
    Wide sum[N];
    for (int k = 0; k < N; ++k) sum[k] = afresh ? Wide{} : reinterpret_cast<const Wide*>(out)[k];
    for (int j = 0; j < columns; ++j, in += in_stride) {
      if (M[j] == 0) continue;
      const double factor = scale * M[j];
      for (int k = 0; k < N; ++k) sum[k] += factor * reinterpret_cast<const Wide*>(in)[k];
    }
    for (int k = 0; k < N; ++k) reinterpret_cast<Wide*>(out)[k] = sum[k];
  }
}

}  // namespace row_product

/// The same inside of a function with wide loops of its own.
JADE_INSIDE_LOOPS void add_row_product_inside(const RowProduct& p) {
  using namespace row_product;
  int first = 0;
  for (; p.width - first >= 32; first += 32) add_columns<Fours, 8>(p, first);
  // What is left of the fours in one go, so that M is read once.
  const int fours = (p.width - first) / 4;
  if (fours == 7) add_columns<Fours, 7>(p, first);
  if (fours == 6) add_columns<Fours, 6>(p, first);
  if (fours == 5) add_columns<Fours, 5>(p, first);
  if (fours == 4) add_columns<Fours, 4>(p, first);
  if (fours == 3) add_columns<Fours, 3>(p, first);
  if (fours == 2) add_columns<Fours, 2>(p, first);
  if (fours == 1) add_columns<Fours, 1>(p, first);
  first += 4 * fours;
  if (p.width - first >= 2) add_columns<Twos, 1>(p, first), first += 2;
  if (p.width > first) add_columns<Ones, 1>(p, first);
}

}  // namespace jade
