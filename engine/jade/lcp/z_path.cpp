#include "jade/lcp/z_path.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {
namespace {

/// A fixed number in [½, 1) for each canonical row; multiples of the golden ratio are never close to each other.
double spread(int row) {
  const double x = (row + 1) * 0.6180339887498949;
  return 0.5 + 0.5 * (x - std::floor(x));
}

}  // namespace

void ZPath::start(IslandState& state, const ZPathSettings& settings) {
  const ContactIsland& s = *island_;
  b_.resize(s.n);
  df_.resize(s.n);
  dv_.resize(s.n);
  double size = 0;
  for (int i = 0; i < s.n; ++i) size = std::max(size, std::abs(s.b[i]));
  for (int i = 0; i < s.n; ++i) {
    b_[i] = s.b[i] + settings.perturbation * size * spread(i);
    state.classes[i] = RowClass::separate;
    state.f[i] = 0;
    df_[i] = 0;
  }
  // z d lifts every normal to v ≥ 0; the row that needs most of it is the first to touch.
  z_ = 0;
  last_ = {0, -1, RowClass::clamped};
  for (int i = 0; i < s.m; ++i) {
    const double needed = -b_[i] / s.d[i];
    if (needed > z_) {
      z_ = needed;
      last_.row = i;
    }
  }
  for (int i = 0; i < s.n; ++i) state.v[i] = b_[i] + (i < s.m ? z_ * s.d[i] : 0);
}

bool ZPath::follow(const ContactIsland& island, const ZPathSettings& settings, IslandState& state,
                   ActiveInverse& inverse, int& pivots) {
  island_ = &island;
  epsilon_ = settings.epsilon;
  start(state, settings);
  inverse.reset(island, settings.epsilon);
  if (last_.row < 0) return true;
  for (int count = 0; count < settings.max_pivots; ++count) {
    ++pivots;
    const double into = flip(state, inverse, last_);
    if (!inverse.healthy()) return false;
    const bool forward = into >= 0;
    move(state, inverse);
    if (!forward) {
      for (double& x : df_) x = -x;
      for (double& x : dv_) x = -x;
    }
    const Event event = next_event(state);
    if (forward && !(event.step < z_)) {
      advance(state, z_);
      return true;
    }
    if (event.row < 0) return false;
    advance(state, event.step);
    z_ += forward ? -event.step : event.step;
    last_ = event;
  }
  return false;
}

/// Motion for dz = −1:  K dx = d_X,  df = P dx,  dv = A df − d, on the rows whose velocity can end a step.
void ZPath::move(const IslandState& state, const ActiveInverse& inverse) {
  const ContactIsland& s = *island_;
  const int n = s.n, k = inverse.size();
  for (int i = 0; i < n; ++i) df_[i] = 0;
  const std::vector<int>& free = inverse.free_rows();
  const double* dx = inverse.direction();
  int active = k;
  for (int p = 0; p < k; ++p) df_[free[p]] = dx[p];
  int watched = 0;
  for (int i = 0; i < s.m; ++i) watched += state.classes[i] == RowClass::separate;
  for (int t = s.m; t < n; ++t) {
    if (!is_slipping(state.classes[t])) continue;
    df_[t] = slip_slope(s, state.classes, t) * df_[s.normal[t]];
    ++active;
    ++watched;
  }
  if (watched < active) {
    for (int i = 0; i < n; ++i) {
      const RowClass c = state.classes[i];
      const bool watch = i < s.m ? c == RowClass::separate : is_slipping(c);
      dv_[i] = watch ? dot(n, s.column(i), df_.data()) - (i < s.m ? s.d[i] : 0) : 0;
    }
  } else {
    for (int i = 0; i < n; ++i) dv_[i] = i < s.m ? -s.d[i] : 0;
    for (int j = 0; j < n; ++j) {
      if (df_[j] != 0) axpy(n, df_[j], s.column(j), dv_.data());
    }
  }
  for (int t = s.m; t < n; ++t) {
    if (is_slipping(state.classes[t])) dv_[t] += epsilon_ * s.at(t, t) * df_[t];
  }
}

