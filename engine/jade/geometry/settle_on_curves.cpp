#include <algorithm>
#include <limits>

#include "jade/geometry/curve_around.h"

namespace jade {
namespace {

// Of the size of a shape, by which places may move: farther away it is another feature that is nearest.
constexpr double kNear = 1e-3;

bool is_cylinder(const PlacedShape& placed) { return placed.shape.core().kind == ConvexCore::Kind::cylinder; }

}  // namespace

bool settle_on_curves(const PlacedShape& a, const PlacedShape& b, DistanceResult& found) {
  if (!found.separated || !(is_cylinder(a) || is_cylinder(b))) return false;
  std::optional<ThickCurve> on_a = curve_around(a, found.point_A), on_b = curve_around(b, found.point_B);
  if (!on_a || !on_b || !approach(on_a->curve, on_b->curve)) return false;
  const Vec3 apart = on_b->curve.x - on_a->curve.x;
  const double length = apart.norm();
  const Vec3 n = apart / length, p_A = on_a->curve.x + on_a->radius * n,
             p_B = on_b->curve.x - on_b->radius * n;
  // Near by, and the nearest of all: of convex shapes no less is left along the normal than was certified.
  const auto strays = [](const PlacedShape& shape, const Vec3& from, const Vec3& to) {
    const ConvexCore& core = shape.shape.core();
    return (to - from).norm() > kNear * (core.extent + core.radius);  // a ball is all radius
  };
  const ConvexCore &core_a = a.shape.core(), &core_b = b.shape.core();
  const bool convex = !a.shape.tree() && !b.shape.tree();
  const double bound = convex ? separation_along(n, core_a, a.X_WS, core_b, b.X_WS) : found.lower_bound;
  const double rounding =
      16 * std::numeric_limits<double>::epsilon() *
      (core_a.extent + core_a.radius + core_b.extent + core_b.radius + (b.X_WS.p - a.X_WS.p).lpNorm<1>());
  // A normal between two places so near to each other leans by their rounding over the distance.
  const double lean = rounding / length * (core_a.extent + core_b.extent);
  if (bound < found.lower_bound - rounding - lean || strays(a, found.point_A, p_A) ||
      strays(b, found.point_B, p_B))
    return false;
  found.normal = n;
  found.distance = length - on_a->radius - on_b->radius;
  found.lower_bound = std::max(found.lower_bound, bound);
  found.point_A = p_A;
  found.point_B = p_B;
  return true;
}

}  // namespace jade
