#pragma once

#include <limits>
#include <span>

#include "reference/judge/primitive_distance.h"

namespace jade::judge {

/// A number known to lie between two others.
struct Bracket {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// A convex set in the world as its support function sees it: the hull of points (1: ball centre, 2: axis of a
/// capsule, more: polytope), or a solid cylinder. Points are borrowed.
struct Core {
  std::span<const Vec3> points;

  bool is_cylinder = false;
  Vec3l centre = Vec3l::Zero(), axis = Vec3l::UnitZ();  ///< axis: unit
  Real radius = 0, half_length = 0;
};

/// A point of the core that is farthest along d; d need not have unit length.
Vec3l support(const Core& core, const Vec3l& d);

/// Largest d · x over the core.
Real extent(const Core& core, const Vec3l& d);

/// w(n) = max over A of n·x − min over B of n·x for unit n: how far B must move along n to part from A; negative
/// when the plane with normal n separates them.
Real overlap_along(const Core& a, const Core& b, const Vec3l& n);

/// A smaller w near w(n), for cores with round sides: compass search on the sphere of directions.
Real refined_overlap(const Core& a, const Core& b, Vec3l n);

/// Distance between two cores, both bounds with a certificate:
///   upper  |v| of a point v = Σ λ_i w_i, λ ≥ 0, Σ λ = 1 of the difference A ⊖ B
///   lower  min over A ⊖ B of v·z / |v| = v·support(A ⊖ B, −v) / |v| for the best v met: a separating plane
/// Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between complex objects", 1988, in
/// extended precision. Bounds hold up to rounding of the coordinates, which the caller adds. A search stops as soon
/// as `lower` exceeds `beyond`. Overlapping cores give upper = 0.
Bracket core_distance(const Core& a, const Core& b, double beyond = std::numeric_limits<double>::infinity());

/// A double not above (not below) the value.
double round_down(Real x);
double round_up(Real x);

}  // namespace jade::judge
