#include "jade/geometry/broad_phase.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace jade {
namespace {

// Coordinates on a small grid, so that boxes often touch in exactly one plane.
RC_GTEST_PROP(BroadPhase, FindsExactlyThePairsThatOverlap, ()) {
  std::vector<Aabb> boxes;
  const int count = *rc::gen::inRange(0, 40);
  for (int i = 0; i < count; ++i) {
    const auto coordinate = [] { return double(*rc::gen::inRange(0, 12)); };
    Aabb box;
    box.low = Vec3(coordinate(), coordinate(), coordinate());
    box.high = box.low + Vec3(coordinate(), coordinate(), coordinate()) / 3;
    if (*rc::gen::inRange(0, 20) == 0) box = Aabb::everything();
    if (*rc::gen::inRange(0, 20) == 0) box = Aabb{};
    boxes.push_back(box);
  }
  std::vector<std::pair<int, int>> expected;
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j) {
      bool overlap = true;
      for (int k = 0; k < 3; ++k)
        overlap = overlap &&
                  std::max(boxes[i].low[k], boxes[j].low[k]) <= std::min(boxes[i].high[k], boxes[j].high[k]);
      if (overlap) expected.emplace_back(i, j);
    }
  BroadPhase broad_phase;
  RC_ASSERT(broad_phase.overlaps(boxes) == expected);
  // A second call with the same lists gives the same answer.
  RC_ASSERT(broad_phase.overlaps(boxes) == expected);
}

}  // namespace
}  // namespace jade
