#include "jade/lcp/class_tableau.h"

#include <algorithm>
#include <cmath>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {
namespace {

/// Pivots below this carry no digit any more: entries of K are of size one and ε W keeps honest pivots above 1e-10.
constexpr double kSmallestPivot = 1e-14;
/// Exchanges that wait for each other, and the size of T (in doubles) from which that pays: half of a first cache.
constexpr int kMaxPending = 8;
constexpr int kWorthWaiting = 3000;

}  // namespace

void ClassTableau::reset(const ContactIsland& island, double epsilon) {
  island_ = &island;
  epsilon_ = epsilon;
  k_ = 0;
  pending_ = 0;
  healthy_ = true;
  smallest_pivot_ = 1;
  const int n = island.n;
  length_ = island.stride;
  const std::size_t full = static_cast<std::size_t>(length_) * length_;
  if (columns_.size() < full) columns_.resize(full);
  const std::size_t waiting = static_cast<std::size_t>(length_) * kMaxPending;
  if (pending_rows_.size() < waiting) {
    for (auto* v : {&pending_columns_, &pending_rows_}) v->resize(waiting);
    for (auto* v : {&direction_, &cause_, &factors_, &answers_}) v->resize(length_);
    met_.resize(length_ + 1);
  }
  free_.clear();
  position_.assign(n, -1);
  held_.assign(length_, 1.0);
}

/// answer = q, with the rows X set to zero, − T q_X. What a force moves is often little of X (its own body and the
/// neighbours), so columns that meet a zero are passed over.
JADE_INSIDE_LOOPS void ClassTableau::answer_to(const double* q, double* answer) const {
  const int n = length_;
  double* factor = factors_.data();
  int* met = met_.data();
  const int* free = free_.data();
  const double* held = held_.data();
  for (int i = 0; i < n; i += 4) four_at(answer + i) = four_at(held + i) * four_at(q + i);
  int count = 0;
  for (int p = 0; p < k_; ++p) {
    const double at_free = q[free[p]];
    met[count] = p;
    factor[count] = -at_free;
    count += at_free != 0;
  }
  for (int r = 0; r < pending_; ++r) {
    const double* row = pending_row(r);
    double sum = 0;
    for (int c = 0; c < count; ++c) sum += factor[c] * row[met[c]];
    if (sum != 0) axpy_in_fours(n, -sum, pending_column(r), answer);
  }
  int c = 0;
  for (; c + 4 <= count; c += 4) {
    axpy4_in_fours(n, factor + c, column(met[c]), column(met[c + 1]), column(met[c + 2]), column(met[c + 3]),
                   answer);
  }
  for (; c < count; ++c) axpy_in_fours(n, factor[c], column(met[c]), answer);
}

JADE_WIDE_LOOPS void ClassTableau::respond(const double* q, double* answer) const { answer_to(q, answer); }

JADE_WIDE_LOOPS void ClassTableau::solve(double* r) const {
  double* answer = answers_.data();
  std::fill(answer, answer + length_, 0.0);
  multiply_add(length_, k_, columns_.data(), length_, r, answer);
  for (int j = 0; j < pending_; ++j)
    axpy_in_fours(length_, -dot(k_, pending_row(j), r), pending_column(j), answer);
  for (int p = 0; p < k_; ++p) r[p] = answer[free_[p]];
}

JADE_INSIDE_LOOPS void ClassTableau::apply_pending() {
  const double* c = pending_columns_.data();
  const int n = length_;
  if (pending_ == kMaxPending) {
    for (int p = 0; p < k_; ++p) {
      double factors[kMaxPending];
      bool any = false;
      for (int r = 0; r < kMaxPending; ++r) {
        factors[r] = -pending_row(r)[p];
        any = any || factors[r] != 0;
      }
      if (!any) continue;
      axpy4_in_fours(n, factors, c, c + n, c + 2 * n, c + 3 * n, column(p));
      axpy4_in_fours(n, factors + 4, c + 4 * n, c + 5 * n, c + 6 * n, c + 7 * n, column(p));
    }
  } else {
    for (int r = 0; r < pending_; ++r) subtract_product(n, k_, c + r * n, pending_row(r), columns_.data());
  }
  pending_ = 0;
}

JADE_INSIDE_LOOPS double ClassTableau::entry(int row, int p) const {
  double value = column(p)[row];
  for (int r = 0; r < pending_; ++r) value -= pending_column(r)[row] * pending_row(r)[p];
  return value;
}

/// The Gauss–Jordan step that exchanges force and velocity of `row`, whose unit change is answered by `answers`:
///   T ← T − answers ρᵀ on the other rows, −ρ on this one,   ρ = T_row / pivot
/// Returns the speed of the row's new quantity.
JADE_INSIDE_LOOPS double ClassTableau::exchange(int row, double pivot, const double* answers) {
  const double inverse = 1 / pivot;
  if (pending_ == 0 && k_ * length_ < kWorthWaiting) return exchange_at_once(row, inverse, answers);
  double* rho = pending_row(pending_);
  for (int j = 0; j < k_; ++j) rho[j] = entry(row, j) * inverse;
  for (int j = 0; j < k_; ++j) column(j)[row] = -rho[j];
  ++pending_;
  for (int r = 0; r < pending_; ++r) pending_column(r)[row] = 0;
  const double speed = turn(row, inverse, answers);
  if (pending_ == kMaxPending || k_ * length_ < kWorthWaiting) apply_pending();
  return speed;
}

