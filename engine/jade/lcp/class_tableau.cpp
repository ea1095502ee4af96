#include "jade/lcp/class_tableau.h"

#include <algorithm>
#include <cmath>

#include "jade/lcp/class_exchanges.h"

namespace jade::lcp {
void ClassTableau::reset(const ContactIsland& island, double epsilon) {
  island_ = &island;
  epsilon_ = epsilon;
  k_ = 0;
  pending_ = 0;
  healthy_ = true;
  smallest_pivot_ = 1;
  length_ = island.stride;
  const std::size_t held = static_cast<std::size_t>(length_);
  const std::size_t full = static_cast<std::size_t>(length_) * length_;
  if (columns_.size() < full) columns_.resize(full);
  const std::size_t waiting = static_cast<std::size_t>(length_) * kMaxPending;
  if (pending_rows_.size() < waiting) {
    for (auto* v : {&pending_columns_, &pending_rows_}) v->resize(waiting);
    for (auto* v : {&direction_, &cause_, &factors_, &answers_}) v->resize(length_);
    met_.resize(length_ + 1);
  }
  free_.clear();
  if (position_.size() < held) position_.resize(held);
  if (held_.size() < held) held_.resize(held);
  for (int i = 0; i < length_; ++i) held_[i] = 1;
}

JADE_WIDE_LOOPS void ClassTableau::respond(const double* q, double* answer) const { answer_to<0>(q, answer); }

template <int kLength>
JADE_INSIDE_LOOPS void ClassTableau::solve_in(double* r) const {
  double* answer = answers_.data();
  const double* T = columns_.data();
  const std::ptrdiff_t stride = length<kLength>();
  for (int i = 0; i < length<kLength>(); i += 4) four_at(answer + i) = Four{};
  int p = 0;
  for (; p + 4 <= k_; p += 4) {
    const double* c = T + p * stride;
    axpy4_in_fours(length<kLength>(), r + p, c, c + stride, c + 2 * stride, c + 3 * stride, answer);
  }
  for (; p < k_; ++p) axpy_in_fours(length<kLength>(), r[p], T + p * stride, answer);
  for (int j = 0; j < pending_; ++j)
    axpy_in_fours(length<kLength>(), -dot(k_, pending_row(j), r), pending_column(j), answer);
  for (p = 0; p < k_; ++p) r[p] = answer[free_[p]];
}

JADE_WIDE_LOOPS void ClassTableau::solve(double* r) const {
  if (length_ == kRowsOfABox) {
    solve_in<kRowsOfABox>(r);
  } else {
    solve_in<0>(r);
  }
}

void ClassTableau::aim(const double* g) {
  respond(g, direction_.data());
  for (int i = 0; i < length_; ++i) direction_[i] = -direction_[i];
}

void ClassTableau::drive(int row, double sign) {
  const double* a = island_->column(row);
  for (int i = 0; i < length_; ++i) cause_[i] = sign * a[i];
  cause_[row] += sign * epsilon_ * island_->diagonal[row];
  respond(cause_.data(), direction_.data());
}

void ClassTableau::rebuild(const ClassEquations& equations, const std::vector<RowClass>& classes) {
  const ContactIsland& s = *island_;
  pending_ = 0;
  free_ = equations.free_rows();
  std::fill(held_.begin(), held_.end(), 1.0);
  for (int p = 0; p < k_; ++p) {
    position_[free_[p]] = p;
    held_[free_[p]] = 0;
  }
  double* x = factors_.data();
  for (int p = 0; p < k_; ++p) {
    double* to = column(p);
    std::fill(to, to + length_, 0.0);
    std::fill(x, x + k_, 0.0);
    x[p] = 1;
    equations.solve(x);
    const auto push = [&](int j, double force) {
      axpy_in_fours(length_, force, s.column(j), to);
      to[j] += epsilon_ * s.diagonal[j] * force;
    };
    for (int q = 0; q < k_; ++q) {
      const int j = free_[q];
      push(j, x[q]);
      if (j >= s.m) continue;
      for (int t = s.tangent_begin[j]; t < s.tangent_begin[j + 1]; ++t) {
        const double slope = slip_slope(s, classes, t);
        if (slope != 0) push(t, slope * x[q]);
      }
    }
    for (int q = 0; q < k_; ++q) to[free_[q]] = x[q];
  }
}

}  // namespace jade::lcp
