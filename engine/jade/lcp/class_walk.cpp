#include "jade/lcp/class_walk.h"

#include <algorithm>
#include <limits>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {

void ClassWalk::begin(const ContactIsland& island, double epsilon) {
  island_ = &island;
  epsilon_ = epsilon;
  taking_part_ = island.n;
  for (auto* vector : {&b_, &g_, &at_}) vector->resize(island.stride);
  z_ = 0;
  last_ = {0, -1, RowClass::clamped};
  last_from_ = RowClass::separate;
}

ClassWalk::Event ClassWalk::next_event(const std::vector<RowClass>& classes, const ClassTableau& tableau,
                                       double sign) const {
  const ContactIsland& s = *island_;
  const double* at = at_.data();
  const double* direction = tableau.direction();
  Event first{std::numeric_limits<double>::infinity(), -1, RowClass::separate};
  const auto consider = [&](int row, RowClass to, double distance, double speed) {
    if (!(speed > 0) || !(distance < first.step * speed)) return;
    const double step = std::max(distance, 0.0) / speed;
    if (step < first.step) first = {step, row, to};
  };
  // A normal leaves its class when its number falls to zero, force or velocity alike.
  const int normals = std::min(s.m, taking_part_);
  for (int i = 0; i < normals; ++i) {
    if (i != last_.row) consider(i, RowClass::clamped, at[i], -sign * direction[i]);
  }
  if (first.row >= 0 && classes[first.row] == RowClass::clamped) first.to = RowClass::separate;
  for (int i = 0; i < normals; ++i) {
    if (classes[i] != RowClass::clamped) continue;
    const int end = std::min(s.tangent_begin[i + 1], taking_part_);
    for (int t = s.tangent_begin[i]; t < end; ++t) {
      if (s.mu[t] == 0) continue;
      const double speed = sign * direction[t];
      switch (classes[t]) {
        case RowClass::stick: {
          const double bound = s.mu[t] * at[i], bound_speed = s.mu[t] * (sign * direction[i]);
          const RowClass behind = t == last_.row ? last_from_ : RowClass::separate;
          if (behind != RowClass::high) consider(t, RowClass::high, bound - at[t], speed - bound_speed);
          if (behind != RowClass::low) consider(t, RowClass::low, bound + at[t], -speed - bound_speed);
          break;
        }
        case RowClass::high:
          if (t != last_.row) consider(t, RowClass::stick, -at[t], speed);
          break;
        case RowClass::low:
          if (t != last_.row) consider(t, RowClass::stick, at[t], -speed);
          break;
        default:
          break;
      }
    }
  }
  return first;
}

JADE_WIDE_LOOPS void ClassWalk::advance(const ClassTableau& tableau, double step) {
  axpy_in_fours(island_->stride, step, tableau.direction(), at_.data());
}

double ClassWalk::flip(std::vector<RowClass>& classes, ClassTableau& tableau, const Event& event) {
  const ContactIsland& s = *island_;
  const int row = event.row;
  last_ = event;
  last_from_ = classes[row];
  const int end = std::min(row < s.m ? s.tangent_begin[row + 1] : 0, taking_part_);
  switch (event.to) {
    case RowClass::clamped:
      // Its tangents start at the bound that opposes the velocity they have now.
      for (int t = s.tangent_begin[row]; t < end; ++t) {
        classes[t] = at_[t] > 0 ? RowClass::low : RowClass::high;
      }
      classes[row] = RowClass::clamped;
      at_[row] = 0;
      return tableau.insert_normal(row, classes);
    case RowClass::separate:
      for (int t = s.tangent_begin[row]; t < end; ++t) {
        if (classes[t] == RowClass::stick) {
          tableau.remove(t);
          at_[t] = 0;
        }
        classes[t] = RowClass::separate;
      }
      classes[row] = RowClass::separate;
      at_[row] = 0;
      return tableau.remove(row);
    case RowClass::stick: {
      const double speed = tableau.insert_tangent(row, classes);
      at_[row] = slip_slope(s, classes, row) * at_[s.normal[row]];
      classes[row] = RowClass::stick;
      return speed;
    }
    default: {
      const int sign = event.to == RowClass::high ? 1 : -1;
      classes[row] = event.to;
      at_[row] = 0;
      return -sign * tableau.remove_to_bound(row, sign);
    }
  }
}

}  // namespace jade::lcp
