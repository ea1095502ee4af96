#include "jade/lcp/class_equations.h"

#include <algorithm>
#include <utility>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {

bool ClassEquations::factor(const ContactIsland& s, const std::vector<RowClass>& classes, double epsilon) {
  rows_.free.clear();
  rows_.slips.clear();
  // A tangent follows a normal that comes last; which one is known once all others are counted.
  int slipping = 0;
  for (int i = 0; i < s.n; ++i) {
    if (!is_free(classes[i])) continue;
    bool slips = false;
    if (i < s.m) {
      for (int t = s.tangent_begin[i]; t < s.tangent_begin[i + 1]; ++t) {
        const double slope = slip_slope(s, classes, t);
        if (slope == 0) continue;
        slips = true;
        rows_.slips.push_back({slipping, t, slope});
      }
    }
    if (slips) {
      ++slipping;
    } else {
      rows_.free.push_back(i);
    }
  }
  rows_.plain = static_cast<int>(rows_.free.size());
  int latest = -1;
  for (const ClassRows::Slip& slip : rows_.slips) {
    if (slip.column == latest) continue;
    latest = slip.column;
    rows_.free.push_back(s.normal[slip.tangent]);
  }
  return factor([&](int j) { return s.column(j); }, epsilon, kAnyPivot);
}

/// Left-looking by columns: column j gathers all earlier columns in passes of four. Columns that do not reach row j
/// (other islands, bodies further up a stack) are passed over, and no column is followed beyond its last number.
JADE_WIDE_LOOPS bool ClassEquations::cholesky(double least_pivot) {
  const int k = k1_;
  if (static_cast<int>(end_.size()) < k) end_.resize(k);
  int* end = end_.data();
  for (int j = 0; j < k; ++j) {
    double* column = L_.data() + static_cast<std::ptrdiff_t>(j) * k;
    const double least = least_pivot * column[j];
    end[j] = k;
    while (end[j] > j + 1 && column[end[j] - 1] == 0) --end[j];
    int p = 0;
    for (; p + 4 <= j; p += 4) {
      const double* c = L_.data() + static_cast<std::ptrdiff_t>(p) * k + j;
      const std::ptrdiff_t stride = k;
      const double factors[4] = {-c[0], -c[stride], -c[2 * stride], -c[3 * stride]};
      if (factors[0] == 0 && factors[1] == 0 && factors[2] == 0 && factors[3] == 0) continue;
      const int last = std::max(std::max(end[p], end[p + 1]), std::max(end[p + 2], end[p + 3]));
      axpy4(last - j, factors, c, c + stride, c + 2 * stride, c + 3 * stride, column + j);
      end[j] = std::max(end[j], last);
    }
    for (; p < j; ++p) {
      const double* c = L_.data() + static_cast<std::ptrdiff_t>(p) * k + j;
      if (c[0] == 0) continue;
      axpy(end[p] - j, -c[0], c, column + j);
      end[j] = std::max(end[j], end[p]);
    }
    if (!(column[j] > least)) return false;
    const double inverse = 1 / std::sqrt(column[j]);
    column[j] = inverse;  // the diagonal of L is kept as its inverse
    for (int i = j + 1; i < end[j]; ++i) column[i] *= inverse;
  }
  return true;
}

JADE_WIDE_LOOPS bool ClassEquations::schur_complement(double least_pivot) {
  const int slip = k_ - k1_;
  pivot_.resize(slip);
  sizes_.resize(slip);
  for (int q = 0; q < slip; ++q) {
    sizes_[q] = std::abs(S_[static_cast<std::size_t>(q) * slip + q]);
    forward(Y_.data() + static_cast<std::ptrdiff_t>(q) * k1_);
    forward(Z_.data() + static_cast<std::ptrdiff_t>(q) * k1_);
  }
  for (int q = 0; q < slip; ++q) {
    for (int i = 0; i < slip; ++i) {
      S_[static_cast<std::size_t>(q) * slip + i] -= dot(k1_, Z_.data() + static_cast<std::ptrdiff_t>(i) * k1_,
                                                        Y_.data() + static_cast<std::ptrdiff_t>(q) * k1_);
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

JADE_WIDE_LOOPS void ClassEquations::forward(double* r) const {  // r ← L⁻¹ r
  for (int j = 0; j < k1_; ++j) {
    const double* column = L_.data() + static_cast<std::ptrdiff_t>(j) * k1_;
    r[j] *= column[j];
    axpy(end_[j] - j - 1, -r[j], column + j + 1, r + j + 1);
  }
}

JADE_WIDE_LOOPS void ClassEquations::backward(double* r) const {  // r ← L⁻ᵀ r
  for (int j = k1_ - 1; j >= 0; --j) {
    const double* column = L_.data() + static_cast<std::ptrdiff_t>(j) * k1_;
    r[j] = (r[j] - dot(end_[j] - j - 1, column + j + 1, r + j + 1)) * column[j];
  }
}

void ClassEquations::solve(double* r) const {
  const int slip = k_ - k1_;
  double* r2 = r + k1_;
  forward(r);
  for (int q = 0; q < slip; ++q) r2[q] -= dot(k1_, Z_.data() + static_cast<std::ptrdiff_t>(q) * k1_, r);
  for (int q = 0; q < slip; ++q) std::swap(r2[q], r2[pivot_[q]]);
  for (int q = 0; q < slip; ++q) axpy(slip - q - 1, -r2[q], S_.data() + q * slip + q + 1, r2 + q + 1);
  for (int q = slip - 1; q >= 0; --q) {
    r2[q] /= S_[q * slip + q];
    axpy(q, -r2[q], S_.data() + q * slip, r2);
  }
  for (int q = 0; q < slip; ++q) axpy(k1_, -r2[q], Y_.data() + static_cast<std::ptrdiff_t>(q) * k1_, r);
  backward(r);
}

void ClassEquations::solve_transposed(double* r) const {
  const int slip = k_ - k1_;
  double* r2 = r + k1_;
  forward(r);
  for (int q = 0; q < slip; ++q) r2[q] -= dot(k1_, Y_.data() + static_cast<std::ptrdiff_t>(q) * k1_, r);
  for (int q = 0; q < slip; ++q) r2[q] = (r2[q] - dot(q, S_.data() + q * slip, r2)) / S_[q * slip + q];
  for (int q = slip - 1; q >= 0; --q) r2[q] -= dot(slip - q - 1, S_.data() + q * slip + q + 1, r2 + q + 1);
  for (int q = slip - 1; q >= 0; --q) std::swap(r2[q], r2[pivot_[q]]);
  for (int q = 0; q < slip; ++q) axpy(k1_, -r2[q], Z_.data() + static_cast<std::ptrdiff_t>(q) * k1_, r);
  backward(r);
}

bool newton_on_classes(const ContactIsland& island, double epsilon, double target, int max_steps,
                       ClassEquations& equations, std::vector<double>& scratch, IslandState& state) {
  for (int step = 0; step < max_steps; ++step) {
    if (!equations.factor(island, state.classes, epsilon)) return false;
    polish(island, equations, scratch, state);
    if (state.residual <= target) return true;
    if (!reclassify(island, state)) return false;
  }
  return false;
}

}  // namespace jade::lcp
