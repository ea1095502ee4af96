#include <algorithm>

#include "jade/geometry/time_of_impact.h"
#include "jade/stepping/island.h"

namespace jade {
namespace {

// Of the gap at a time of impact, as a share of the length it guards.
constexpr double kSweepTolerance = 1e-4;

// Gaps, as a share of the clearance, below which a pair no longer comes down to half of what it has: with the default
// lengths 2e-8 m, a million times the rounding of positions.
constexpr double kLeastGap = 1e-2;

// What has come down to that may come nearer by a tenth of what it has beyond half of it at a time: what leaves and falls back
// again and again is stopped near where it left, and no sweep ends where it begins.
constexpr double kLeastCalm = 0.5 * kLeastGap;
constexpr double kRoom = 0.9;

// In a hurry, and where even less is left, beyond the least of all gaps, with the default lengths 1e-9 m: bodies that press on
// each other must be able to give way before they are lifted.
constexpr double kLeastOfAll = 5e-4;

// Looks at pairs in one step, of an island: what spins nanometres above its target may take ten thousand of them for every piece of
// a mesh and every part of the step. Beyond some tenth of a second of that sweeps end earlier where they are.
constexpr int kManyLooks = 100000;
constexpr int kFewerLooks = 1000;

}  // namespace

/// The gap that a pair must not undercut: it meets at the standoff unless it is there already, and then it keeps the
/// clearance: what has just bounced off and spins needs room for the certificate, or it would be hit again at once.
/// A pair that is near that may come down to half of what it has, so that no sweep ends at once, but never to where
/// rounding decides whether two shapes touch.
Island::Target Island::target(const NearPair& pair) const {
  if (!pair.has_rows && pair.separation > kAtStandoff * settings_.standoff) return {settings_.standoff, 0};
  const double half = 0.5 * pair.separation, low = kLeastGap * settings_.clearance;
  const Target goal = half > settings_.clearance ? Target{settings_.clearance, 0}
                      : half < low               ? Target{low, 0}
                                                 : Target{half, 0.5};
  const bool calm = !hurries_ && pair.separation > kLeastCalm * settings_.clearance;
  const double least = (calm ? kLeastCalm : kLeastOfAll) * settings_.clearance;
  const double near = least + kRoom * std::max(0.0, pair.separation - least);
  return near < goal.gap ? Target{near, kRoom} : goal;
}

/// A box that holds the shape over the whole segment.
const Aabb& Island::swept_box(int slot, double s) {
  if (!has_box_[slot]) {
    boxes_[slot] = swept_bounds({collision_.shapes()[shapes[slot]].geometry, motion_of(paths_[slot])},
                                path_starts_[slot], s)
                       .grown(0.5 * settings_.standoff);
    has_box_[slot] = true;
  }
  return boxes_[slot];
}

/// Paths of all shapes, and where they take them. What moves on with the velocity that the step began with, and accelerates
/// by no more than was expected, stays where it was expected to; half a standoff is left for rounding.
void Island::begin_sweep(double s) {
  paths_.clear();
  path_starts_.resize(shapes.size());
  has_box_.assign(shapes.size(), false);
  for (MovingTree* tree : trees) begin_paths(*tree, s);
  const bool as_expected = as_expected_ && settings_.integrator == Integrator::midpoint;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const int shape = shapes[i], tree = anchor(shape).tree;
    add_path(collision_.shapes()[shape], tree < 0 ? nullptr : trees[tree], placed(shape, false), s, paths_);
    const Motion& motion = motion_of(paths_[i]);
    path_starts_[i] = motion.at(0);
    if (tree < 0) continue;
    bool expected = as_expected;
    if (as_expected) {
      const Motion::AxisAccelerations a = motion.axis_accelerations();
      expected = 0.5 * s * s * std::max(a.most.maxCoeff(), -a.least.minCoeff()) <= fall_;
    }
    // Others keep out of where it was expected, wherever it went: whether what lies still was nudged or not, the same bodies are
    // advanced together.
    swept[i].include((*expected_)[shape]);
    if (!expected) swept[i].include(swept_box(static_cast<int>(i), s));
  }
}

/// The largest part of the segment that is certified for every pair of the island.
double Island::sweep(double s) {
  begin_sweep(s);
  if (trace) trace->substeps.back().solves.back().hit = {};
  double certified = until_limit(s);
  row_blocked_ = false;
  blocked_.clear();
  for (NearPair& pair : pairs) {
    const Target goal = target(pair);
    const MovingShape a{collision_.shapes()[pair.a].geometry, motion_of(paths_[pair.slot_a])},
        b{collision_.shapes()[pair.b].geometry, motion_of(paths_[pair.slot_b])};
    // What rests or slides is certified by its speeds; the tolerance is far above their rounding.
    const StartingGap start{path_starts_[pair.slot_a], path_starts_[pair.slot_b], pair.normal,
                            pair.separation, goal.gap};
    if (!pair.normal.isZero(0) && stays_apart(a, b, start, s)) continue;
    if (!swept_box(pair.slot_a, s).overlaps(swept_box(pair.slot_b, s))) continue;
    TimeOfImpactSettings settings{
        .duration = s, .target = goal.gap, .tolerance = kSweepTolerance * goal.gap, .hint = pair.direction};
    if (looks_ > kManyLooks) settings.max_iterations = kFewerLooks;
    const TimeOfImpactResult toi = time_of_impact(a, b, settings);
    looks_ += toi.iterations;
    pair.direction = toi.normal;
    if (toi.status != TimeOfImpactResult::Status::free) record_hit(pair, toi, goal);
    if (toi.status == TimeOfImpactResult::Status::free) continue;
    if (hurries_) blocked_.push_back({static_cast<int>(&pair - pairs.data()), toi});
    if (toi.time >= certified) continue;
    certified = toi.time;
    row_blocked_ = pair.has_rows;
  }
  return certified;
}

}  // namespace jade
