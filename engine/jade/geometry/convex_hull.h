#pragma once

#include <span>
#include <vector>

#include "jade/math/types.h"

namespace jade {

/// The boundary of a convex hull.
struct HullSurface {
  std::vector<Vec3> vertices;  ///< the extreme points, in the order in which they were given
  std::vector<std::vector<int>>
      faces;  ///< polygons, counter-clockwise seen from outside, coplanar ones merged
};

/// The convex hull of points, by Qhull (Barber, Dobkin, Huhdanpaa, "The Quickhull algorithm for convex hulls",
/// ACM TOMS 22(4), 1996). Facets that are coplanar up to the rounding of the input are merged.
/// Throws InvalidInput when a coordinate is not finite or the points lie in one plane.
HullSurface convex_hull(std::span<const Vec3> points);

}  // namespace jade
