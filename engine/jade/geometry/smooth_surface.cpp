#include "jade/geometry/smooth_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jade {
namespace {

// Radii of curvature end at this multiple of the mesh's size: flat patches have none, and a foot that moves by the whole mesh
// turns the normal by a thousandth then.
constexpr double kFlat = 1e3;

// Part of the mesh's size within which a foot is on the plane of a triangle: rounding of poses of ordinary size.
constexpr double kOnPlane = 1e-9;

}  // namespace

SmoothSurface::SmoothSurface(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles)
    : vertices_(vertices.begin(), vertices.end()) {
  std::vector<double> curvature(vertices_.size(), 0);
  std::vector<int> edges(vertices_.size(), 0);
  normals_.assign(vertices_.size(), Vec3::Zero());
  double size = 0;
  for (const auto& t : triangles)
    for (int k = 0; k < 3; ++k) {
      const Vec3 &x = vertices_[t[k]], e1 = vertices_[t[(k + 1) % 3]] - x, e2 = vertices_[t[(k + 2) % 3]] - x;
      normals_[t[k]] += e1.cross(e2) / (e1.squaredNorm() * e2.squaredNorm());
      size = std::max(size, (x - vertices_[triangles[0][0]]).norm());
    }
  for (Vec3& n : normals_)
    if (!n.isZero(0)) n.normalize();
  // Each edge from a vertex is the first edge of one triangle.
  for (const auto& t : triangles)
    for (int k = 0; k < 3; ++k) {
      const Vec3 e = vertices_[t[(k + 1) % 3]] - vertices_[t[k]];
      curvature[t[k]] -= 2 * normals_[t[k]].dot(e) / e.squaredNorm();
      ++edges[t[k]];
    }
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    const double mean = edges[i] > 0 ? curvature[i] / edges[i] : 0;
    centres_.push_back(vertices_[i] - normals_[i] / std::max(mean, 1 / (kFlat * size)));
  }
  for (const auto& t : triangles) {
    const Vec3 &x = vertices_[t[0]], e1 = vertices_[t[1]] - x, e2 = vertices_[t[2]] - x, n = e1.cross(e2);
    triangles_.push_back({t, n.normalized(), n.normalized().dot(x), e2.cross(n) / n.squaredNorm(),
                          n.cross(e1) / n.squaredNorm()});
  }
}

SmoothSurface::Centre SmoothSurface::centre_at(const Vec3& x) const {
  // A point of a convex surface is outside of no plane: it is on the highest ones, of which several lie in one plane when a
  // flat face was cut into triangles, or meet at an edge.
  double highest = -std::numeric_limits<double>::infinity(), size = 0;
  for (const Triangle& t : triangles_) {
    highest = std::max(highest, t.normal.dot(x) - t.offset);
    size = std::max(size, std::abs(t.offset));
  }
  const Triangle* best = triangles_.data();
  double inside = -std::numeric_limits<double>::infinity();
  Vec2 at = Vec2::Zero();
  for (const Triangle& t : triangles_) {
    if (t.normal.dot(x) - t.offset < highest - kOnPlane * size) continue;
    const Vec3 y = x - vertices_[t.vertex[0]];
    const Vec2 share(t.across1.dot(y), t.across2.dot(y));
    const double least = std::min({1 - share.sum(), share.x(), share.y()});
    if (least > inside) inside = least, best = &t, at = share;
  }
  const auto& [i, j, k] = best->vertex;
  const Vec3 d1 = centres_[j] - centres_[i], d2 = centres_[k] - centres_[i];
  return {centres_[i] + at.x() * d1 + at.y() * d2,
          d1 * best->across1.transpose() + d2 * best->across2.transpose()};
}

}  // namespace jade
