#pragma once

#include "jade/geometry/convex_core.h"

namespace jade {

/// How far two shapes are from each other, with a proof.
struct DistanceResult {
  /// The certificate is positive: the shapes share no point. False when they overlap, touch, or are closer than
  /// rounding can tell.
  bool separated = false;
  double distance = 0;  ///< between the witness points, never below the true distance but by rounding.
      ///< Negative when radii overlap: then minus the depth, as long as the cores do not meet
  double lower_bound = 0;       ///< certified: min n·x_b − max n·x_a, less what rounding can add
  Vec3 normal = Vec3::Zero();   ///< n: unit, from A to B, world axes; zero when none was found
  Vec3 point_A = Vec3::Zero();  ///< nearest points on the surfaces, in the world
  Vec3 point_B = Vec3::Zero();
  int iterations = 0;
};

/// n·x_b − n·x_a at its smallest over all points of both shapes, for any unit direction n (world axes): a true
/// lower bound on their distance, whatever n is, rounding included. This is what every certificate rests on.
double separation_along(const Vec3& n, const ConvexCore& a, const Transform& X_WA, const ConvexCore& b,
                        const Transform& X_WB);

/// Distance of two convex shapes by GJK (E. Gilbert, D. Johnson, S. Keerthi, "A fast procedure for computing the
/// distance between complex objects in three-dimensional space", IEEE J. Robotics and Automation 4(2), 1988).
/// `hint` is a direction from A to B to begin with (the normal of the step before), or zero.
/// Between polytopes distance − lower_bound is rounding; against a cylinder's curved side it is at most 1e-10 of
/// the sizes.
[[nodiscard]] DistanceResult gjk_distance(const ConvexCore& a, const Transform& X_WA, const ConvexCore& b,
                                          const Transform& X_WB, const Vec3& hint = Vec3::Zero());

}  // namespace jade
