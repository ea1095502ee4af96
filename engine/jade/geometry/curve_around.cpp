#include "jade/geometry/curve_around.h"

#include <algorithm>
#include <cmath>

namespace jade {
namespace {

// Part of its size within which a point counts as being on a rim, or at the end of an edge.
constexpr double kNear = 1e-3;
// Of the size of a shape: GJK ends on an edge up to this.
constexpr double kOnEdge = 1e-8;

ThickCurve thick_point(const Vec3& x, double radius, int id) {
  return {{Curve::Kind::point, x, Vec3::Zero(), Vec3::Zero()}, radius, id};
}

ThickCurve thick_line(const Vec3& x, const Vec3& direction, double radius, int id) {
  return {{Curve::Kind::line, x, direction, Vec3::Zero()}, radius, id};
}

/// Rim or side; its ends are faces.
std::optional<ThickCurve> around_cylinder(const ConvexCore& core, const Transform& X_WS, const Vec3& x_S) {
  const double r = core.half.x(), across = x_S.head<2>().norm(), beyond = std::abs(x_S.z()) - core.half.z();
  if (across < (1 - kNear) * r) return std::nullopt;
  const Vec3 axis = X_WS.R.col(2);
  if (beyond < -kNear * r) return thick_line(X_WS * Vec3(0, 0, x_S.z()), axis, r, feature_id::kAxis);
  const double z = std::copysign(core.half.z(), x_S.z()), scale = r / across;
  return ThickCurve{
      {Curve::Kind::circle, X_WS * Vec3(scale * x_S.x(), scale * x_S.y(), z), axis, X_WS * Vec3(0, 0, z)},
      0,
      feature_id::kRim + (z < 0 ? 7 : 15)};
}

std::optional<ThickCurve> around_segment(const ConvexCore& core, const Transform& X_WS, const Vec3& x_S) {
  const double end = core.half.z(), z = std::clamp(x_S.z(), -end, end);
  if (std::abs(z) < (1 - kNear) * end)
    return thick_line(X_WS * Vec3(0, 0, z), X_WS.R.col(2), core.radius, feature_id::kAxis);
  if (std::abs(x_S.z()) < end) return std::nullopt;
  return thick_point(X_WS * Vec3(0, 0, z), core.radius, z < 0 ? 0 : 1);
}

/// A corner or an edge; the faces are none.
std::optional<ThickCurve> around_polyhedron(const Polyhedron& p, double size, const Transform& X_WS,
                                            const Vec3& x_S) {
  const int corners = static_cast<int>(p.vertices.size());
  for (int i = 0; i < corners; ++i)
    if ((x_S - p.vertices[i]).norm() <= kOnEdge * size)
      return thick_point(X_WS * p.vertices[i], 0, feature_id::of_polyhedron(i));
  for (int i = 0; i < static_cast<int>(p.edges.size()); ++i) {
    const Polyhedron::Edge& edge = p.edges[i];
    const Vec3 from = x_S - p.vertices[edge.vertex[0]];
    const double s = edge.direction.dot(from);
    if (!edge.convex || s < kNear * edge.length || s > (1 - kNear) * edge.length) continue;
    if ((from - s * edge.direction).norm() <= kOnEdge * size)
      return thick_line(X_WS * (p.vertices[edge.vertex[0]] + s * edge.direction), X_WS.R * edge.direction, 0,
                        feature_id::of_polyhedron(corners + i));
  }
  return std::nullopt;
}

}  // namespace

std::optional<ThickCurve> curve_around(const PlacedShape& placed, const Vec3& x) {
  if (placed.shape.is_half_space()) return std::nullopt;
  const ConvexCore& core = placed.shape.core();
  const Transform& X_WS = placed.X_WS;
  const Vec3 x_S = X_WS.R.transpose() * (x - X_WS.p);
  if (const Polyhedron* polyhedron = placed.shape.features())
    return around_polyhedron(*polyhedron, core.extent, X_WS, x_S);
  if (core.kind == ConvexCore::Kind::point) return thick_point(X_WS.p, core.radius, 0);
  if (core.kind == ConvexCore::Kind::segment) return around_segment(core, X_WS, x_S);
  return around_cylinder(core, X_WS, x_S);
}

}  // namespace jade
