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
  if (settings.nudge > 0) {
    for (int j = 0; j < s.n; ++j)
      axpy(s.n, settings.nudge * size * (spread(7 * j) - 0.75), s.column(j), b_.data());
  }
  std::copy(s.d.begin(), s.d.begin() + s.m, g_.begin());
  // z d lifts every normal to v ≥ 0; the row that needs most of it is the first to touch.
  Event first{0, -1, RowClass::clamped};
  for (int i = 0; i < s.m; ++i) {
    const double needed = -b_[i] / s.d[i];
    if (needed > z_) {
      z_ = needed;
      first.row = i;
    }
  }
  for (int i = 0; i < s.n; ++i) state.v[i] = b_[i] + z_ * g_[i];
  return first;
}

bool ZPath::follow(const ContactIsland& island, const ZPathSettings& settings, IslandState& state,
                   ActiveInverse& inverse, int& pivots) {
  settings_ = settings;
  begin(island, settings.epsilon);
  inverse.reset(island, settings.epsilon);
  const Event first = start(state, settings);
  end_f_.assign(island.n, 0.0);
  return first.row < 0 || walk(state, inverse, first, pivots);
}

bool ZPath::relax(IslandState& state, ActiveInverse& inverse, bool afresh, int& pivots) {
  const ContactIsland& s = *island_;
  for (int i = 0; i < s.n; ++i) {
    const double now = b_[i];
    b_[i] = s.b[i] - epsilon_ * s.diagonal[i] * end_f_[i];
    g_[i] = now - b_[i];
  }
  z_ = 1;
  last_.row = -1;
  if (afresh) {
    if (!rebuild(state, inverse)) return false;
  } else {
    inverse.aim(g_.data());
    put_onto_path(state, inverse);
  }
  from_.assign(end_f_.begin(), end_f_.end());
  const Event event = step(state, inverse, true);
  if (z_ != 0 && (event.row < 0 || !walk(state, inverse, event, pivots))) return false;
  moved_ = 0;
  for (int i = 0; i < s.n; ++i) moved_ = std::max(moved_, std::abs(end_f_[i] - from_[i]));
  return true;
}

/// From an event to z = 0.
bool ZPath::walk(IslandState& state, ActiveInverse& inverse, Event event, int& pivots) {
  for (int count = 1; count <= settings_.max_pivots; ++count) {
    ++pivots;
    const double into = flip(state, inverse, event, g_[event.row]);
    if (!inverse.healthy()) return false;
    if (settings_.rebuild_every > 0 && count % settings_.rebuild_every == 0 && !rebuild(state, inverse))
      return false;
    event = step(state, inverse, into >= 0);
    if (z_ == 0) return true;
    if (event.row < 0) return false;
  }
  return false;
}

/// Moves to the next event, or to z = 0 when that comes first.
ClassWalk::Event ZPath::step(IslandState& state, const ActiveInverse& inverse, bool forward) {
  move(state, inverse, forward);
  const Event event = next_event(state);
  if (forward && !(event.step < z_)) {
    advance(state, z_);
    z_ = 0;
    end_f_ = state.f;
    return {0, -1, RowClass::separate};
  }
  if (event.row < 0) return event;
  advance(state, event.step);
  z_ += forward ? -event.step : event.step;
  return event;
}

/// Motion for dz = ∓1:  K dx = g_X,  df = P dx,  dv = A df − g, or the opposite.
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
  axpy(s.n, -sign, g_.data(), dv_.data());
}

/// Factors the equations of the classes anew and puts forces and velocities back onto the path at the current z.
bool ZPath::rebuild(IslandState& state, ActiveInverse& inverse) {
  if (!equations_.factor(*island_, state.classes, epsilon_)) return false;
  inverse.rebuild(equations_, state.classes, g_.data());
  put_onto_path(state, equations_);
  return true;
}

template <class Solver>
void ZPath::put_onto_path(IslandState& state, const Solver& solver) {
  const ContactIsland& s = *island_;
  const std::vector<int>& free = solver.free_rows();
  x_.resize(free.size());
  for (std::size_t p = 0; p < free.size(); ++p) x_[p] = -b_[free[p]] - z_ * g_[free[p]];
  solver.solve(x_.data());
  for (std::size_t p = 0; p < free.size(); ++p) state.f[free[p]] = x_[p];
  tie_forces(s, state);
  for (int i = 0; i < s.n; ++i) {
    state.v[i] = b_[i] + z_ * g_[i] + epsilon_ * s.diagonal[i] * state.f[i];
  }
  for (int j = 0; j < s.n; ++j) {
    if (state.f[j] != 0) axpy(s.n, state.f[j], s.column(j), state.v.data());
  }
}

}  // namespace jade::lcp
