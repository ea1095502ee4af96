#include "jade/lcp/class_equations.h"

#include <algorithm>
#include <utility>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {

void ClassRows::read(const ContactIsland& s, const std::vector<RowClass>& classes) {
  free.clear();
  slips.clear();
  // A tangent follows a normal that comes last; which one is known once all others are counted.
  int slipping = 0;
  for (int i = 0; i < s.n; ++i) {
    if (!is_free(classes[i])) continue;
    bool follows = false;
    if (i < s.m) {
      for (int t = s.tangent_begin[i]; t < s.tangent_begin[i + 1]; ++t) {
        const double slope = slip_slope(s, classes, t);
        if (slope == 0) continue;
        follows = true;
        slips.push_back({slipping, t, slope});
      }
    }
    if (follows) {
      ++slipping;
    } else {
      free.push_back(i);
    }
  }
  plain = static_cast<int>(free.size());
  int latest = -1;
  for (const Slip& slip : slips) {
    if (slip.column == latest) continue;
    latest = slip.column;
    free.push_back(s.normal[slip.tangent]);
  }
}

bool ClassEquations::factor(const ContactIsland& s, const std::vector<RowClass>& classes, double epsilon) {
  rows_.read(s, classes);
  return factor([&](int j) { return s.column(j); }, epsilon, kAnyPivot);
}

namespace {

void fit(std::vector<double>& v, std::ptrdiff_t rows, int columns) {
  const std::size_t size = static_cast<std::size_t>(rows * columns);
  if (v.size() < size) v.resize(size);
}

/// to_i = a[rows_i] for k rows, zero up to a whole register.
JADE_INSIDE_LOOPS void gather(int k, const int* rows, const double* a, double* to) {
  int i = 0;
  for (; i + 4 <= k; i += 4)
    four_at(to + i) = Four{a[rows[i]], a[rows[i + 1]], a[rows[i + 2]], a[rows[i + 3]]};
  if (i == k) return;
  four_at(to + i) = Four{};
  for (; i < k; ++i) to[i] = a[rows[i]];
}

/// to_i += factor a[rows_i] for k rows.
JADE_INSIDE_LOOPS void add_gathered(int k, const int* rows, double factor, const double* a, double* to) {
  int i = 0;
  for (; i + 4 <= k; i += 4)
    four_at(to + i) += factor * Four{a[rows[i]], a[rows[i + 1]], a[rows[i + 2]], a[rows[i + 3]]};
  for (; i < k; ++i) to[i] += factor * a[rows[i]];
}

}  // namespace

/// What lies beyond the last number of a right-hand side meets zeros, and so must be finite.
JADE_INSIDE_LOOPS void ClassEquations::pad(double* r) const {
  for (int i = k_; i < stride_; ++i) r[i] = 0;
}

/// sum = x_0 c_0 + x_1 c_1 + x_2 c_2 + x_3 c_3 for four columns that are `stride` doubles apart.
template <class Numbers>
JADE_INSIDE_LOOPS void combine(const Numbers& x, const double* c, std::ptrdiff_t stride, Four& sum) {
  sum = (x[0] * four_at(c) + x[1] * four_at(c + stride)) +
        (x[2] * four_at(c + 2 * stride) + x[3] * four_at(c + 3 * stride));
}

/// Each block waits for the one before: what is on the way to the next does not leave the registers. The first is read
/// number by number, as it has just been written.
JADE_INSIDE_LOOPS void ClassEquations::forward(double* r) const {  // r ← L⁻¹ r
  if (stride_ == 0) return;
  const std::ptrdiff_t stride = stride_;
  const double* c = L_.data();
  Four x;
  combine(r, c, stride, x);
  for (int top = 0;;) {
    four_at(r + top) = x;
    const int end = end_[top];
    top += 4;
    if (top == stride_) return;
    Four next = four_at(r + top);
    if (end > top) {
      Four change;
      combine(x, c + top, stride, change);
      next -= change;
      for (int i = top + 4; i < end; i += 4) {
        combine(x, c + i, stride, change);
        four_at(r + i) -= change;
      }
    }
    c += 4 * stride;
    combine(next, c + top, stride, x);
  }
}

