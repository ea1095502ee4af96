#pragma once

#include <limits>

#include "jade/math/types.h"

namespace jade {

/// A box along the world's axes. Empty as made; infinite for what has no end.
struct Aabb {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 high = Vec3::Constant(-std::numeric_limits<double>::infinity());

  static Aabb everything() {
    return {Vec3::Constant(-std::numeric_limits<double>::infinity()),
            Vec3::Constant(std::numeric_limits<double>::infinity())};
  }
  void include(const Vec3& p) { low = low.cwiseMin(p), high = high.cwiseMax(p); }
  void include(const Aabb& o) { low = low.cwiseMin(o.low), high = high.cwiseMax(o.high); }
  Aabb grown(double margin) const { return {low - Vec3::Constant(margin), high + Vec3::Constant(margin)}; }
  Aabb intersection(const Aabb& o) const { return {low.cwiseMax(o.low), high.cwiseMin(o.high)}; }
  bool holds(const Aabb& o) const {
    return (low.array() <= o.low.array()).all() && (o.high.array() <= high.array()).all();
  }
  bool overlaps(const Aabb& o) const {
    // Most boxes are apart along the first axis that is looked at.
    return low[0] <= o.high[0] && o.low[0] <= high[0] && low[1] <= o.high[1] && o.low[1] <= high[1] &&
           low[2] <= o.high[2] && o.low[2] <= high[2];
  }
};

}  // namespace jade
