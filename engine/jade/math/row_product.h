#pragma once

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

}  // namespace jade