JADE_INSIDE_LOOPS void ClassEquations::scale(double* r) const {  // r ← D⁻¹ r
  for (int i = 0; i < stride_; i += 4) four_at(r + i) *= four_at(inverse_.data() + i);
}

/// The block that is waited for is added last.
JADE_INSIDE_LOOPS void ClassEquations::backward(double* r) const {  // r ← L⁻ᵀ r
  const std::ptrdiff_t stride = stride_;
  Four latest{};
  for (int top = stride_ - 4; top >= 0; top -= 4) {
    const double* c = L_.data() + top * stride;
    Four x = four_at(r + top);
    if (end_[top] > top + 4) {
      Four s0{}, s1{}, s2{}, s3{};
      const auto add = [&](int i, const Four& y) __attribute__((always_inline)) {
        s0 += y * four_at(c + i);
        s1 += y * four_at(c + stride + i);
        s2 += y * four_at(c + 2 * stride + i);
        s3 += y * four_at(c + 3 * stride + i);
      };
      for (int i = end_[top] - 4; i > top + 4; i -= 4) add(i, four_at(r + i));
      add(top + 4, latest);
      const Four p =
          __builtin_shufflevector(s0, s1, 0, 4, 2, 6) + __builtin_shufflevector(s0, s1, 1, 5, 3, 7);
      const Four q =
          __builtin_shufflevector(s2, s3, 0, 4, 2, 6) + __builtin_shufflevector(s2, s3, 1, 5, 3, 7);
      x -= __builtin_shufflevector(p, q, 0, 1, 4, 5) + __builtin_shufflevector(p, q, 2, 3, 6, 7);
    }
    combine(x, transposed_.data() + static_cast<std::ptrdiff_t>(top) * 4, 4, latest);
    four_at(r + top) = latest;
  }
}

/// L D Lᵀ of the 4 × 4 block at `top`; L⁻¹ takes its place. False when a pivot keeps
/// less than `least_pivot` of the size its row began with.
JADE_INSIDE_LOOPS bool ClassEquations::factor_diagonal_block(int top, double least_pivot,
                                                             const double* sizes) {
  double* c0 = L_.data() + static_cast<std::ptrdiff_t>(top) * stride_ + top;
  double *c1 = c0 + stride_, *c2 = c1 + stride_, *c3 = c2 + stride_;
  const double d0 = c0[0], i0 = 1 / d0;
  const double a10 = c0[1], a20 = c0[2], a30 = c0[3];
  const double l10 = a10 * i0, l20 = a20 * i0, l30 = a30 * i0;
  const double d1 = c1[1] - l10 * a10, i1 = 1 / d1;
  const double a21 = c1[2] - l20 * a10, a31 = c1[3] - l30 * a10;
  const double l21 = a21 * i1, l31 = a31 * i1;
  const double d2 = c2[2] - l20 * a20 - l21 * a21, i2 = 1 / d2;
  const double a32 = c2[3] - l30 * a20 - l31 * a21, l32 = a32 * i2;
  const double d3 = c3[3] - l30 * a30 - l31 * a31 - l32 * a32, i3 = 1 / d3;
  const bool kept = (d0 > least_pivot * sizes[0]) & (d1 > least_pivot * sizes[1]) &
                    (d2 > least_pivot * sizes[2]) & (d3 > least_pivot * sizes[3]);
  if (!kept) return false;
  four_at(D_.data() + top) = Four{d0, d1, d2, d3};
  four_at(inverse_.data() + top) = Four{i0, i1, i2, i3};
  const double u20 = l21 * l10 - l20, u31 = l32 * l21 - l31;
  const double u30 = l31 * l10 - l32 * u20 - l30;
  four_at(c0) = Four{1, -l10, u20, u30};
  four_at(c1) = Four{0, 1, -l21, u31};
  four_at(c2) = Four{0, 0, 1, -l32};
  four_at(c3) = Four{0, 0, 0, 1};
  double* t = transposed_.data() + static_cast<std::ptrdiff_t>(top) * 4;
  four_at(t) = Four{1, 0, 0, 0};
  four_at(t + 4) = Four{-l10, 1, 0, 0};
  four_at(t + 8) = Four{u20, -l21, 1, 0};
  four_at(t + 12) = Four{u30, u31, -l32, 1};
  return true;
}

