#pragma once

#include <cmath>
#include <cstdint>

#include "jade/math/types.h"

namespace jade {

/// A convex set known by its support function: all points within `radius` of a core. A sphere is a point and a
/// radius, a capsule a segment and a radius; polytopes and cylinders have radius 0. Distances are found between
/// cores, where nothing is curved that need not be, and the radii are subtracted.
/// A light view: vertices belong to whoever made it. Coordinates in the shape's frame S.
struct ConvexCore {
  enum class Kind : std::uint8_t { point, segment, box, cylinder, vertices };

  Kind kind = Kind::point;
  double radius = 0;
  Vec3 half = Vec3::Zero();  ///< box: half sizes; segment: (0, 0, half length); cylinder: (r, r, half length)
  double extent = 0;         ///< no point of the core is farther from the origin of S

  const Vec3* vertices = nullptr;  ///< Kind::vertices
  int count = 0;
  // Neighbours of vertex i on the hull: neighbours[first_neighbour[i]] … up to first_neighbour[i + 1].
  // Without them the support function looks at every vertex.
  const int* first_neighbour = nullptr;
  const int* neighbours = nullptr;

  /// The core's farthest point along d (need not be unit). `hint` is where a climb over many vertices starts and
  /// is set to where it ended; it never changes the extreme value, only the time to find it.
  Vec3 support(const Vec3& d, int& hint) const;
  Vec3 support(const Vec3& d) const {
    int hint = 0;
    return support(d, hint);
  }

  /// Largest distance of a point of the shape (radius included) from p, or from the line through p along the
  /// unit vector `axis`. Upper bounds, tight but for vertex sets above 64 points, where the box `half` about
  /// `centre` stands for them.
  double reach(const Vec3& p) const;
  double reach(const Vec3& p, const Vec3& axis) const;

  Vec3 centre =
      Vec3::Zero();  ///< Kind::vertices: the middle of their bounding box, whose half sizes are `half`
};

inline Vec3 ConvexCore::support(const Vec3& d, int& hint) const {
  switch (kind) {
    case Kind::point:
      return Vec3::Zero();
    case Kind::segment:
      return {0, 0, std::copysign(half.z(), d.z())};
    case Kind::box:
      return {std::copysign(half.x(), d.x()), std::copysign(half.y(), d.y()), std::copysign(half.z(), d.z())};
    case Kind::cylinder: {
      // Along the axis the whole disc is extreme: its centre is as good as any point.
      const double across = std::sqrt(d.x() * d.x() + d.y() * d.y());
      const double s = across > 0 ? half.x() / across : 0;
      return {s * d.x(), s * d.y(), std::copysign(half.z(), d.z())};
    }
    case Kind::vertices:
      break;
  }
  constexpr int kScan = 24;  // up to here looking at all vertices is faster than climbing
  if (count <= kScan || !neighbours) {
    int best = 0;
    double most = vertices[0].dot(d);
    for (int i = 1; i < count; ++i) {
      const double value = vertices[i].dot(d);
      if (value > most) most = value, best = i;
    }
    return vertices[best];
  }
  int best = hint;
  double most = vertices[best].dot(d);
  for (bool climbing = true; climbing;) {
    climbing = false;
    const int from = best;
    for (int k = first_neighbour[from]; k < first_neighbour[from + 1]; ++k) {
      const double value = vertices[neighbours[k]].dot(d);
      if (value > most) most = value, best = neighbours[k], climbing = true;
    }
  }
  hint = best;
  return vertices[best];
}

}  // namespace jade
