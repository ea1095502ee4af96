#pragma once

#include <array>

#include "jade/math/types.h"

namespace jade {

enum class CcdKind {
  vertex_face,  ///< points v | f0 f1 f2
  edge_edge,    ///< points a0 a1 | b0 b1
};

/// Four points that move on straight lines, x_i(t) = (1 − t) start_i + t end_i for t in [0, 1]. Asked is whether
/// the two closed features, the convex hulls of the points left and right of the bar above, share a point at some
/// time. Touching counts, at t = 0 and t = 1 too, and so do features that have shrunk to a segment or a point.
struct CcdQuery {
  CcdKind kind = CcdKind::vertex_face;
  std::array<Vec3, 4> start;
  std::array<Vec3, 4> end;
};

/// How many of the four points belong to the first feature.
constexpr int points_of_first(CcdKind kind) { return kind == CcdKind::vertex_face ? 1 : 2; }

/// What settled a query.
enum class CcdPath {
  axis,         ///< a coordinate axis keeps the features apart all the time
  coplanarity,  ///< the four points are never in one plane
  subdivision,  ///< floating-point bounds on pieces of [0, 1]
  root,         ///< roots of the coplanarity cubic in floating point
  exact,        ///< exact arithmetic
  advancement,  ///< directions that separate, one after the other
};

constexpr const char* name_of(CcdPath path) {
  constexpr const char* names[] = {"axis", "coplanarity", "subdivision", "root", "exact", "advancement"};
  return names[static_cast<int>(path)];
}

struct CcdResult {
  bool hit = false;
  /// With a hit: the time of first contact, or what the method promises about it. Without: 1.
  double time_of_impact = 1;
  CcdPath path = CcdPath::axis;
};

/// Throws InvalidInput if a coordinate is not finite.
void require_finite(const CcdQuery& query);

}  // namespace jade