namespace {

/// Whether a block of 4 × 4 numbers is zero.
JADE_INSIDE_LOOPS bool is_zero_block(const double* c, std::ptrdiff_t stride) {
  FourBits bits{};
  for (int l = 0; l < 4; ++l) collect_bits(four_at(c + l * stride), bits);
  return ((bits[0] | bits[1] | bits[2] | bits[3]) << 1) == 0;
}

}  // namespace

/// The four columns of A₁₁ + ε W from `top` on, and of the unit matrix where there are none, as far as they lie below
/// `top`. `side_by_side`: the rows are neighbours in A.
JADE_INSIDE_LOOPS void ClassEquations::gather_columns(int top, bool side_by_side) {
  const std::ptrdiff_t stride = stride_;
  const int k1 = k1_, end = std::min(top + 4, k1);
  const int* free = rows_.free.data();
  for (int j = top; j < end; ++j) {
    double* to = L_.data() + j * stride;
    if (side_by_side) {
      const double* a = columns_[j] + free[0];
      int i = top;
      for (; i + 4 <= k1; i += 4) four_at(to + i) = four_at(a + i);
      for (; i < k1; ++i) to[i] = a[i];
      for (; i < stride; ++i) to[i] = 0;
    } else {
      gather(k1 - top, free + top, columns_[j], to + top);
    }
    to[j] += epsilon_ * to[j];
  }
  for (int j = end; j < top + 4; ++j) {
    double* to = L_.data() + j * stride;
    four_at(to + top) = Four{};
    to[j] = 1;
  }
}

/// The four columns from `top` on, all before them done. Left-looking: they gather all earlier ones. Blocks of zeros
/// (other islands, bodies further up a stack) are passed over, and no column is followed beyond its last number.
JADE_INSIDE_LOOPS bool ClassEquations::factor_columns(int top, double least_pivot) {
  const std::ptrdiff_t stride = stride_;
  int* end = end_.data();
  double* block = L_.data() + top * stride;
  const double* diagonal = block + top;
  const double sizes[4] = {diagonal[0], diagonal[stride + 1], diagonal[2 * stride + 2],
                           diagonal[3 * stride + 3]};
  int reach = stride_;
  while (reach > top + 4 && is_zero_block(block + reach - 4, stride)) reach -= 4;
  for (int p = 0; p < top; p += 4) {
    if (end[p] <= top) continue;
    const double* from = L_.data() + p * stride;
    if (is_zero_block(from + top, stride)) continue;
    double w[16];
    for (int l = 0; l < 4; ++l) four_at(w + 4 * l) = D_[p + l] * four_at(from + l * stride + top);
    for (int i = top; i < end[p]; i += 4) {
      const Four l0 = four_at(from + i), l1 = four_at(from + stride + i), l2 = four_at(from + 2 * stride + i),
                 l3 = four_at(from + 3 * stride + i);
      for (int c = 0; c < 4; ++c)
        four_at(block + c * stride + i) -= (l0 * w[c] + l1 * w[4 + c]) + (l2 * w[8 + c] + l3 * w[12 + c]);
    }
    reach = std::max(reach, end[p]);
  }
  end[top] = reach;
  if (!factor_diagonal_block(top, least_pivot, sizes)) return false;
  // Below: C = L D Uᵀ⁻¹ with U, the inverse that has taken the place of the diagonal block.
  const double *u = block + top, *u1 = u + stride, *u2 = u1 + stride;
  const double* inverse = inverse_.data() + top;
  for (int i = top + 4; i < reach; i += 4) {
    double* c = block + i;
    const Four x0 = four_at(c), x1 = four_at(c + stride), x2 = four_at(c + 2 * stride),
               x3 = four_at(c + 3 * stride);
    four_at(c) = x0 * inverse[0];
    four_at(c + stride) = (x1 + x0 * u[1]) * inverse[1];
    four_at(c + 2 * stride) = (x2 + (x1 * u1[2] + x0 * u[2])) * inverse[2];
    four_at(c + 3 * stride) = (x3 + (x2 * u2[3] + (x1 * u1[3] + x0 * u[3]))) * inverse[3];
  }
  return true;
}

