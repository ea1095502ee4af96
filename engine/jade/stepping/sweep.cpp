#include <algorithm>
#include <memory>
#include <optional>

#include "jade/geometry/time_of_impact.h"
#include "jade/stepping/island.h"
#include "jade/stepping/link_path.h"

namespace jade {
namespace {

// Of the gap at a time of impact, as a share of the length it guards.
constexpr double kSweepTolerance = 1e-4;

}  // namespace

/// The gap that a pair must not undercut: it meets at the standoff unless it rests there already, and then it keeps the
/// clearance. A pair that is nearer still may come down to half of what it has, so that no sweep ends at once.
double Island::target(const NearPair& pair) const {
  if (!pair.has_rows && pair.separation > settings_.standoff) return settings_.standoff;
  if (pair.separation > settings_.clearance) return settings_.clearance;
  return 0.5 * pair.separation;
}

/// The largest part of the segment that is certified for every pair of the island.
double Island::sweep(double s) {
  std::vector<std::unique_ptr<Motion>> motions(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const CollisionShape& shape = collision_.shapes()[shapes[i]];
    motions[i] = motion_of(shape, anchor(shapes[i]).tree < 0 ? nullptr : trees[anchor(shapes[i]).tree], s);
    boxes_[i] = swept_bounds({shape.geometry, *motions[i]}, s).grown(0.5 * settings_.standoff);
  }

  double certified = s;
  for (NearPair& pair : pairs) {
    if (!boxes_[pair.slot_a].overlaps(boxes_[pair.slot_b])) continue;
    const double goal = target(pair);
    const TimeOfImpactResult toi = time_of_impact(
        {collision_.shapes()[pair.a].geometry, *motions[pair.slot_a]},
        {collision_.shapes()[pair.b].geometry, *motions[pair.slot_b]},
        {.duration = s, .target = goal, .tolerance = kSweepTolerance * goal, .hint = pair.direction});
    pair.direction = toi.normal;
    if (toi.status != TimeOfImpactResult::Status::free) certified = std::min(certified, toi.time);
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    swept[i].include(boxes_[i].low);
    swept[i].include(boxes_[i].high);
  }
  return certified;
}

}  // namespace jade
