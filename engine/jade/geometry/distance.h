#pragma once

#include "jade/geometry/aabb.h"
#include "jade/geometry/gjk.h"
#include "jade/geometry/prepared_shape.h"

namespace jade {

/// A shape where it is.
struct PlacedShape {
  const PreparedShape& shape;
  const Transform& X_WS;
};

/// A box around the shape (its hull) where it is, grown by `margin`; everything for a half-space. Rounding is the
/// caller's to cover.
Aabb bounds_of(const PlacedShape& placed, double margin);

/// Distance between any two shapes that are not both half-spaces, with nearest points, a direction and a certified
/// lower bound: see DistanceResult. `hint` is a direction from A to B to begin with, or zero.
///   convex pairs      GJK on cores, radii subtracted
///   half-space        the support function of the other shape along the plane's normal, exact
///   non-convex mesh   branch and bound over its tree of triangles. The normal separates only the nearest pair of
///                     pieces; the bound holds for the whole, since every other piece was proved to be farther.
///                     A shape inside the solid of the other is not separated, however far the surface is.
/// Throws InvalidInput for two half-spaces, which have no use for each other.
[[nodiscard]] DistanceResult distance(const PlacedShape& a, const PlacedShape& b,
                                      const Vec3& hint = Vec3::Zero());

/// Where GJK ends at a face: with the face's own normal, which has all digits. The direction between points
/// that are some micrometres apart has few, a cylinder's distance is known to 1e-10 of its size, and the place where a tilted
/// rim is lowest divides both by its tilt. The face is the right one if no less of a gap is left along its normal than was
/// certified; then bound, distance and nearest points are those along it, of the lowest place of the other shape's hull. False: no
/// face, and nothing is changed.
bool settle_on_face(const PlacedShape& a, const PlacedShape& b, DistanceResult& found);

/// The same where the rim or the side of a cylinder comes nearest to an edge, a corner or another such curve of a convex
/// shape: GJK leaves the place on the rim at 1e-10 of its size, and a direction between points ten micrometres apart at some
/// millionths. Newton's method along both curves finds all digits. False: no such curves, and nothing is changed.
bool settle_on_curves(const PlacedShape& a, const PlacedShape& b, DistanceResult& found);

/// The one or the other, where it applies. Of meshes that are not convex only if that is as far as what was found, to a billionth of
/// `size`, of the pieces that are nearest: the whole shapes say where a face is, and what lies beyond these pieces does not count.
void settle_nearest(const PlacedShape& a, const PlacedShape& b, double size, DistanceResult& found);

}  // namespace jade
