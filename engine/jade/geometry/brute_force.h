#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "jade/geometry/convex_hull.h"

/// For tests only: distances the slow and obvious way, in extended precision, sharing no code with what they check.
namespace jade::brute_force {

using Vec3L = Eigen::Matrix<long double, 3, 1>;
using TriangleL = std::array<Vec3L, 3>;

inline long double point_segment(const Vec3L& p, const Vec3L& a, const Vec3L& b) {
  const Vec3L d = b - a;
  const long double dd = d.squaredNorm();
  const long double t = dd > 0 ? std::clamp<long double>((p - a).dot(d) / dd, 0, 1) : 0;
  return (p - a - t * d).norm();
}

inline long double point_triangle(const Vec3L& p, const TriangleL& t) {
  long double least =
      std::min({point_segment(p, t[0], t[1]), point_segment(p, t[1], t[2]), point_segment(p, t[2], t[0])});
  const Vec3L m = (t[1] - t[0]).cross(t[2] - t[0]);
  bool inside = m.squaredNorm() > 0;
  for (int i = 0; i < 3; ++i) inside = inside && m.dot((t[(i + 1) % 3] - t[i]).cross(p - t[i])) >= 0;
  if (inside) least = std::min(least, std::abs(m.dot(p - t[0])) / m.norm());
  return least;
}

inline long double segment_segment(const Vec3L& a, const Vec3L& b, const Vec3L& c, const Vec3L& d) {
  long double least = std::min(
      {point_segment(a, c, d), point_segment(b, c, d), point_segment(c, a, b), point_segment(d, a, b)});
  const Vec3L u = b - a, v = d - c, m = u.cross(v);
  const long double mm = m.squaredNorm();
  if (mm > 1e-30L * u.squaredNorm() * v.squaredNorm()) {
    const long double s = (c - a).cross(v).dot(m) / mm, t = (c - a).cross(u).dot(m) / mm;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) least = std::min(least, std::abs(m.dot(c - a)) / std::sqrt(mm));
  }
  return least;
}

/// Of two triangles that do not cross.
inline long double triangle_triangle(const TriangleL& a, const TriangleL& b) {
  long double least = point_triangle(a[0], b);
  for (int i = 0; i < 3; ++i) {
    least = std::min({least, point_triangle(a[i], b), point_triangle(b[i], a)});
    for (int j = 0; j < 3; ++j)
      least = std::min(least, segment_segment(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
  }
  return least;
}

/// Of two surfaces that do not cross.
inline double surface_distance(std::span<const TriangleL> a, std::span<const TriangleL> b) {
  long double least = 1e30L;
  for (const auto& s : a)
    for (const auto& t : b) least = std::min(least, triangle_triangle(s, t));
  return double(least);
}

inline TriangleL placed(const Transform& X, const Vec3& p, const Vec3& q, const Vec3& r) {
  const auto at = [&](const Vec3& x) -> Vec3L {
    return X.R.cast<long double>() * x.cast<long double>() + X.p.cast<long double>();
  };
  return {at(p), at(q), at(r)};
}

inline std::vector<TriangleL> triangles_of_hull(std::span<const Vec3> points, const Transform& X) {
  const HullSurface surface = convex_hull(points);
  std::vector<TriangleL> result;
  for (const auto& face : surface.faces)
    for (std::size_t i = 2; i < face.size(); ++i)
      result.push_back(
          placed(X, surface.vertices[face[0]], surface.vertices[face[i - 1]], surface.vertices[face[i]]));
  return result;
}

}  // namespace jade::brute_force
