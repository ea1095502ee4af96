#include "jade/lcp/dantzig.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/lcp/contact_methods.h"
#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {
namespace {

/// Keeps the equations of redundant contacts solvable; the answer is polished without it.
constexpr double kCompliance = 1e-8;

}  // namespace

bool Dantzig::run(const ContactIsland& island, IslandState& state, ActiveInverse& inverse, int& pivots) {
  begin(island, kCompliance);
  inverse.reset(island, kCompliance);
  handled_.assign(island.n, 0);
  std::fill(state.classes.begin(), state.classes.end(), RowClass::separate);
  std::fill(state.f.begin(), state.f.end(), 0.0);
  std::copy(b_.begin(), b_.end(), state.v.begin());
  r_.resize(island.n);
  // Untroubled problems take about one pivot a row; what takes ten is going in circles.
  pivots_left_ = 10 * island.n + 50;
  for (int row = 0; row < island.n; ++row) {
    if (!drive(row, state, inverse, pivots)) return false;
  }
  return true;
}

double Dantzig::move(int row, double sign, const IslandState& state, const ActiveInverse& inverse) {
  const ContactIsland& s = *island_;
  const std::vector<int>& free = inverse.free_rows();
  const int k = inverse.size();
  for (int p = 0; p < k; ++p) r_[p] = -sign * s.at(free[p], row);
  inverse.solve(r_.data());
  std::fill(df_.begin(), df_.end(), 0.0);
  for (int p = 0; p < k; ++p) df_[free[p]] = r_[p];
  for (int t = s.m; t < s.n; ++t) {
    if (is_slipping(state.classes[t])) df_[t] = slip_slope(s, state.classes, t) * df_[s.normal[t]];
  }
  velocities_of_motion(state, inverse);
  df_[row] = sign;
  axpy(s.n, sign, s.column(row), dv_.data());
  return dot(s.n, s.column(row), df_.data()) + epsilon_ * s.diagonal[row] * sign;
}

bool Dantzig::drive(int row, IslandState& state, ActiveInverse& inverse, int& pivots) {
  const ContactIsland& s = *island_;
  const bool tangent = row >= s.m;
  const int normal = s.normal[row];
  double v = b_[row] + dot(s.n, s.column(row), state.f.data());
  if (!tangent) state.v[row] = v;
  if (tangent ? state.classes[normal] == RowClass::separate : v >= 0) {
    handled_[row] = 1;
    return true;
  }
  const double sign = v > 0 ? -1 : 1;
  last_.row = -1;
  while (pivots_left_-- > 0) {
    ++pivots;
    const double speed = move(row, sign, state, inverse);
    Event event = next_event(state);
    // The driven row itself: its velocity reaches zero, or its force the moving bound.
    enum { other, at_rest, at_bound } what = other;
    const double to_rest = v * speed < 0 ? -v / speed : v == 0 ? 0 : std::numeric_limits<double>::infinity();
    if (to_rest <= event.step) {
      event.step = to_rest;
      what = at_rest;
    }
    if (tangent) {
      const double approach = 1 - s.mu[row] * df_[normal];
      const double room = s.mu[row] * state.f[normal] - sign * state.f[row];
      const double to_bound =
          approach > 0 ? std::max(room, 0.0) / approach : std::numeric_limits<double>::infinity();
      if (to_bound <= event.step) {
        event.step = to_bound;
        what = at_bound;
      }
    }
    if (!std::isfinite(event.step)) return false;
    advance(state, event.step);
    v += event.step * speed;
    state.v[row] = v;
    if (what == at_rest) return settle(row, tangent ? RowClass::stick : RowClass::clamped, state, inverse);
    if (what == at_bound) return settle(row, sign > 0 ? RowClass::high : RowClass::low, state, inverse);
    flip(state, inverse, event, 0);
    if (!inverse.healthy()) return false;
    // A tangent whose normal lets go has nothing left to hold on to.
    if (tangent && event.row == normal && event.to == RowClass::separate) {
      handled_[row] = 1;
      return true;
    }
  }
  return false;
}

bool Dantzig::settle(int row, RowClass c, IslandState& state, ActiveInverse& inverse) {
  const ContactIsland& s = *island_;
  handled_[row] = 1;
  if (row < s.m) {
    inverse.insert_normal(row, state.classes, 0);
  } else {
    inverse.insert_loose(row, state.classes, 0);
    if (inverse.healthy() && c != RowClass::stick) inverse.remove_to_bound(row, c == RowClass::high ? 1 : -1);
  }
  state.classes[row] = c;
  if (is_free(c)) state.v[row] = 0;
  return inverse.healthy();
}

IslandReport solve_by_dantzig(const ContactIsland& island, const LcpSettings& settings, IslandWorkspace& w,
                              IslandState& state) {
  IslandReport report{.stage = "dantzig", .selection = LcpSelection::iterate};
  Dantzig dantzig;
  if (!dantzig.run(island, state, w.inverse, report.pivots)) report.stage = "dantzig loop";
  if (w.equations.factor(island, state.classes, 1e-6)) polish(island, w.equations, w.scratch, state);
  evaluate(island, state);
  report.solved = state.residual <= settings.tolerance;
  return report;
}

}  // namespace jade::lcp
