#include "jade/lcp/dantzig.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/lcp/class_exchanges.h"
#include "jade/lcp/contact_methods.h"

namespace jade::lcp {
namespace {

/// Keeps the equations of redundant contacts solvable; the answer is polished without it.
constexpr double kCompliance = 1e-8;

}  // namespace

bool Dantzig::run(const ContactIsland& island, IslandState& state, ClassTableau& tableau, int& pivots) {
  begin(island, kCompliance);
  tableau.reset(island, kCompliance);
  std::fill(state.classes.begin(), state.classes.end(), RowClass::separate);
  std::copy(island.b.begin(), island.b.end(), at_.begin());
  // Untroubled problems take about one pivot a row; what takes ten is going in circles.
  pivots_left_ = 10 * island.n + 50;
  for (int row = 0; row < island.n; ++row) {
    if (!drive(row, state, tableau, pivots)) return false;
    take_part(row, state.classes[row]);
  }
  return true;
}

JADE_INSIDE_LOOPS bool Dantzig::settle(int row, RowClass c, IslandState& state, ClassTableau& tableau) {
  if (row < island_->m) {
    tableau.insert_normal(row, state.classes);
  } else {
    tableau.insert_loose(row);
    if (tableau.healthy() && c != RowClass::stick) tableau.remove_to_bound(row, c == RowClass::high ? 1 : -1);
  }
  state.classes[row] = c;
  if (is_free(c)) at_[row] = driven_;
  return tableau.healthy();
}

JADE_WIDE_LOOPS bool Dantzig::drive(int row, IslandState& state, ClassTableau& tableau, int& pivots) {
  const ContactIsland& s = *island_;
  const bool tangent = row >= s.m;
  const int normal = s.normal[row];
  if (tangent ? state.classes[normal] == RowClass::separate : at_[row] >= 0) return true;
  const double sign = at_[row] > 0 ? -1 : 1;
  driven_ = 0;
  forget_last();
  while (pivots_left_-- > 0) {
    ++pivots;
    tableau.drive(row, sign);
    const double v = at_[row], speed = tableau.direction()[row];
    Event event = next_event(state.classes, tableau, 1);
    // The driven row itself: its velocity reaches zero, or its force the moving bound.
    enum { other, at_rest, at_bound } what = other;
    const double to_rest = v * speed < 0 ? -v / speed : v == 0 ? 0 : std::numeric_limits<double>::infinity();
    if (to_rest <= event.step) {
      event.step = to_rest;
      what = at_rest;
    }
    if (tangent) {
      const double approach = 1 - s.mu[row] * tableau.direction()[normal];
      const double room = s.mu[row] * at_[normal] - sign * driven_;
      const double to_bound =
          approach > 0 ? std::max(room, 0.0) / approach : std::numeric_limits<double>::infinity();
      if (to_bound <= event.step) {
        event.step = to_bound;
        what = at_bound;
      }
    }
    if (!std::isfinite(event.step)) return false;
    advance(tableau, event.step);
    driven_ += sign * event.step;
    if (what == at_rest) return settle(row, tangent ? RowClass::stick : RowClass::clamped, state, tableau);
    if (what == at_bound) return settle(row, sign > 0 ? RowClass::high : RowClass::low, state, tableau);
    flip(state.classes, tableau, event);
    if (!tableau.healthy()) return false;
    // A tangent whose normal lets go has nothing left to hold on to.
    if (tangent && event.row == normal && event.to == RowClass::separate) return true;
  }
  return false;
}

IslandReport solve_by_dantzig(const ContactIsland& island, const LcpSettings& settings, IslandWorkspace& w,
                              IslandState& state) {
  IslandReport report{.stage = "dantzig", .selection = LcpSelection::iterate};
  Dantzig dantzig;
  if (!dantzig.run(island, state, w.tableau, report.pivots)) report.stage = "dantzig loop";
  if (w.equations.factor(island, state.classes, 1e-6)) polish(island, w.equations, w.scratch, state);
  evaluate(island, state);
  report.solved = state.residual <= settings.tolerance;
  return report;
}

}  // namespace jade::lcp
