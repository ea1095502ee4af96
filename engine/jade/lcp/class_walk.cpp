#include "jade/lcp/class_walk.h"

#include <algorithm>
#include <limits>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {

void ClassWalk::begin(const ContactIsland& island, double epsilon) {
  island_ = &island;
  epsilon_ = epsilon;
  for (auto* vector : {&b_, &g_, &at_}) vector->resize(island.stride);
  side_.assign(island.stride, 0.0);
  sticking_.clear();
  taking_part_ = 0;
  z_ = 0;
  last_ = {0, -1, RowClass::clamped};
  last_from_ = RowClass::separate;
}

void ClassWalk::take_part(int row, RowClass c) {
  taking_part_ = row + 1;
  if (row < island_->m) {
    side_[row] = 1;
  } else {
    watch(row, RowClass::separate, c);
  }
}

/// A normal leaves either class when its number falls to zero, force or velocity alike: nothing to note.
void ClassWalk::watch(int row, RowClass from, RowClass to) {
  if (row < island_->m || island_->mu[row] == 0) return;
  side_[row] = to == RowClass::low ? 1 : to == RowClass::high ? -1 : 0;
  if (from == RowClass::stick) sticking_.erase(std::find(sticking_.begin(), sticking_.end(), row));
  if (to == RowClass::stick) sticking_.push_back(row);
}

void ClassWalk::forget_last() {
  if (last_.row >= 0) side_[last_.row] = side_of_last_;
  last_.row = -1;
}

void ClassWalk::remember(const Event& event) {
  last_ = event;
  side_of_last_ = side_[event.row];
  side_[event.row] = 0;
}

JADE_WIDE_LOOPS ClassWalk::Event ClassWalk::next_event(const std::vector<RowClass>& classes,
                                                       const ClassTableau& tableau, double sign) const {
  const ContactIsland& s = *island_;
  constexpr double never = std::numeric_limits<double>::infinity();
  const double *at = at_.data(), *direction = tableau.direction();
  // Numbers that fall to zero, four rows at a time and without a branch: which row is first cannot be guessed.
  const double* side = side_.data();
  Four soonest{never, never, never, never};
  FourBits rows{-1, -1, -1, -1}, here{0, 1, 2, 3};
  for (int i = 0; i < s.stride; i += 4, here += 4) {
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

JADE_WIDE_LOOPS void ClassWalk::advance(const ClassTableau& tableau, double step) {
  axpy_in_fours(island_->stride, step, tableau.direction(), at_.data());
}

double ClassWalk::flip(std::vector<RowClass>& classes, ClassTableau& tableau, const Event& event) {
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
      return tableau.insert_normal(row, classes);
    case RowClass::separate:
      for (int t = s.tangent_begin[row]; t < std::min(s.tangent_begin[row + 1], taking_part_); ++t) {
        if (classes[t] == RowClass::stick) {
          tableau.remove(t);
          at_[t] = 0;
        }
        change(t, RowClass::separate);
      }
      change(row, RowClass::separate);
      remember(event);
      at_[row] = 0;
      return tableau.remove(row);
    case RowClass::stick: {
      const double speed = tableau.insert_tangent(row, classes);
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
      return -sign * tableau.remove_to_bound(row, sign);
    }
  }
}

}  // namespace jade::lcp