/// Single numbers are written after the registers they lie in: the other way round each would be waited for.
JADE_INSIDE_LOOPS double ClassTableau::exchange_at_once(int row, double inverse, const double* answers) {
  double* rho = pending_row(0);
  double* T = columns_.data();
  const std::ptrdiff_t stride = length_;
  for (int j = 0; j < k_; ++j) rho[j] = T[j * stride + row] * inverse;
  subtract_product(length_, k_, answers, rho, T);
  for (int j = 0; j < k_; ++j) T[j * stride + row] = -rho[j];
  return turn(row, inverse, answers);
}

/// The direction after the exchange.
JADE_INSIDE_LOOPS double ClassTableau::turn(int row, double inverse, const double* answers) {
  const double speed = -direction_[row] * inverse;
  axpy_in_fours(length_, speed, answers, direction_.data());
  direction_[row] = speed;
  return speed;
}

JADE_INSIDE_LOOPS double ClassTableau::enter(int row) {
  double* answers = pending_column(pending_);
  answer_to(cause_.data(), answers);
  const double pivot = answers[row];
  if (!(std::abs(pivot) > kSmallestPivot)) {
    healthy_ = false;
    return 0;
  }
  smallest_pivot_ = std::min(smallest_pivot_, std::abs(pivot));
  const double inverse = 1 / pivot;
  double* added = column(k_);
  for (int i = 0; i < length_; i += 4) four_at(added + i) = four_at(answers + i) * inverse;
  added[row] = inverse;
  const double speed = exchange(row, pivot, answers);
  for (int r = 0; r < pending_; ++r) pending_row(r)[k_] = 0;
  position_[row] = k_++;
  free_.push_back(row);
  held_[row] = 0;
  return speed;
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

JADE_WIDE_LOOPS double ClassTableau::insert_normal(int i, const std::vector<RowClass>& classes) {
  const ContactIsland& s = *island_;
  double* cause = cause_.data();
  const double* a = s.column(i);
  for (int j = 0; j < length_; j += 4) four_at(cause + j) = four_at(a + j);
  cause[i] += epsilon_ * s.diagonal[i];
  for (int t = s.tangent_begin[i]; t < s.tangent_begin[i + 1]; ++t) {
    const double slope = slip_slope(s, classes, t);
    if (slope == 0) continue;
    axpy_in_fours(length_, slope, s.column(t), cause);
    cause[t] += slope * epsilon_ * s.diagonal[t];
  }
  return enter(i);
}

JADE_WIDE_LOOPS double ClassTableau::insert_loose(int t) {
  const double* a = island_->column(t);
  double* cause = cause_.data();
  for (int j = 0; j < length_; j += 4) four_at(cause + j) = four_at(a + j);
  cause[t] += epsilon_ * island_->diagonal[t];
  return enter(t);
}

double ClassTableau::insert_tangent(int t, const std::vector<RowClass>& classes) {
  // Measured from its bound first, f_t = slope f_n + y; then as f_t itself.
  const double speed = insert_loose(t);
  if (!healthy_) return 0;
  add_row(t, slip_slope(*island_, classes, t), island_->normal[t]);
  return classes[t] == RowClass::high ? -speed : speed;
}

double ClassTableau::remove(int row) { return leave(row); }

double ClassTableau::remove_to_bound(int t, int sign) {
  add_row(t, -sign * island_->mu[t], island_->normal[t]);
  return leave(t);
}

void ClassTableau::add_row(int to, double factor, int from) {
  for (int p = 0; p < k_; ++p) column(p)[to] += factor * column(p)[from];
  for (int r = 0; r < pending_; ++r) pending_column(r)[to] += factor * pending_column(r)[from];
  direction_[to] += factor * direction_[from];
}

JADE_WIDE_LOOPS double ClassTableau::leave(int row) {
  const int p = position_[row], last = k_ - 1;
  double* answers = pending_column(pending_);
  std::copy(column(p), column(p) + length_, answers);
  for (int r = 0; r < pending_; ++r) axpy_in_fours(length_, -pending_row(r)[p], pending_column(r), answers);
  const double pivot = answers[row];
  if (!(std::abs(pivot) > kSmallestPivot)) {
    healthy_ = false;
    return 0;
  }
  // The last unknown takes the place of the one that leaves.
  position_[row] = -1;
  held_[row] = 1;
  k_ = last;
  if (p != last) {
    std::copy(column(last), column(last) + length_, column(p));
    for (int r = 0; r < pending_; ++r) pending_row(r)[p] = pending_row(r)[last];
    free_[p] = free_[last];
    position_[free_[p]] = p;
  }
  free_.pop_back();
  return exchange(row, pivot, answers);
}

void ClassTableau::rebuild(const ClassEquations& equations, const std::vector<RowClass>& classes) {
  const ContactIsland& s = *island_;
  pending_ = 0;
  free_ = equations.free_rows();
  std::fill(position_.begin(), position_.end(), -1);
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
