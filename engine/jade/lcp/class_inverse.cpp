#include "jade/lcp/class_inverse.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/LU>

#include "jade/math/row_product.h"

namespace jade {
namespace {

// Rows of which more than this is left are taken as they come, so that those of neighbours stay together.
constexpr double kClearlyIndependent = 1e-3;

double weight_of(const VecX& weights, int row) { return weights.size() == 0 ? 1 : weights[row]; }

/// row −= factor · other, `count` numbers
inline void subtract(double* row, double factor, const double* other, long count) {
  for (long c = 0; c < count; ++c) row[c] -= factor * other[c];
}

}  // namespace

void ClassInverse::begin(const RowMatX& K) {
  size_ = rank_ = static_cast<int>(K.rows());
  LU_ = K;
  equation_.clear();
  contradiction_.resize(0, 0);
  row_.resize(static_cast<std::size_t>(size_));
  std::iota(row_.begin(), row_.end(), 0);
  column_ = row_;
}

void ClassInverse::bring_forward(int row, int column, int k) {
  if (row != k) {
    LU_.row(k).swap(LU_.row(row));
    std::swap(row_[static_cast<std::size_t>(k)], row_[static_cast<std::size_t>(row)]);
  }
  if (column != k) {
    LU_.col(k).swap(LU_.col(column));
    std::swap(column_[static_cast<std::size_t>(k)], column_[static_cast<std::size_t>(column)]);
  }
}

/// Row and column k are the next pivot.
void ClassInverse::eliminate(int k) {
  const double inverse = 1 / LU_(k, k);
  const double* pivot = &LU_(k, 0);
  for (int i = k + 1; i < size_; ++i) {
    double* row = &LU_(i, 0);
    if (row[k] == 0) continue;
    row[k] *= inverse;
    subtract(row + k + 1, row[k], pivot + k + 1, size_ - k - 1);
  }
}

/// Of the pivots' order: zᵀ = (y, 1) with y L₁₁ = −L₂₁.
void ClassInverse::find_left_null_space() {
  const int dependent = size_ - rank_;
  left_.setZero(dependent, size_);
  for (int i = 0; i < dependent; ++i) {
    left_(i, row_[static_cast<std::size_t>(rank_ + i)]) = 1;
    for (int j = rank_; j-- > 0;) {
      double y = -LU_(rank_ + i, j);
      for (int k = j + 1; k < rank_; ++k) y -= left_(i, row_[static_cast<std::size_t>(k)]) * LU_(k, j);
      left_(i, row_[static_cast<std::size_t>(j)]) = y;
    }
  }
}

bool ClassInverse::factor_mean(const RowMatX& K, const VecX& W) {
  if (!factor_independent(K, W)) return false;
  return find_contradiction(W);
}

bool ClassInverse::find_contradiction(const VecX& W) {
  if (!null_space(Y_)) return true;
  find_left_null_space();
  const RowMatX WY = W.asDiagonal() * Y_;
  const Eigen::PartialPivLU<MatX> factor(MatX(left_ * WY).transpose());
  contradiction_ = factor.solve(MatX(WY.transpose())).transpose();
  return contradiction_.allFinite();
}

bool ClassInverse::factor_shared(const RowMatX& K, const VecX& W) {
  if (!factor_pivoted(K, W)) return false;
  const int dependent = size_ - rank_;
  if (dependent == 0) return true;
  if (!find_contradiction(W)) return false;
  equation_.assign(row_.begin(), row_.begin() + rank_);
  for (int i = 0; i < rank_; ++i) LU_.row(i) = K.row(equation_[static_cast<std::size_t>(i)]);
  LU_.bottomRows(dependent) = left_ * W.asDiagonal();
  rank_ = size_;
  std::iota(row_.begin(), row_.end(), 0);
  std::iota(column_.begin(), column_.end(), 0);
  for (int k = 0; k < size_; ++k) {
    int pivot = k;
    for (int i = k + 1; i < size_; ++i)
      if (std::abs(LU_(i, k)) > std::abs(LU_(pivot, k))) pivot = i;
    if (LU_(pivot, k) == 0) return false;
    bring_forward(pivot, k, k);
    eliminate(k);
  }
  return true;
}

bool ClassInverse::factor_independent(const RowMatX& K, const VecX& W, const VecX& weights) {
  begin(K);
  if (!K.allFinite()) return false;
  for (int k = 0; k < size_; ++k) {
    int pivot = -1;
    double largest = 0;
    for (int i = k; i < size_; ++i) {
      const int row = row_[static_cast<std::size_t>(i)];
      const double left = LU_(i, i) / W[row], score = left * weight_of(weights, row);
      if (!(left > dependent_ && score > largest)) continue;
      largest = score;
      pivot = i;
      if (score > kClearlyIndependent) break;
    }
    if (pivot < 0) {
      rank_ = k;
      break;
    }
    bring_forward(pivot, pivot, k);
    eliminate(k);
  }
  return true;
}

bool ClassInverse::factor_pivoted(const RowMatX& K, const VecX& W) {
  begin(K);
  if (!K.allFinite()) return false;
  // In units of the rows' own diagonals.
  scale_ = W.cwiseAbs().cwiseSqrt().cwiseInverse();
  if (!scale_.allFinite()) return false;
  for (int k = 0; k < size_; ++k) {
    int row = -1, column = -1;
    double largest = dependent_;
    for (int i = k; i < size_; ++i)
      for (int j = k; j < size_; ++j) {
        const double left = std::abs(LU_(i, j)) * scale_[row_[static_cast<std::size_t>(i)]] *
                            scale_[column_[static_cast<std::size_t>(j)]];
        if (left <= largest) continue;
        largest = left;
        row = i;
        column = j;
      }
    if (row < 0) {
      rank_ = k;
      break;
    }
    bring_forward(row, column, k);
    eliminate(k);
  }
  return true;
}

bool ClassInverse::null_space(RowMatX& x) const {
  const int count = size_ - rank_;
  if (count == 0) return false;
  x.setZero(size_, count);
  // U₁₁ y = −U₁₂
  null_ = -LU_.topRightCorner(rank_, count);
  for (int i = rank_; i-- > 0;) {
    for (int j = i + 1; j < rank_; ++j) subtract(&null_(i, 0), LU_(i, j), &null_(j, 0), count);
    null_.row(i) /= LU_(i, i);
    x.row(column_[static_cast<std::size_t>(i)]) = null_.row(i);
  }
  for (int i = 0; i < count; ++i) x(column_[static_cast<std::size_t>(rank_ + i)], i) = 1;
  return true;
}

/// x = H r, zero for rows that are not independent; x and r may be the same.
void ClassInverse::solve_once(const Eigen::Ref<RowMatX>& r, Eigen::Ref<RowMatX> x) const {
  const long count = r.cols();
  pivoted_.resize(rank_, count);
  const auto eliminate_rows = [&](int row, int first, int end) {
    if (first == end) return;
    add_row_product({.M = &LU_(row, first),
                     .columns = end - first,
                     .scale = -1,
                     .in = &pivoted_(first, 0),
                     .in_stride = count,
                     .out = &pivoted_(row, 0),
                     .width = static_cast<int>(count)});
  };
  for (int i = 0; i < rank_; ++i) {
    double* row = &pivoted_(i, 0);
    std::copy_n(&r(row_[static_cast<std::size_t>(i)], 0), count, row);
    eliminate_rows(i, 0, i);
  }
  for (int i = rank_; i-- > 0;) {
    double* row = &pivoted_(i, 0);
    eliminate_rows(i, i + 1, rank_);
    const double inverse = 1 / LU_(i, i);
    for (long c = 0; c < count; ++c) row[c] *= inverse;
  }
  for (int i = 0; i < size_; ++i) {
    double* const to = &x(column_[static_cast<std::size_t>(i)], 0);
    if (i < rank_)
      std::copy_n(&pivoted_(i, 0), count, to);
    else
      std::fill_n(to, count, 0.0);
  }
}

void ClassInverse::solve_once_transposed(const VecX& r, VecX& x) const {
  VecX& y = pivoted_one_;
  y.resize(rank_);
  for (int i = 0; i < rank_; ++i) y[i] = r[column_[static_cast<std::size_t>(i)]];
  // Uᵀ, then Lᵀ, by rows of LU.
  for (int i = 0; i < rank_; ++i) {
    y[i] /= LU_(i, i);
    subtract(y.data() + i + 1, y[i], &LU_(i, 0) + i + 1, rank_ - i - 1);
  }
  for (int i = rank_; i-- > 1;) subtract(y.data(), y[i], &LU_(i, 0), i);
  x.setZero(size_);
  for (int i = 0; i < rank_; ++i) x[row_[static_cast<std::size_t>(i)]] = y[i];
}

void ClassInverse::solve(Eigen::Ref<RowMatX> r) const {
  if (size() == 0) return;
  if (contradiction_.size() > 0) r -= contradiction_ * (left_ * r).eval();
  if (equation_.empty()) return solve_once(r, r);
  next_.setZero(size_, r.cols());
  for (std::size_t i = 0; i < equation_.size(); ++i) next_.row(static_cast<long>(i)) = r.row(equation_[i]);
  solve_once(next_, r);
}

void ClassInverse::solve_transposed(VecX& r) const {
  if (size() == 0) return;
  solve_once_transposed(r, other_);
  if (equation_.empty()) {
    r = other_;
  } else {
    r.setZero();
    for (std::size_t i = 0; i < equation_.size(); ++i) r[equation_[i]] = other_[static_cast<long>(i)];
  }
  if (contradiction_.size() > 0) r -= left_.transpose() * (contradiction_.transpose() * r).eval();
}

void ClassInverse::null_part(Eigen::Ref<RowMatX> r) const {
  if (equation_.empty()) {
    r.setZero();
    return;
  }
  next_.setZero(size_, r.cols());
  next_.bottomRows(left_.rows()).noalias() = left_ * r;
  solve_once(next_, r);
}

void ClassInverse::null_part_transposed(VecX& r) const {
  if (equation_.empty()) {
    r.setZero();
    return;
  }
  solve_once_transposed(r, other_);
  r.noalias() = left_.transpose() * other_.tail(left_.rows());
}

}  // namespace jade