ZPath::Event ZPath::next_event(const IslandState& state) const {
  const ContactIsland& s = *island_;
  Event first{std::numeric_limits<double>::infinity(), -1, RowClass::separate};
  const auto consider = [&](int row, RowClass to, double distance, double speed) {
    // Distance to the boundary over the speed of approach; the boundary just crossed is behind us.
    if (!(speed > 0)) return;
    const double step = std::max(distance, 0.0) / speed;
    if (step < first.step) first = {step, row, to};
  };
  for (int i = 0; i < s.m; ++i) {
    if (state.classes[i] == RowClass::clamped) {
      if (i != last_.row) consider(i, RowClass::separate, state.f[i], -df_[i]);
    } else if (i != last_.row) {
      consider(i, RowClass::clamped, state.v[i], -dv_[i]);
    }
  }
  for (int t = s.m; t < s.n; ++t) {
    if (s.mu[t] == 0) continue;
    const RowClass c = state.classes[t];
    if (c == RowClass::high) {
      if (t != last_.row) consider(t, RowClass::stick, -state.v[t], dv_[t]);
    } else if (c == RowClass::low) {
      if (t != last_.row) consider(t, RowClass::stick, state.v[t], -dv_[t]);
    } else if (c == RowClass::stick) {
      const int n = s.normal[t];
      const double bound = s.mu[t] * state.f[n], bound_speed = s.mu[t] * df_[n];
      const RowClass behind = t == last_.row ? last_from_ : RowClass::separate;
      if (behind != RowClass::high) consider(t, RowClass::high, bound - state.f[t], df_[t] - bound_speed);
      if (behind != RowClass::low) consider(t, RowClass::low, bound + state.f[t], -df_[t] - bound_speed);
    }
  }
  return first;
}

void ZPath::advance(IslandState& state, double step) {
  const int n = island_->n;
  axpy(n, step, df_.data(), state.f.data());
  axpy(n, step, dv_.data(), state.v.data());
}

/// Moves a row to its next class; returns its speed into that class for dz = −1.
double ZPath::flip(IslandState& state, ActiveInverse& inverse, const Event& event) {
  const ContactIsland& s = *island_;
  const int row = event.row;
  std::vector<RowClass>& classes = state.classes;
  last_from_ = classes[row];
  if (event.to == RowClass::clamped) {
    // Its tangents start at the bound that opposes the velocity they have now.
    for (int t = s.tangent_begin[row]; t < s.tangent_begin[row + 1]; ++t) {
      state.v[t] = b_[t] + dot(s.n, s.column(t), state.f.data());
      classes[t] = state.v[t] > 0 ? RowClass::low : RowClass::high;
      state.f[t] = 0;
    }
    classes[row] = RowClass::clamped;
    state.f[row] = 0;
    state.v[row] = 0;
    return inverse.insert_normal(row, classes, s.d[row]);
  }
  if (event.to == RowClass::separate) {
    for (int t = s.tangent_begin[row]; t < s.tangent_begin[row + 1]; ++t) {
      if (classes[t] == RowClass::stick) inverse.remove(t);
      classes[t] = RowClass::separate;
      state.f[t] = 0;
    }
    classes[row] = RowClass::separate;
    state.f[row] = 0;
    state.v[row] = 0;
    return inverse.remove(row);
  }
  if (event.to == RowClass::stick) {
    const double speed = inverse.insert_tangent(row, classes, 0);
    classes[row] = RowClass::stick;
    state.v[row] = 0;
    return speed;
  }
  const int sign = event.to == RowClass::high ? 1 : -1;
  const double velocity = inverse.remove_to_bound(row, sign);
  classes[row] = event.to;
  state.f[row] = sign * s.mu[row] * state.f[s.normal[row]];
  state.v[row] = 0;
  return -sign * velocity;
}

}  // namespace jade::lcp
