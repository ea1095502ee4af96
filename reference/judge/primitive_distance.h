#pragma once

#include "reference/judge/exact.h"

namespace jade::judge {

/// Distances are evaluated with 64 bits of mantissa, so that their rounding is far below that of the coordinates.
using Real = long double;
using Vec3l = Eigen::Matrix<Real, 3, 1>;

/// Squared distances between closed point sets.
Real squared_distance_point_segment(const Vec3& p, const Vec3& a, const Vec3& b);
Real squared_distance_segments(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
Real squared_distance_point_triangle(const Vec3& p, const Triangle& t);
/// 0 when the segment crosses the triangle (decided exactly).
Real squared_distance_segment_triangle(const Vec3& a, const Vec3& b, const Triangle& t);
/// Of triangles that do not meet: the smallest of 6 corner-triangle and 9 edge-edge distances.
Real squared_distance_triangles(const Triangle& s, const Triangle& t);

}  // namespace jade::judge
