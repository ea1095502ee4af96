#pragma once

#include <array>
#include <vector>

#include "jade/math/types.h"

namespace jade::judge {

/// Triangles of the convex hull of the points, counter-clockwise seen from outside, as indices into `points`.
/// Incremental insertion with exact orientation tests: a point replaces the faces that it sees strictly from
/// outside, so coplanar and repeated points need no tolerance. Flat faces come out as several triangles.
/// Empty when all points lie in one plane.
std::vector<std::array<int, 3>> convex_hull(const std::vector<Vec3>& points);

}  // namespace jade::judge
