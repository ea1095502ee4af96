#include <algorithm>

#include "jade/geometry/time_of_impact.h"
#include "jade/stepping/island.h"

namespace jade {
namespace {

// Of the gap at a time of impact, as a share of the length it guards.
constexpr double kSweepTolerance = 1e-4;

// The smallest gap that a motion may leave, as a share of the clearance: with the default lengths 1e-8 m, a million times
// the rounding of positions.
constexpr double kLeastGap = 5e-3;

}  // namespace

/// The gap that a pair must not undercut: it meets at the standoff unless it is there already, and then it keeps the
/// clearance: what has just bounced off and spins needs room for the certificate, or it would be hit again at once.
/// A pair that is near that may come down to half of what it has, so that no sweep ends at once, but never to where
/// rounding decides whether two shapes touch.
double Island::target(const NearPair& pair) const {
  if (!pair.has_rows && pair.separation > kAtStandoff * settings_.standoff) return settings_.standoff;
  return std::clamp(0.5 * pair.separation, kLeastGap * settings_.clearance, settings_.clearance);
}

/// The largest part of the segment that is certified for every pair of the island.
double Island::sweep(double s) {
  paths_.clear();
  path_starts_.resize(shapes.size());
  for (MovingTree* tree : trees) begin_paths(*tree, s);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const CollisionShape& shape = collision_.shapes()[shapes[i]];
    const int tree = anchor(shapes[i]).tree;
    add_path(shape, tree < 0 ? nullptr : trees[tree], placed(shapes[i], false), s, paths_);
    const Motion& motion = motion_of(paths_[i]);
    path_starts_[i] = motion.at(0);
    boxes_[i] = swept_bounds({shape.geometry, motion}, path_starts_[i], s).grown(0.5 * settings_.standoff);
  }

  if (trace) trace->substeps.back().solves.back().hit = {};
  double certified = until_limit(s);
  row_blocked_ = false;
  blocked_.clear();
  for (NearPair& pair : pairs) {
    if (!boxes_[pair.slot_a].overlaps(boxes_[pair.slot_b])) continue;
    const double goal = target(pair);
    const MovingShape a{collision_.shapes()[pair.a].geometry, motion_of(paths_[pair.slot_a])},
        b{collision_.shapes()[pair.b].geometry, motion_of(paths_[pair.slot_b])};
    // What rests or slides is certified by its speeds; the tolerance is far above their rounding.
    const StartingGap start{path_starts_[pair.slot_a], path_starts_[pair.slot_b], pair.normal,
                            pair.separation, goal};
    if (!pair.normal.isZero(0) && stays_apart(a, b, start, s)) continue;
    const TimeOfImpactResult toi = time_of_impact(
        a, b, {.duration = s, .target = goal, .tolerance = kSweepTolerance * goal, .hint = pair.direction});
    pair.direction = toi.normal;
    if (toi.status != TimeOfImpactResult::Status::free) record_hit(pair, toi, goal);
    if (toi.status == TimeOfImpactResult::Status::free) continue;
    if (hurries_) blocked_.push_back({static_cast<int>(&pair - pairs.data()), toi});
    if (toi.time >= certified) continue;
    certified = toi.time;
    row_blocked_ = pair.has_rows;
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    swept[i].include(boxes_[i].low);
    swept[i].include(boxes_[i].high);
  }
  return certified;
}

}  // namespace jade
