#pragma once

#include <optional>

#include "jade/geometry/curve.h"
#include "jade/geometry/distance.h"

namespace jade {

/// Names of the features of round shapes, the same in every step; polyhedra count their corners, then edges, then faces.
namespace feature_id {
inline constexpr int kAxis = 2, kCap = 3, kRim = 8, kAnywhere = 65535;
inline int of_polyhedron(int number) { return number % (kAnywhere - 1); }
}  // namespace feature_id

/// A curve with the surface around it at some distance: a sphere is such a point, the side of a cylinder or a capsule its
/// axis; corners, edges and rims have no radius.
struct ThickCurve {
  Curve curve;
  double radius = 0;
  int id = feature_id::kAnywhere;  ///< names it within its shape
};

/// What a shape is like around one of its surface points x (world), with the place on the curve next to it. Nothing inside a
/// face, or where x is too near to the end of an edge to say.
std::optional<ThickCurve> curve_around(const PlacedShape& placed, const Vec3& x);

}  // namespace jade
