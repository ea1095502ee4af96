#pragma once

#include <span>
#include <utility>
#include <vector>

#include "jade/geometry/aabb.h"

namespace jade {

/// Finds which of many boxes overlap, by sorting their ends along the axis on which they are spread most and sweeping
/// over them; a few of them one by one. Reused from step to step, it allocates nothing once its lists have grown.
class BroadPhase {
 public:
  /// All pairs (i, j), i < j, of boxes that share a point, in ascending order: the answer does not depend on the order
  /// in which they were found. Boxes may be infinite; an empty one overlaps nothing. No box may hold a NaN.
  const std::vector<std::pair<int, int>>& overlaps(std::span<const Aabb> boxes);

 private:
  std::vector<std::pair<double, int>> order_;  // where boxes begin
  std::vector<int> open_;
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace jade
