#include "jade/geometry/convex_core.h"

#include <algorithm>

namespace jade {
namespace {

constexpr int kTightReach = 64;  // vertex sets up to here are measured point by point

/// Largest value of `measure` over points whose convex hull holds the core. Both measures are convex functions of
/// the point, so corners decide.
template <class Measure>
double largest(const ConvexCore& core, const Measure& measure) {
  using Kind = ConvexCore::Kind;
  double most = 0;
  if (core.kind == Kind::point) return measure(Vec3(Vec3::Zero()));
  if (core.kind == Kind::vertices && core.count <= kTightReach) {
    for (int i = 0; i < core.count; ++i) most = std::max(most, measure(core.vertices[i]));
    return most;
  }
  for (int i = 0; i < 8; ++i) {
    const Vec3 corner((i & 1 ? 1 : -1) * core.half.x(), (i & 2 ? 1 : -1) * core.half.y(),
                      (i & 4 ? 1 : -1) * core.half.z());
    most = std::max(most, measure(Vec3(core.centre + corner)));
  }
  return most;
}

}  // namespace

double ConvexCore::reach(const Vec3& p) const {
  if (kind == Kind::cylinder) {
    // The farthest point lies on a rim, on the side away from p.
    const double across = half.x() + p.head<2>().norm(), along = half.z() + std::abs(p.z());
    return std::sqrt(across * across + along * along);
  }
  return radius + largest(*this, [&](const Vec3& x) { return (x - p).norm(); });
}

double ConvexCore::reach(const Vec3& p, const Vec3& axis) const {
  return radius + largest(*this, [&](const Vec3& x) { return (x - p).cross(axis).norm(); });
}

}  // namespace jade
