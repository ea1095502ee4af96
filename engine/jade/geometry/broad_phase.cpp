#include "jade/geometry/broad_phase.h"

#include <algorithm>
#include <cmath>

namespace jade {
namespace {

/// The axis along which the middles of the finite boxes vary most.
int widest_axis(std::span<const Aabb> boxes) {
  Vec3 sum = Vec3::Zero(), squares = Vec3::Zero();
  int count = 0;
  for (const Aabb& box : boxes) {
    const Vec3 middle = (box.low + box.high) / 2;
    if (!middle.allFinite()) continue;
    sum += middle;
    squares += middle.cwiseAbs2();
    ++count;
  }
  int axis = 0;
  if (count > 0) (squares - sum.cwiseAbs2() / count).maxCoeff(&axis);
  return axis;
}

// Up to here it takes less to look at every pair than to sort.
constexpr int kFew = 16;

bool is_empty(const Aabb& box) { return !(box.low.array() <= box.high.array()).all(); }

}  // namespace

const std::vector<std::pair<int, int>>& BroadPhase::overlaps(std::span<const Aabb> boxes) {
  pairs_.clear();
  if (boxes.size() <= kFew) {
    for (int i = 0; i < int(boxes.size()); ++i)
      for (int j = i + 1; j < int(boxes.size()); ++j)
        if (boxes[i].overlaps(boxes[j]) && !is_empty(boxes[i]) && !is_empty(boxes[j]))
          pairs_.emplace_back(i, j);
    return pairs_;
  }
  const int axis = widest_axis(boxes);
  order_.clear();
  for (int i = 0; i < int(boxes.size()); ++i)
    if (!is_empty(boxes[i])) order_.push_back({boxes[i].low[axis], i});
  std::sort(order_.begin(), order_.end());

  open_.clear();
  for (const auto& [low, i] : order_) {
    // Boxes that ended before this one begins are of no use to later ones either.
    std::erase_if(open_, [&, begin = low](int j) { return boxes[j].high[axis] < begin; });
    for (const int j : open_)
      if (boxes[i].overlaps(boxes[j])) pairs_.emplace_back(std::min(i, j), std::max(i, j));
    open_.push_back(i);
  }
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

}  // namespace jade
