#include "jade/math/row_product.h"

#include "jade/math/wide_loops.h"

namespace jade {
namespace {

/// The sums of one row of M for 4 N columns of `in`, kept in registers.
template <int N>
JADE_INSIDE_LOOPS void add_columns(const RowProduct& p, const double* M, const double* in, double* out) {
  Four sum[N];
  for (int k = 0; k < N; ++k) sum[k] = four_at(out + 4 * k);
  for (int j = 0; j < p.columns; ++j, in += p.in_stride) {
    if (M[j] == 0) continue;
    const double factor = p.scale * M[j];
    for (int k = 0; k < N; ++k) sum[k] += factor * four_at(in + 4 * k);
  }
  for (int k = 0; k < N; ++k) four_at(out + 4 * k) = sum[k];
}

}  // namespace

JADE_WIDE_LOOPS void add_row_product(const RowProduct& p) {
  for (int i = 0; i < p.rows; ++i) {
    const double* M = p.M + i * p.M_stride;
    const double* in = p.in;
    double* out = p.out + i * p.out_stride;
    int left = p.width;
    for (; left >= 32; left -= 32, in += 32, out += 32) add_columns<8>(p, M, in, out);
    if (left >= 16) add_columns<4>(p, M, in, out), left -= 16, in += 16, out += 16;
    if (left >= 8) add_columns<2>(p, M, in, out), left -= 8, in += 8, out += 8;
    if (left >= 4) add_columns<1>(p, M, in, out), left -= 4, in += 4, out += 4;
    for (; left > 0; --left, ++in, ++out)
      for (int j = 0; j < p.columns; ++j)
        if (M[j] != 0) *out += (p.scale * M[j]) * in[j * p.in_stride];
  }
}

}  // namespace jade