JADE_INSIDE_LOOPS bool ClassEquations::factor_schur_complement(double least_pivot) {
  const int slip = k_ - k1_;
  pivot_.resize(slip);
  sizes_.resize(slip);
  for (int q = 0; q < slip; ++q) {
    sizes_[q] = std::abs(S_[static_cast<std::size_t>(q) * slip + q]);
    forward(Y_.data() + static_cast<std::ptrdiff_t>(q) * stride_);
    forward(Z_.data() + static_cast<std::ptrdiff_t>(q) * stride_);
    scale(Z_.data() + static_cast<std::ptrdiff_t>(q) * stride_);
  }
  for (int q = 0; q < slip; ++q) {
    for (int i = 0; i < slip; ++i) {
      S_[static_cast<std::size_t>(q) * slip + i] -=
          dot_in_fours(stride_, Z_.data() + static_cast<std::ptrdiff_t>(i) * stride_,
                       Y_.data() + static_cast<std::ptrdiff_t>(q) * stride_);
    }
  }
  // LU with row exchanges.
  for (int j = 0; j < slip; ++j) {
    double* column = S_.data() + static_cast<std::ptrdiff_t>(j) * slip;
    int best = j;
    for (int i = j + 1; i < slip; ++i) {
      if (std::abs(column[i]) > std::abs(column[best])) best = i;
    }
    pivot_[j] = best;
    if (!(std::abs(column[best]) > 1e-300)) return false;
    if (std::abs(column[best]) < least_pivot * sizes_[j]) return false;
    if (best != j) {
      for (int q = 0; q < slip; ++q) {
        std::swap(S_[static_cast<std::size_t>(q) * slip + j], S_[static_cast<std::size_t>(q) * slip + best]);
      }
    }
    const double inverse = 1 / column[j];
    for (int i = j + 1; i < slip; ++i) column[i] *= inverse;
    for (int q = j + 1; q < slip; ++q) {
      double* to = S_.data() + static_cast<std::ptrdiff_t>(q) * slip;
      axpy(slip - j - 1, -to[j], column + j + 1, to + j + 1);
    }
  }
  return true;
}

JADE_WIDE_LOOPS bool ClassEquations::factor_symmetric(double least_pivot) {
  fit(L_, stride_, stride_);
  if (static_cast<int>(D_.size()) < stride_) {
    end_.resize(stride_);
    for (auto* v : {&D_, &inverse_}) v->resize(stride_);
    transposed_.resize(4 * stride_);
  }
  const std::vector<int>& free = rows_.free;
  const bool side_by_side = k1_ > 0 && free[k1_ - 1] - free[0] == k1_ - 1;
  // A block at a time: rows that depend on each other mostly show among the first of them.
  for (int top = 0; top < stride_; top += 4) {
    gather_columns(top, side_by_side);
    if (!factor_columns(top, least_pivot)) return false;
  }
  return true;
}

