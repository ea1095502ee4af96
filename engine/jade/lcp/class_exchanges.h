#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/lcp/class_tableau.h"
#include "jade/lcp/class_walk.h"
#include "jade/lcp/dense_kernels.h"

/// What happens at every step of a walk from class to class. All of it goes inside the loop of the walk: steps are so
/// short where contacts are few that calls between them would take as long. `kLength` is the length of all arrays where
/// it is known to the compiler, 0 where it is not.
namespace jade::lcp {

/// Pivots below this carry no digit any more: entries of K are of size one and ε W keeps honest pivots above 1e-10.
inline constexpr double kSmallestPivot = 1e-14;
/// Exchanges that wait for each other, and the size of T (in doubles) from which that pays: half of a first cache.
inline constexpr int kMaxPending = 8;
inline constexpr int kWorthWaiting = 3000;

/// answer = q, with the rows X set to zero, − T q_X. What a force moves is often little of X (its own body and the
/// neighbours), so columns that meet a zero are passed over where they are longer than the search for them takes.
template <int kLength>
JADE_INSIDE_LOOPS void ClassTableau::answer_to(const double* q, double* answer) const {
  constexpr bool kTakeAll = kLength > 0 && kLength <= 2 * kRowsOfABox;
  const int n = length<kLength>();
  double* factor = factors_.data();
  int* met = met_.data();
  const int* free = free_.data();
  const double* held = held_.data();
  for (int i = 0; i < n; i += 4) four_at(answer + i) = four_at(held + i) * four_at(q + i);
  int count = 0;
  for (int p = 0; p < k_; ++p) {
    const double at_free = q[free[p]];
    factor[count] = -at_free;
    if constexpr (kTakeAll) {
      ++count;
    } else {
      met[count] = p;
      count += is_not_zero(at_free);
    }
  }
  const auto number = [&](int c) { return kTakeAll ? c : met[c]; };
  for (int r = 0; r < pending_; ++r) {
    const double* row = pending_row(r);
    double sum = 0;
    for (int c = 0; c < count; ++c) sum += factor[c] * row[number(c)];
    if (sum != 0) axpy_in_fours(n, -sum, pending_column(r), answer);
  }
  int c = 0;
  for (; c + 4 <= count; c += 4) {
    axpy4_in_fours(n, factor + c, column(number(c)), column(number(c + 1)), column(number(c + 2)),
                   column(number(c + 3)), answer);
  }
  for (; c < count; ++c) axpy_in_fours(n, factor[c], column(number(c)), answer);
}

template <int kLength>
JADE_INSIDE_LOOPS void ClassTableau::apply_pending() {
  const double* c = pending_columns_.data();
  const int n = length<kLength>();
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
template <int kLength>
JADE_INSIDE_LOOPS double ClassTableau::exchange(int row, double pivot, const double* answers) {
  const double inverse = 1 / pivot;
  if (pending_ == 0 && k_ * length<kLength>() < kWorthWaiting)
    return exchange_at_once<kLength>(row, inverse, answers);
  double* rho = pending_row(pending_);
  for (int j = 0; j < k_; ++j) rho[j] = entry(row, j) * inverse;
  for (int j = 0; j < k_; ++j) column(j)[row] = -rho[j];
  ++pending_;
  for (int r = 0; r < pending_; ++r) pending_column(r)[row] = 0;
  const double speed = turn<kLength>(row, inverse, answers);
  if (pending_ == kMaxPending || k_ * length<kLength>() < kWorthWaiting) apply_pending<kLength>();
  return speed;
}

/// Single numbers are written after the registers they lie in: the other way round each would be waited for.
template <int kLength>
JADE_INSIDE_LOOPS double ClassTableau::exchange_at_once(int row, double inverse, const double* answers) {
  double* rho = pending_row(0);
  double* T = columns_.data();
  const std::ptrdiff_t stride = length<kLength>();
  for (int j = 0; j < k_; ++j) rho[j] = T[j * stride + row] * inverse;
  subtract_product(length<kLength>(), k_, answers, rho, T);
  for (int j = 0; j < k_; ++j) T[j * stride + row] = -rho[j];
  return turn<kLength>(row, inverse, answers);
}

/// The direction after the exchange.
template <int kLength>
JADE_INSIDE_LOOPS double ClassTableau::turn(int row, double inverse, const double* answers) {
  const double speed = -direction_[row] * inverse;
  axpy_in_fours(length<kLength>(), speed, answers, direction_.data());
  direction_[row] = speed;
  return speed;
}

template <int kLength>
JADE_INSIDE_LOOPS double ClassTableau::enter(int row) {
  double* answers = pending_column(pending_);
  answer_to<kLength>(cause_.data(), answers);
  const double pivot = answers[row];
  if (!(std::abs(pivot) > kSmallestPivot)) {
    healthy_ = false;
    return 0;
  }
  smallest_pivot_ = std::min(smallest_pivot_, std::abs(pivot));
  const double inverse = 1 / pivot;
  double* added = column(k_);
  for (int i = 0; i < length<kLength>(); i += 4) four_at(added + i) = four_at(answers + i) * inverse;
  added[row] = inverse;
  const double speed = exchange<kLength>(row, pivot, answers);
  for (int r = 0; r < pending_; ++r) pending_row(r)[k_] = 0;
  position_[row] = k_++;
  free_.push_back(row);
  held_[row] = 0;
  return speed;
}

template <int kLength>
JADE_INSIDE_LOOPS double ClassTableau::insert_normal(int i, const std::vector<RowClass>& classes) {
  const ContactIsland& s = *island_;
  double* cause = cause_.data();
  const double* a = s.column(i);
  for (int j = 0; j < length<kLength>(); j += 4) four_at(cause + j) = four_at(a + j);
  cause[i] += epsilon_ * s.diagonal[i];
  for (int t = s.tangent_begin[i]; t < s.tangent_begin[i + 1]; ++t) {
    const double slope = slip_slope(s, classes, t);
    if (slope == 0) continue;
    axpy_in_fours(length<kLength>(), slope, s.column(t), cause);
    cause[t] += slope * epsilon_ * s.diagonal[t];
  }
  return enter<kLength>(i);
}

template <int kLength>
JADE_INSIDE_LOOPS double ClassTableau::insert_loose(int t) {
  const double* a = island_->column(t);
  double* cause = cause_.data();
  for (int j = 0; j < length<kLength>(); j += 4) four_at(cause + j) = four_at(a + j);
  cause[t] += epsilon_ * island_->diagonal[t];
  return enter<kLength>(t);
}

template <int kLength>
JADE_INSIDE_LOOPS double ClassTableau::insert_tangent(int t, const std::vector<RowClass>& classes) {
  // Measured from its bound first, f_t = slope f_n + y; then as f_t itself.
  const double speed = insert_loose<kLength>(t);
  if (!healthy_) return 0;
  add_row(t, slip_slope(*island_, classes, t), island_->normal[t]);
  return classes[t] == RowClass::high ? -speed : speed;
}

template <int kLength>
JADE_INSIDE_LOOPS double ClassTableau::remove(int row) {
  return leave<kLength>(row);
}

template <int kLength>
JADE_INSIDE_LOOPS double ClassTableau::remove_to_bound(int t, int sign) {
  add_row(t, -sign * island_->mu[t], island_->normal[t]);
  return leave<kLength>(t);
}

JADE_INSIDE_LOOPS void ClassTableau::add_row(int to, double factor, int from) {
  for (int p = 0; p < k_; ++p) column(p)[to] += factor * column(p)[from];
  for (int r = 0; r < pending_; ++r) pending_column(r)[to] += factor * pending_column(r)[from];
  direction_[to] += factor * direction_[from];
}

template <int kLength>
JADE_INSIDE_LOOPS double ClassTableau::leave(int row) {
  const int p = position_[row], last = k_ - 1;
  double* answers = pending_column(pending_);
  std::copy(column(p), column(p) + length<kLength>(), answers);
  for (int r = 0; r < pending_; ++r)
    axpy_in_fours(length<kLength>(), -pending_row(r)[p], pending_column(r), answers);
  const double pivot = answers[row];
  if (!(std::abs(pivot) > kSmallestPivot)) {
    healthy_ = false;
    return 0;
  }
  // The last unknown takes the place of the one that leaves.
  held_[row] = 1;
  k_ = last;
  if (p != last) {
    std::copy(column(last), column(last) + length<kLength>(), column(p));
    for (int r = 0; r < pending_; ++r) pending_row(r)[p] = pending_row(r)[last];
    free_[p] = free_[last];
    position_[free_[p]] = p;
  }
  free_.pop_back();
  return exchange<kLength>(row, pivot, answers);
}

/// A normal leaves either class when its number falls to zero, force or velocity alike: nothing to note.
JADE_INSIDE_LOOPS void ClassWalk::watch(int row, RowClass from, RowClass to) {
  if (row < island_->m || island_->mu[row] == 0) return;
  side_[row] = to == RowClass::low ? 1 : to == RowClass::high ? -1 : 0;
  if (from == RowClass::stick) sticking_.erase(std::find(sticking_.begin(), sticking_.end(), row));
  if (to == RowClass::stick) sticking_.push_back(row);
}

JADE_INSIDE_LOOPS void ClassWalk::forget_last() {
  if (last_.row >= 0) side_[last_.row] = side_of_last_;
  last_.row = -1;
}

JADE_INSIDE_LOOPS void ClassWalk::remember(const Event& event) {
  last_ = event;
  side_of_last_ = side_[event.row];
  side_[event.row] = 0;
}

template <int kLength>
JADE_INSIDE_LOOPS ClassWalk::Event ClassWalk::next_event(const std::vector<RowClass>& classes,
                                                         const ClassTableau& tableau, double sign) const {
  const ContactIsland& s = *island_;
  constexpr double never = std::numeric_limits<double>::infinity();
  const double *at = at_.data(), *direction = tableau.direction();
  // Numbers that fall to zero, four rows at a time and without a branch: which row is first cannot be guessed.
  const double* side = side_.data();
  Four soonest{never, never, never, never};
  FourBits rows{-1, -1, -1, -1}, here{0, 1, 2, 3};
  const int length = kLength > 0 ? kLength : s.stride;
  for (int i = 0; i < length; i += 4, here += 4) {
    const Four distance = four_at(side + i) * four_at(at + i);
    const Four speed = four_at(side + i) * (-sign * four_at(direction + i));
    const Four step =
        speed > 0 ? (distance > 0 ? distance : Four{}) / speed : Four{never, never, never, never};
    const FourBits sooner = step < soonest;
    soonest = sooner ? step : soonest;
    rows = sooner ? here : rows;
  }
  Event first{soonest[0], static_cast<int>(rows[0]), RowClass::stick};
  for (int l = 1; l < 4; ++l) {
    const bool sooner = (soonest[l] < first.step) | ((soonest[l] == first.step) & (rows[l] < first.row));
    first.step = sooner ? soonest[l] : first.step;
    first.row = sooner ? static_cast<int>(rows[l]) : first.row;
  }
  if (first.row < 0 || first.step == never) first.row = -1;
  if (first.row >= 0 && first.row < s.m)
    first.to = classes[first.row] == RowClass::clamped ? RowClass::separate : RowClass::clamped;

  const auto consider = [&](int row, RowClass to, double distance, double speed) {
    if (!((speed > 0) & (distance < first.step * speed))) return;
    first = {std::max(distance, 0.0) / speed, row, to};
  };
  for (const int t : sticking_) {
    const int normal = s.normal[t];
    const double speed = sign * direction[t];
    const double bound = s.mu[t] * at[normal], bound_speed = s.mu[t] * (sign * direction[normal]);
    const RowClass behind = t == last_.row ? last_from_ : RowClass::separate;
    if (behind != RowClass::high) consider(t, RowClass::high, bound - at[t], speed - bound_speed);
    if (behind != RowClass::low) consider(t, RowClass::low, bound + at[t], -speed - bound_speed);
  }
  return first;
}

template <int kLength>
JADE_INSIDE_LOOPS void ClassWalk::advance(const ClassTableau& tableau, double step) {
  axpy_in_fours(kLength > 0 ? kLength : island_->stride, step, tableau.direction(), at_.data());
}

template <int kLength>
JADE_INSIDE_LOOPS double ClassWalk::flip(std::vector<RowClass>& classes, ClassTableau& tableau,
                                         const Event& event) {
  const ContactIsland& s = *island_;
  const int row = event.row;
  forget_last();
  last_from_ = classes[row];
  const auto change = [&](int i, RowClass to) {
    watch(i, classes[i], to);
    classes[i] = to;
  };
  switch (event.to) {
    case RowClass::clamped:
      // Its tangents start at the bound that opposes the velocity they have now.
      for (int t = s.tangent_begin[row]; t < std::min(s.tangent_begin[row + 1], taking_part_); ++t) {
        change(t, at_[t] > 0 ? RowClass::low : RowClass::high);
      }
      change(row, RowClass::clamped);
      remember(event);
      at_[row] = 0;
      return tableau.insert_normal<kLength>(row, classes);
    case RowClass::separate:
      for (int t = s.tangent_begin[row]; t < std::min(s.tangent_begin[row + 1], taking_part_); ++t) {
        if (classes[t] == RowClass::stick) {
          tableau.remove<kLength>(t);
          at_[t] = 0;
        }
        change(t, RowClass::separate);
      }
      change(row, RowClass::separate);
      remember(event);
      at_[row] = 0;
      return tableau.remove<kLength>(row);
    case RowClass::stick: {
      const double speed = tableau.insert_tangent<kLength>(row, classes);
      at_[row] = slip_slope(s, classes, row) * at_[s.normal[row]];
      change(row, RowClass::stick);
      remember(event);
      return speed;
    }
    default: {
      const int sign = event.to == RowClass::high ? 1 : -1;
      change(row, event.to);
      remember(event);
      at_[row] = 0;
      return -sign * tableau.remove_to_bound<kLength>(row, sign);
    }
  }
}

}  // namespace jade::lcp
