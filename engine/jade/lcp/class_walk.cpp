#include "jade/lcp/class_walk.h"

#include <algorithm>
#include <limits>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {

void ClassWalk::begin(const ContactIsland& island, double epsilon) {
  island_ = &island;
  epsilon_ = epsilon;
  b_.assign(island.b.begin(), island.b.end());
  g_.assign(island.n, 0.0);
  z_ = 0;
  df_.assign(island.n, 0.0);
  dv_.assign(island.n, 0.0);
  last_ = {0, -1, RowClass::clamped};
  last_from_ = RowClass::separate;
}

JADE_WIDE_LOOPS void ClassWalk::velocities_of_motion(const IslandState& state, const ActiveInverse& inverse) {
  const ContactIsland& s = *island_;
  const int n = s.n, k = inverse.size();
  const int* free = inverse.free_rows().data();
  const RowClass* classes = state.classes.data();
  const auto watched = [&](int i) {
    return i < s.m ? classes[i] == RowClass::separate : is_slipping(classes[i]);
  };
  // Every normal is separate or free, so the free normals tell the separate ones.
  int watching = s.m;
  for (int p = 0; p < k; ++p) watching -= free[p] < s.m;
  for (int t = s.m; t < n; ++t) watching += is_slipping(classes[t]);
  // By rows of A one at a time, or by columns of A P all at once, whichever touches less.
  double* dv = dv_.data();
  const double* df = df_.data();
  if (watching < k) {
    for (int i = 0; i < n; ++i) dv[i] = watched(i) ? dot(n, s.column(i), df) : 0;
  } else {
    std::fill(dv, dv + n, 0.0);
    int p = 0;
    for (; p + 4 <= k; p += 4) {
      const int* j = free + p;
      const double factors[4] = {df[j[0]], df[j[1]], df[j[2]], df[j[3]]};
      axpy4(n, factors, inverse.velocity_column(j[0]), inverse.velocity_column(j[1]),
            inverse.velocity_column(j[2]), inverse.velocity_column(j[3]), dv);
    }
    for (; p < k; ++p) axpy(n, df[free[p]], inverse.velocity_column(free[p]), dv);
  }
  for (int t = s.m; t < n; ++t) {
    if (is_slipping(classes[t])) dv[t] += epsilon_ * s.diagonal[t] * df[t];
  }
}

ClassWalk::Event ClassWalk::next_event(const IslandState& state) const {
  const ContactIsland& s = *island_;
  Event first{std::numeric_limits<double>::infinity(), -1, RowClass::separate};
  const auto consider = [&](int row, RowClass to, double distance, double speed) {
    if (!(speed > 0) || !(distance < first.step * speed)) return;
    const double step = std::max(distance, 0.0) / speed;
    if (step < first.step) first = {step, row, to};
  };
  for (int i = 0; i < s.m; ++i) {
    if (i == last_.row || !handled_[i]) continue;
    if (state.classes[i] == RowClass::clamped) {
      consider(i, RowClass::separate, state.f[i], -df_[i]);
    } else {
      consider(i, RowClass::clamped, state.v[i], -dv_[i]);
    }
  }
  for (int t = s.m; t < s.n; ++t) {
    const RowClass c = state.classes[t];
    if (c == RowClass::separate || s.mu[t] == 0 || !handled_[t]) continue;
    if (c == RowClass::stick) {
      const int n = s.normal[t];
      const double bound = s.mu[t] * state.f[n], bound_speed = s.mu[t] * df_[n];
      const RowClass behind = t == last_.row ? last_from_ : RowClass::separate;
      if (behind != RowClass::high) consider(t, RowClass::high, bound - state.f[t], df_[t] - bound_speed);
      if (behind != RowClass::low) consider(t, RowClass::low, bound + state.f[t], -df_[t] - bound_speed);
    } else if (t != last_.row) {
      const double sign = c == RowClass::low ? 1 : -1;
      consider(t, RowClass::stick, sign * state.v[t], -sign * dv_[t]);
    }
  }
  return first;
}

void ClassWalk::advance(IslandState& state, double step) {
  axpy(island_->n, step, df_.data(), state.f.data());
  axpy(island_->n, step, dv_.data(), state.v.data());
}

double ClassWalk::flip(IslandState& state, ActiveInverse& inverse, const Event& event, double rhs) {
  const ContactIsland& s = *island_;
  const int row = event.row;
  std::vector<RowClass>& classes = state.classes;
  last_ = event;
  last_from_ = classes[row];
  classes[row] = event.to;
  state.v[row] = 0;
  switch (event.to) {
    case RowClass::clamped:
      // Its tangents start at the bound that opposes the velocity they have now.
      for (int t = s.tangent_begin[row]; t < s.tangent_begin[row + 1]; ++t) {
        if (!handled_[t]) continue;
        state.v[t] = b_[t] + z_ * g_[t] + dot(s.n, s.column(t), state.f.data());
        classes[t] = state.v[t] > 0 ? RowClass::low : RowClass::high;
        state.f[t] = 0;
      }
      state.f[row] = 0;
      return inverse.insert_normal(row, classes, rhs);
    case RowClass::separate:
      for (int t = s.tangent_begin[row]; t < s.tangent_begin[row + 1]; ++t) {
        if (classes[t] == RowClass::stick) inverse.remove(t);
        classes[t] = RowClass::separate;
        state.f[t] = 0;
      }
      state.f[row] = 0;
      return inverse.remove(row);
    case RowClass::stick:
      classes[row] = last_from_;  // the equations still see it at its bound
      {
        const double speed = inverse.insert_tangent(row, classes, rhs);
        classes[row] = RowClass::stick;
        return speed;
      }
    default: {
      const int sign = event.to == RowClass::high ? 1 : -1;
      state.f[row] = sign * s.mu[row] * state.f[s.normal[row]];
      return -sign * inverse.remove_to_bound(row, sign);
    }
  }
}

}  // namespace jade::lcp
