#pragma once

#include <array>

#include "jade/math/types.h"

namespace jade::judge {

/// Decisions about points with double coordinates that are never wrong: a floating-point filter answers the easy
/// ones, exact arithmetic the others (CGAL's exact-predicates kernel).

using Triangle = std::array<Vec3, 3>;

/// Sign of det[b − a, c − a, d − a]: +1 when d lies on the side from which a, b, c run counter-clockwise.
int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

bool collinear(const Vec3& a, const Vec3& b, const Vec3& c);

/// Sign of n · (x − p): +1 above the plane, 0 on it.
int side_of_plane(const Vec3& x, const Vec3& p, const Vec3& n);

/// Do the closed triangles share a point? A triangle whose corners lie on one line is no surface of its own: on a
/// closed mesh its points belong to its neighbours as well, so it meets nothing.
bool triangles_meet(const Triangle& a, const Triangle& b);

enum class Crossing {
  none,
  once,         ///< through the inside of the triangle
  unclear,      ///< through an edge or corner, or along the plane: ask with another segment
  start_inside  ///< p itself lies on the triangle
};

/// How the segment from p to q passes the triangle.
Crossing crossing(const Vec3& p, const Vec3& q, const Triangle& t);

}  // namespace jade::judge
