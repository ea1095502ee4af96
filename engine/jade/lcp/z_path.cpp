#include "jade/lcp/z_path.h"

#include <algorithm>
#include <cmath>

#include "jade/lcp/class_exchanges.h"

namespace jade::lcp {
namespace {

/// A fixed number in [½, 1) for each canonical row; multiples of the golden ratio are never close to each other.
double spread(int row) {
  const double x = (row + 1) * 0.6180339887498949;
  return 0.5 + 0.5 * (x - std::trunc(x));
}

}  // namespace

JADE_WIDE_LOOPS ClassWalk::Event ZPath::start(IslandState& state) {
  const ContactIsland& s = *island_;
  const int n = s.n, m = s.m;
  for (int i = static_cast<int>(spread_.size()); i < s.stride; ++i) spread_.push_back(spread(i));
  const double *b = s.b.data(), *d = s.d.data(), *spreads = spread_.data();
  double *mine = b_.data(), *g = g_.data();
  Four sizes{};
  for (int i = 0; i < s.stride; i += 4) {
    Four b_size;
    take_size(four_at(b + i), b_size);
    sizes = b_size > sizes ? b_size : sizes;
  }
  const double size = std::max(std::max(sizes[0], sizes[1]), std::max(sizes[2], sizes[3]));
  const double perturbation = settings_.perturbation * size;
  for (int i = 0; i < s.stride; i += 4) {
    four_at(mine + i) = four_at(b + i) + perturbation * four_at(spreads + i);
    four_at(g + i) = four_at(d + i);
  }
  for (int i = n; i < s.stride; ++i) mine[i] = 0;
  std::fill_n(state.classes.begin(), n, RowClass::separate);
  std::fill_n(side_.begin(), m, 1.0);
  taking_part_ = n;
  if (settings_.nudge > 0) {
    for (int j = 0; j < n; ++j)
      axpy(s.stride, settings_.nudge * size * (spread(7 * j) - 0.75), s.column(j), mine);
  }
  // z d lifts every normal to v ≥ 0; the row that needs most of it is the first to touch.
  Event first{0, -1, RowClass::clamped};
  for (int i = 0; i < m; ++i) {
    const double needed = -mine[i] / d[i];
    const bool more = needed > z_;
    z_ = more ? needed : z_;
    first.row = more ? i : first.row;
  }
  return first;
}

/// Moves to the next event, or to z = 0 when that comes first.
template <int kLength>
JADE_INSIDE_LOOPS ClassWalk::Event ZPath::step(IslandState& state, const ClassTableau& tableau,
                                               bool forward) {
  const double sign = forward ? 1 : -1;
  const Event event = next_event<kLength>(state.classes, tableau, sign);
  if (forward && !(event.step < z_)) {
    advance<kLength>(tableau, z_);
    z_ = 0;
    return {0, -1, RowClass::separate};
  }
  if (event.row < 0) return event;
  advance<kLength>(tableau, sign * event.step);
  z_ -= sign * event.step;
  return event;
}

JADE_WIDE_LOOPS bool ZPath::follow(const ContactIsland& island, const ZPathSettings& settings,
                                   IslandState& state, ClassTableau& tableau, int& pivots) {
  settings_ = settings;
  begin(island, settings.epsilon);
  tableau.reset(island, settings.epsilon);
  const Event first = start(state);
  // No row is free yet: velocities are those without forces.
  for (int i = 0; i < island.stride; i += 4) four_at(&at_[i]) = four_at(&b_[i]) + z_ * four_at(&g_[i]);
  tableau.head_along(g_.data());
  return first.row < 0 || walk(state, tableau, first, pivots);
}

JADE_WIDE_LOOPS bool ZPath::relax(IslandState& state, ClassTableau& tableau, bool afresh, int& pivots) {
  const ContactIsland& s = *island_;
  // `state` has been polished since; the path goes on from its own forces.
  take_forces(state);
  from_ = state.f;
  for (int i = 0; i < s.n; ++i) {
    const double now = b_[i];
    b_[i] = s.b[i] - epsilon_ * s.diagonal[i] * from_[i];
    g_[i] = now - b_[i];
  }
  z_ = 1;
  forget_last();
  if (afresh) {
    if (!rebuild(state, tableau)) return false;
  } else {
    put_onto_path(tableau);
  }
  const Event event = step<0>(state, tableau, true);
  if (z_ != 0 && (event.row < 0 || !walk(state, tableau, event, pivots))) return false;
  take_forces(state);
  moved_ = 0;
  for (int i = 0; i < s.n; ++i) moved_ = std::max(moved_, std::abs(state.f[i] - from_[i]));
  return true;
}

/// From an event to z = 0.
template <int kLength>
JADE_INSIDE_LOOPS bool ZPath::walk_along(IslandState& state, ClassTableau& tableau, Event event,
                                         int& pivots) {
  for (int count = 1; count <= settings_.max_pivots; ++count) {
    ++pivots;
    const double into = flip<kLength>(state.classes, tableau, event);
    if (!tableau.healthy()) return false;
    if (settings_.rebuild_every > 0 && count % settings_.rebuild_every == 0 && !rebuild(state, tableau))
      return false;
    event = step<kLength>(state, tableau, into >= 0);
    if (z_ == 0) return true;
    if (event.row < 0) return false;
  }
  return false;
}

JADE_WIDE_LOOPS bool ZPath::walk_box(IslandState& state, ClassTableau& tableau, Event event, int& pivots) {
  return walk_along<kRowsOfABox>(state, tableau, event, pivots);
}

JADE_WIDE_LOOPS bool ZPath::walk_two(IslandState& state, ClassTableau& tableau, Event event, int& pivots) {
  return walk_along<2 * kRowsOfABox>(state, tableau, event, pivots);
}

JADE_WIDE_LOOPS bool ZPath::walk_four(IslandState& state, ClassTableau& tableau, Event event, int& pivots) {
  return walk_along<4 * kRowsOfABox>(state, tableau, event, pivots);
}

JADE_WIDE_LOOPS bool ZPath::walk_any(IslandState& state, ClassTableau& tableau, Event event, int& pivots) {
  return walk_along<0>(state, tableau, event, pivots);
}

bool ZPath::walk(IslandState& state, ClassTableau& tableau, Event event, int& pivots) {
  switch (island_->stride) {
    case kRowsOfABox:
      return walk_box(state, tableau, event, pivots);
    case 2 * kRowsOfABox:
      return walk_two(state, tableau, event, pivots);
    case 4 * kRowsOfABox:
      return walk_four(state, tableau, event, pivots);
    default:
      return walk_any(state, tableau, event, pivots);
  }
}

void ZPath::take_forces(IslandState& state) const {
  std::copy_n(at_.begin(), island_->n, state.f.begin());
  tie_forces(*island_, state);
}

double ZPath::largest_force(const ClassTableau& tableau) const {
  double largest = 0;
  for (const int i : tableau.free_rows()) largest = std::max(largest, std::abs(at_[i]));
  return largest;
}

/// Factors the equations of the classes anew and puts forces and velocities back onto the path at the current z.
bool ZPath::rebuild(IslandState& state, ClassTableau& tableau) {
  if (!equations_.factor(*island_, state.classes, epsilon_)) return false;
  tableau.rebuild(equations_, state.classes);
  put_onto_path(tableau);
  return true;
}

void ZPath::put_onto_path(ClassTableau& tableau) {
  const ContactIsland& s = *island_;
  q_.resize(s.stride);
  for (int i = 0; i < s.stride; ++i) q_[i] = b_[i] + z_ * g_[i];
  tableau.respond(q_.data(), at_.data());
  tableau.aim(g_.data());
}

}  // namespace jade::lcp
