#include "jade/lcp/z_path.h"

#include <algorithm>
#include <cmath>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {
namespace {

/// A fixed number in [½, 1) for each canonical row; multiples of the golden ratio are never close to each other.
double spread(int row) {
  const double x = (row + 1) * 0.6180339887498949;
  return 0.5 + 0.5 * (x - std::floor(x));
}

}  // namespace

ClassWalk::Event ZPath::start(IslandState& state, const ZPathSettings& settings) {
  const ContactIsland& s = *island_;
  handled_.assign(s.n, 1);
  double size = 0;
  for (int i = 0; i < s.n; ++i) size = std::max(size, std::abs(s.b[i]));
  for (int i = 0; i < s.n; ++i) {
    b_[i] = s.b[i] + settings.perturbation * size * spread(i);
    state.classes[i] = RowClass::separate;
    state.f[i] = 0;
  }
  // z d lifts every normal to v ≥ 0; the row that needs most of it is the first to touch.
  Event first{0, -1, RowClass::clamped};
  z_ = 0;
  for (int i = 0; i < s.m; ++i) {
    const double needed = -b_[i] / s.d[i];
    if (needed > z_) {
      z_ = needed;
      first.row = i;
    }
  }
  for (int i = 0; i < s.n; ++i) state.v[i] = b_[i] + (i < s.m ? z_ * s.d[i] : 0);
  return first;
}

bool ZPath::follow(const ContactIsland& island, const ZPathSettings& settings, IslandState& state,
                   ActiveInverse& inverse, int& pivots) {
  begin(island, settings.epsilon);
  inverse.reset(island, settings.epsilon);
  Event event = start(state, settings);
  if (event.row < 0) return true;
  for (int count = 1; count <= settings.max_pivots; ++count) {
    ++pivots;
    const double into = flip(state, inverse, event, event.row < island.m ? island.d[event.row] : 0);
    if (!inverse.healthy()) return false;
    if (settings.rebuild_every > 0 && count % settings.rebuild_every == 0 && !rebuild(state, inverse))
      return false;
    const bool forward = into >= 0;
    move(state, inverse, forward);
    event = next_event(state);
    if (forward && !(event.step < z_)) {
      advance(state, z_);
      return true;
    }
    if (event.row < 0) return false;
    advance(state, event.step);
    z_ += forward ? -event.step : event.step;
  }
  return false;
}

/// Motion for dz = ∓1:  K dx = d_X,  df = P dx,  dv = A df − d, or the opposite.
void ZPath::move(const IslandState& state, const ActiveInverse& inverse, bool forward) {
  const ContactIsland& s = *island_;
  std::fill(df_.begin(), df_.end(), 0.0);
  const std::vector<int>& free = inverse.free_rows();
  const double* dx = inverse.direction();
  const double sign = forward ? 1 : -1;
  for (int p = 0; p < inverse.size(); ++p) df_[free[p]] = sign * dx[p];
  for (int t = s.m; t < s.n; ++t) {
    if (is_slipping(state.classes[t])) df_[t] = slip_slope(s, state.classes, t) * df_[s.normal[t]];
  }
  velocities_of_motion(state, inverse);
  for (int i = 0; i < s.m; ++i) dv_[i] -= sign * s.d[i];
}

/// Factors the equations of the classes anew and puts forces and velocities back onto the path at the current z.
bool ZPath::rebuild(IslandState& state, ActiveInverse& inverse) {
  const ContactIsland& s = *island_;
  if (!equations_.factor(s, state.classes, epsilon_)) return false;
  inverse.rebuild(equations_, state.classes);
  const std::vector<int>& free = equations_.free_rows();
  x_.resize(free.size());
  for (std::size_t p = 0; p < free.size(); ++p) {
    x_[p] = -b_[free[p]] - (free[p] < s.m ? z_ * s.d[free[p]] : 0);
  }
  equations_.solve(x_.data());
  for (std::size_t p = 0; p < free.size(); ++p) state.f[free[p]] = x_[p];
  tie_forces(s, state);
  for (int i = 0; i < s.n; ++i) {
    state.v[i] = b_[i] + (i < s.m ? z_ * s.d[i] : epsilon_ * s.at(i, i) * state.f[i]);
  }
  for (int j = 0; j < s.n; ++j) {
    if (state.f[j] != 0) axpy(s.n, state.f[j], s.column(j), state.v.data());
  }
  return true;
}

}  // namespace jade::lcp
