#pragma once

#include "jade/math/types.h"

namespace jade {

/// The part of a shape that one contact rests on: a point, a line or a plane fixed in the shape's frame S, with
/// the surface at distance `radius` from it (0 for vertices, edges and faces; spheres are a thick point,
/// capsules and the sides of cylinders a thick line).
struct Feature {
  enum class Kind : unsigned char { point, line, plane };
  Kind kind = Kind::point;
  Vec3 point = Vec3::Zero();  ///< in S: the point, or any point of the line or plane
  /// In S, unit: along the line, or the plane's outward normal; of a point zero, or the tangent of a curve beside another
  /// one, on which it is the nearest place.
  Vec3 direction = Vec3::Zero();
  double radius = 0;
  int id = 0;  ///< names the feature within its shape, the same in every step
};

/// Where two features are closest, in the world.
struct FeatureContact {
  Vec3 p_A = Vec3::Zero(), p_B = Vec3::Zero();  ///< feet on the two surfaces
  Vec3 normal = Vec3::Zero();                   ///< unit, from A to B
  double gap = 0;                               ///< p_B − p_A = gap · normal; negative when they overlap
};

/// Where two surfaces act on each other across their gap: half-way between the feet; over a plane half the gap that they rest
/// at off it. A face that tilts a little has all its places in one plane then: what sticks at some of them sticks at all,
/// and no forces strain the face against itself.
///   p = ½ (p_A + p_B) + ½ side (rest − gap) n,   side = 1 over a plane of A, −1 under one of B, else 0
inline double plane_side(const Feature& a, const Feature& b) {
  return a.kind == Feature::Kind::plane ? 1 : b.kind == Feature::Kind::plane ? -1 : 0;
}
inline Vec3 acting_point(const FeatureContact& at, double side, double rest) {
  return 0.5 * (at.p_A + at.p_B) + (0.5 * side * (rest - at.gap)) * at.normal;
}

/// The closest points of two unbounded features and the normal between them:
///   point–plane   n is the plane's normal (pointing away from it)
///   line–line     n ∥ d_A × d_B, the sign that makes it agree with `toward_B`
///   point–point   n ∥ x_B − x_A
///   point–line    n ∥ the part of x_B − x_A orthogonal to the line
/// `toward_B` is a rough direction from A to B, used for the sign of line–line and as n where the centres
/// coincide. Plane–plane, plane–line and parallel lines have no single closest point: they are described by
/// their vertices instead and must not be asked for.
FeatureContact closest_points(const Feature& a, const Transform& X_WA, const Feature& b,
                              const Transform& X_WB, const Vec3& toward_B);

/// How normal and contact point move when the two bodies do, with both features held fixed in their bodies.
/// Columns: translation of A (3), rotation of A about its centre (3), both in world axes; then the same of B.
/// The gap needs no matrix: dgap = n·(dx_B − dx_A) of the material points at the feet, because at the feet the
/// first variation of the feet themselves is orthogonal to n.
struct FeatureContactDerivative {
  using Matrix = Eigen::Matrix<double, 3, 12, Eigen::RowMajor>;
  Matrix normal;    ///< d normal
  Matrix midpoint;  ///< d ½(p_A + p_B)
};

/// The points that the two bodies turn about, world.
struct RotationCentres {
  Vec3 A, B;
};

FeatureContactDerivative closest_points_derivative(const Feature& a, const Transform& X_WA, const Feature& b,
                                                   const Transform& X_WB, const Vec3& toward_B,
                                                   const RotationCentres& about);

/// The same when lines turn in their bodies about their `point`: columns are d direction of A (3), then of B, world axes. The
/// tangent of a rim is such a line: as the place on the rim travels it is shifted along itself, and turns.
struct LineTurnDerivative {
  Eigen::Matrix<double, 3, 6> normal, midpoint;
};
LineTurnDerivative closest_points_by_turns(const Feature& a, const Transform& X_WA, const Feature& b,
                                           const Transform& X_WB, const Vec3& toward_B);

}  // namespace jade
