#include <algorithm>
#include <cmath>

#include "jade/stepping/island.h"

namespace jade {
namespace {

/// The first time in (0, s) at which c + σ b + ½ σ² a has fallen to zero, else s. c > 0.
double first_root(double c, double b, double a, double s) {
  const double discriminant = b * b - 2 * a * c;
  if (discriminant < 0) return s;  // turns back before it gets there
  const double root = std::sqrt(discriminant);
  // Each form adds numbers of one sign.
  const double sigma = b < 0 ? 2 * c / (root - b) : a < 0 ? (b + root) / -a : s;
  return std::min(sigma, s);
}

/// Where a coordinate at its limit is stopped when something pushes it on. One that is nearer already may lose half of
/// what it has; one that rounding has put on the limit or beyond it has nothing to lose, but must not end the sweep at once.
double stopped_at(const LiveLimit& limit) {
  const Closing& at = limit.closing;
  if (limit.row < 0 && !at.at_standoff()) return at.standoff;
  return at.gap > 0 ? std::min(0.5 * at.gap, at.clearance) : at.gap - 0.1 * at.clearance;
}

}  // namespace

std::vector<CoordinateLimit> limits_of(const Model& whole, int tree) {
  const Link& first = whole.links()[whole.trees()[tree].first];
  std::vector<CoordinateLimit> limits;
  for (std::size_t j = 0; j < whole.joints().size(); ++j) {
    const Joint& joint = whole.joints()[j];
    for (int k = joint.v; k < joint.v + joint.nv; ++k) {
      if (whole.links()[whole.velocity_link()[k]].tree != tree) continue;
      for (const bool upper : {false, true}) {
        const double value = upper ? whole.upper()[k] : whole.lower()[k];
        if (!std::isfinite(value)) continue;
        limits.push_back({.joint = static_cast<int>(j),
                          .coordinate = k - joint.v,
                          .upper = upper,
                          .value = value,
                          .restitution = whole.limit_restitution()[k],
                          .position = whole.velocity_position()[k] - first.q,
                          .velocity = k - first.v,
                          .key = 2 * static_cast<std::uint64_t>(k) + upper});
      }
    }
  }
  return limits;
}

void Island::recall_limits(const StepMemory& memory) {
  for (std::size_t t = 0; t < trees.size(); ++t)
    for (const CoordinateLimit& limit : trees[t]->limits) {
      LiveLimit live{.tree = static_cast<int>(t), .limit = limit};
      live.closing.standoff = settings_.limit_standoff * std::max(1.0, std::abs(limit.value));
      live.closing.clearance = live.closing.standoff * (settings_.clearance / settings_.standoff);
      limits.push_back(live);
    }
  std::sort(limits.begin(), limits.end(),
            [](const LiveLimit& x, const LiveLimit& y) { return x.limit.key < y.limit.key; });
  for (LiveLimit& live : limits) {
    const auto kept =
        std::lower_bound(memory.limits.begin(), memory.limits.end(), live.limit.key,
                         [](const StepMemory::Limit& x, std::uint64_t key) { return x.key < key; });
    if (kept == memory.limits.end() || kept->key != live.limit.key) continue;
    live.row_class = kept->row_class;
    live.carried = live.row_class == RowClass::clamped;
  }
}

void Island::find_limits() {
  for (LiveLimit& live : limits) {
    const double position = trees[live.tree]->now.q[live.limit.position];
    live.closing.gap = live.limit.sign() * (position - live.limit.value);
    if (live.closing.gap < -live.closing.standoff) throw BeyondLimit{live.limit, position};
    live.was_row = live.row >= 0;
    if (live.was_row) live.carried = live.row_class == RowClass::clamped;
    live.closing.carried = live.carried ? (live.closing.standoff - live.closing.clearance) / h_ : 0;
    live.row = -1;
  }
}

void Island::update_limit_speeds() {
  for (LiveLimit& live : limits) {
    live.closing.approach = live.limit.sign() * trees[live.tree]->now.v[live.limit.velocity];
    live.closing.free_pull = live.limit.sign() * trees[live.tree]->a[live.limit.velocity];
  }
}

void Island::choose_limit_rows(double s) {
  row_limits_.clear();
  for (std::size_t l = 0; l < limits.size(); ++l) {
    limits[l].row = -1;
    const Closing& closing = limits[l].closing;
    if (hurries_ ? closing.lands(horizon(s)) : closing.is_row(horizon(s)))
      row_limits_.push_back(static_cast<int>(l));
  }
}

void Island::add_limit_rows() {
  for (const int l : row_limits_) {
    LiveLimit& live = limits[l];
    live.row = rows_.add_coordinate(row_trees_, live.tree, live.limit.velocity, live.limit.sign());
    problem_.rows.push_back({RowKind::limit, -1, 0});
    warm_.push_back(live.row_class);
  }
}

void Island::finish_limits() {
  for (const int l : row_limits_) {
    limits[l].row_class = solution_.classes[limits[l].row];
    limits[l].impulse = solution_.f[limits[l].row];
  }
}

/// The part of the segment that keeps every coordinate within its limits. Its path is a parabola of its own, so the time
/// is a closed form: gap + σ p1 + ½ σ² p2 = target.
double Island::until_limit(double s) {
  double first = s;
  for (std::size_t l = 0; l < limits.size(); ++l) {
    const LiveLimit& live = limits[l];
    const MovingTree& tree = *trees[live.tree];
    const int k = live.limit.velocity;
    const double sign = live.limit.sign(), gap = live.closing.gap, stop = stopped_at(live);
    const double end = first_root(gap - stop, sign * tree.p1[k], sign * tree.p2[k], first);
    if (end >= first) continue;
    first = end;
    record_limit_hit(l, first, stop == 0.5 * gap ? 0.5 : stop < gap && gap <= 0 ? 1 : 0);
  }
  return first;
}

}  // namespace jade