JADE_WIDE_LOOPS bool ClassEquations::factor_slipping(double least_pivot) {
  const std::ptrdiff_t stride = stride_;
  const int k1 = k1_, slip = k_ - k1;
  const int* free = rows_.free.data();
  fit(Y_, stride, slip);
  fit(Z_, stride, slip);
  fit(S_, slip, slip);
  for (int q = 0; q < slip; ++q) {
    double *y = Y_.data() + q * stride, *z = Z_.data() + q * stride;
    double* schur = S_.data() + static_cast<std::ptrdiff_t>(q) * slip;
    const double* a = columns_[k1 + q];
    gather(k1, free, a, z);
    for (int i = 0; i < stride_; i += 4) four_at(y + i) = four_at(z + i);
    for (int i = 0; i < slip; ++i) schur[i] = a[free[k1 + i]];
    schur[q] += epsilon_ * schur[q];
  }
  const double* const* tangent = columns_.data() + k_;
  for (const ClassRows::Slip& slipping : rows_.slips) {
    double* y = Y_.data() + slipping.column * stride;
    double* schur = S_.data() + static_cast<std::ptrdiff_t>(slipping.column) * slip;
    const double* a = *tangent++;
    add_gathered(k1, free, slipping.slope, a, y);
    add_gathered(slip, free + k1, slipping.slope, a, schur);
  }
  return factor_schur_complement(least_pivot);
}

JADE_WIDE_LOOPS void ClassEquations::solve(double* r) const {
  const int slip = k_ - k1_;
  double* r2 = r + k1_;
  const auto column = [&](const std::vector<double>& m, int q) {
    return m.data() + static_cast<std::ptrdiff_t>(q) * stride_;
  };
  pad(r);
  forward(r);
  if (slip > 0) {
    for (int q = 0; q < slip; ++q) r2[q] -= dot(k1_, column(Z_, q), r);
    for (int q = 0; q < slip; ++q) std::swap(r2[q], r2[pivot_[q]]);
    for (int q = 0; q < slip; ++q) axpy(slip - q - 1, -r2[q], S_.data() + q * slip + q + 1, r2 + q + 1);
    for (int q = slip - 1; q >= 0; --q) {
      r2[q] /= S_[q * slip + q];
      axpy(q, -r2[q], S_.data() + q * slip, r2);
    }
    for (int q = 0; q < slip; ++q) axpy(k1_, -r2[q], column(Y_, q), r);
  }
  scale(r);
  backward(r);
}

JADE_WIDE_LOOPS void ClassEquations::solve_transposed(double* r) const {
  const int slip = k_ - k1_;
  double* r2 = r + k1_;
  const auto column = [&](const std::vector<double>& m, int q) {
    return m.data() + static_cast<std::ptrdiff_t>(q) * stride_;
  };
  pad(r);
  forward(r);
  scale(r);
  for (int q = 0; q < slip; ++q) r2[q] -= dot(k1_, column(Y_, q), r);
  for (int q = 0; q < slip; ++q) r2[q] = (r2[q] - dot(q, S_.data() + q * slip, r2)) / S_[q * slip + q];
  for (int q = slip - 1; q >= 0; --q) r2[q] -= dot(slip - q - 1, S_.data() + q * slip + q + 1, r2 + q + 1);
  for (int q = slip - 1; q >= 0; --q) std::swap(r2[q], r2[pivot_[q]]);
  for (int q = 0; q < slip; ++q) axpy(k1_, -r2[q], column(Z_, q), r);
  backward(r);
}

bool newton_on_classes(const ContactIsland& island, double epsilon, double target, int max_steps,
                       ClassEquations& equations, std::vector<double>& scratch, IslandState& state) {
  for (int step = 0; step < max_steps; ++step) {
    if (!equations.factor(island, state.classes, epsilon)) return false;
    polish(island, equations, scratch, state);
    if (state.residual <= target) return true;
    // The last answer keeps the classes that it was found with: it may be valid enough, and its derivative is theirs.
    if (step + 1 == max_steps || !reclassify(island, state)) return false;
  }
  return false;
}

}  // namespace jade::lcp
