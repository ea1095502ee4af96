#include "jade/lcp/class_equations.h"

#include <utility>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {

bool ClassEquations::factor(const ContactIsland& s, const std::vector<RowClass>& classes, double epsilon) {
  epsilon_ = epsilon;
  free_.clear();
  const auto slips = [&](int i) {
    for (int t = s.tangent_begin[i]; t < s.tangent_begin[i + 1]; ++t) {
      if (slip_slope(s, classes, t) != 0) return true;
    }
    return false;
  };
  for (int i = 0; i < s.n; ++i) {
    if (is_free(classes[i]) && !(i < s.m && slips(i))) free_.push_back(i);
  }
  k1_ = static_cast<int>(free_.size());
  for (int i = 0; i < s.m; ++i) {
    if (classes[i] == RowClass::clamped && slips(i)) free_.push_back(i);
  }
  k_ = static_cast<int>(free_.size());

  L_.resize(static_cast<std::size_t>(k1_) * k1_);
  for (int j = 0; j < k1_; ++j) {
    const double* a = s.column(free_[j]);
    double* to = L_.data() + static_cast<std::ptrdiff_t>(j) * k1_;
    for (int i = j; i < k1_; ++i) to[i] = a[free_[i]];
    to[j] += epsilon * a[free_[j]];
  }
  return cholesky() && schur_complement(s, classes, epsilon);
}

/// Left-looking by columns: column j gathers all earlier columns in passes of four.
JADE_WIDE_LOOPS bool ClassEquations::cholesky() {
  const int k = k1_;
  for (int j = 0; j < k; ++j) {
    double* column = L_.data() + static_cast<std::ptrdiff_t>(j) * k;
    int p = 0;
    for (; p + 4 <= j; p += 4) {
      const double* c = L_.data() + static_cast<std::ptrdiff_t>(p) * k + j;
      const std::ptrdiff_t stride = k;
      const double factors[4] = {-c[0], -c[stride], -c[2 * stride], -c[3 * stride]};
      axpy4(k - j, factors, c, c + stride, c + 2 * stride, c + 3 * stride, column + j);
    }
    for (; p < j; ++p) {
      const double* c = L_.data() + static_cast<std::ptrdiff_t>(p) * k + j;
      axpy(k - j, -c[0], c, column + j);
    }
    if (!(column[j] > 0)) return false;
    const double root = std::sqrt(column[j]);
    const double inverse = 1 / root;
    column[j] = root;
    for (int i = j + 1; i < k; ++i) column[i] *= inverse;
  }
  return true;
}

JADE_WIDE_LOOPS bool ClassEquations::schur_complement(const ContactIsland& s,
                                                      const std::vector<RowClass>& classes, double epsilon) {
  const int slip = k_ - k1_;
  Y_.resize(static_cast<std::size_t>(k1_) * slip);
  Z_.resize(static_cast<std::size_t>(k1_) * slip);
  S_.resize(static_cast<std::size_t>(slip) * slip);
  pivot_.resize(slip);
  permuted_.resize(slip);
  for (int q = 0; q < slip; ++q) {
    const int normal = free_[k1_ + q];
    double* y = Y_.data() + static_cast<std::ptrdiff_t>(q) * k1_;
    double* z = Z_.data() + static_cast<std::ptrdiff_t>(q) * k1_;
    double* schur = S_.data() + static_cast<std::ptrdiff_t>(q) * slip;
    const double* a = s.column(normal);
    for (int i = 0; i < k1_; ++i) y[i] = z[i] = a[free_[i]];
    for (int i = 0; i < slip; ++i) schur[i] = a[free_[k1_ + i]];
    schur[q] += epsilon * a[normal];
    for (int t = s.tangent_begin[normal]; t < s.tangent_begin[normal + 1]; ++t) {
      const double slope = slip_slope(s, classes, t);
      if (slope == 0) continue;
      const double* at = s.column(t);
      for (int i = 0; i < k1_; ++i) y[i] += slope * at[free_[i]];
      for (int i = 0; i < slip; ++i) schur[i] += slope * at[free_[k1_ + i]];
    }
    forward(y);
    forward(z);
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
    r[j] /= column[j];
    axpy(k1_ - j - 1, -r[j], column + j + 1, r + j + 1);
  }
}

void ClassEquations::backward(double* r) const {  // r ← L⁻ᵀ r
  for (int j = k1_ - 1; j >= 0; --j) {
    const double* column = L_.data() + static_cast<std::ptrdiff_t>(j) * k1_;
    r[j] = (r[j] - dot(k1_ - j - 1, column + j + 1, r + j + 1)) / column[j];
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
