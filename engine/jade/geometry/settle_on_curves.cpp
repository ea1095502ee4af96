#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "jade/geometry/curve.h"
#include "jade/geometry/distance.h"

namespace jade {
namespace {

// Part of its size within which a point counts as being on a rim, or at the end of an edge.
constexpr double kNear = 1e-3;
// Of the size of a shape: GJK ends on an edge up to this.
constexpr double kOnEdge = 1e-8;

/// A curve with the surface around it at some distance: a sphere is such a point, the side of a cylinder its axis.
struct ThickCurve {
  Curve curve;
  double radius = 0;
};

ThickCurve thick_point(const Vec3& x, double radius) {
  return {{Curve::Kind::point, x, Vec3::Zero(), Vec3::Zero()}, radius};
}

ThickCurve thick_line(const Vec3& x, const Vec3& direction, double radius) {
  return {{Curve::Kind::line, x, direction, Vec3::Zero()}, radius};
}

/// Rim or side; its ends are faces.
std::optional<ThickCurve> around_cylinder(const ConvexCore& core, const Transform& X_WS, const Vec3& x_S) {
  const double r = core.half.x(), across = x_S.head<2>().norm(), beyond = std::abs(x_S.z()) - core.half.z();
  if (across < (1 - kNear) * r) return std::nullopt;
  const Vec3 axis = X_WS.R.col(2);
  if (beyond < -kNear * r) return thick_line(X_WS * Vec3(0, 0, x_S.z()), axis, r);
  const double z = std::copysign(core.half.z(), x_S.z()), scale = r / across;
  return ThickCurve{
      {Curve::Kind::circle, X_WS * Vec3(scale * x_S.x(), scale * x_S.y(), z), axis, X_WS * Vec3(0, 0, z)}, 0};
}

std::optional<ThickCurve> around_segment(const ConvexCore& core, const Transform& X_WS, const Vec3& x_S) {
  const double end = core.half.z(), z = std::clamp(x_S.z(), -end, end);
  if (std::abs(z) < (1 - kNear) * end) return thick_line(X_WS * Vec3(0, 0, z), X_WS.R.col(2), core.radius);
  if (std::abs(x_S.z()) < end) return std::nullopt;
  return thick_point(X_WS * Vec3(0, 0, z), core.radius);
}

/// A corner or an edge; the faces are none.
std::optional<ThickCurve> around_polyhedron(const Polyhedron& p, double size, const Transform& X_WS,
                                            const Vec3& x_S) {
  for (const Vec3& corner : p.vertices)
    if ((x_S - corner).norm() <= kOnEdge * size) return thick_point(X_WS * corner, 0);
  for (const Polyhedron::Edge& edge : p.edges) {
    const Vec3 from = x_S - p.vertices[edge.vertex[0]];
    const double s = edge.direction.dot(from);
    if (!edge.convex || s < kNear * edge.length || s > (1 - kNear) * edge.length) continue;
    if ((from - s * edge.direction).norm() <= kOnEdge * size)
      return thick_line(X_WS * (p.vertices[edge.vertex[0]] + s * edge.direction), X_WS.R * edge.direction, 0);
  }
  return std::nullopt;
}

/// What a convex shape is like around a surface point x.
std::optional<ThickCurve> around(const PlacedShape& placed, const Vec3& x) {
  const ConvexCore& core = placed.shape.core();
  const Transform& X_WS = placed.X_WS;
  const Vec3 x_S = X_WS.R.transpose() * (x - X_WS.p);
  if (core.kind == ConvexCore::Kind::point) return thick_point(X_WS.p, core.radius);
  if (core.kind == ConvexCore::Kind::segment) return around_segment(core, X_WS, x_S);
  if (core.kind == ConvexCore::Kind::cylinder) return around_cylinder(core, X_WS, x_S);
  return around_polyhedron(*placed.shape.features(), core.extent, X_WS, x_S);
}

bool is_cylinder(const PlacedShape& placed) { return placed.shape.core().kind == ConvexCore::Kind::cylinder; }

}  // namespace

bool settle_on_curves(const PlacedShape& a, const PlacedShape& b, DistanceResult& found) {
  if (!found.separated || !(is_cylinder(a) || is_cylinder(b))) return false;
  std::optional<ThickCurve> on_a = around(a, found.point_A), on_b = around(b, found.point_B);
  if (!on_a || !on_b || !approach(on_a->curve, on_b->curve)) return false;
  const Vec3 apart = on_b->curve.x - on_a->curve.x;
  const double length = apart.norm();
  const Vec3 n = apart / length, p_A = on_a->curve.x + on_a->radius * n,
             p_B = on_b->curve.x - on_b->radius * n;
  // Near by, and the nearest of all: no less is left along the normal than was certified.
  const auto strays = [](const PlacedShape& shape, const Vec3& from, const Vec3& to) {
    return (to - from).norm() > kNear * shape.shape.core().extent;
  };
  const double bound = separation_along(n, a.shape.core(), a.X_WS, b.shape.core(), b.X_WS);
  if (bound < found.lower_bound || strays(a, found.point_A, p_A) || strays(b, found.point_B, p_B))
    return false;
  found.normal = n;
  found.distance = length - on_a->radius - on_b->radius;
  found.lower_bound = bound;
  found.point_A = p_A;
  found.point_B = p_B;
  return true;
}

}  // namespace jade
