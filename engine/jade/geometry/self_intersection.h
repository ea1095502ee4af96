#pragma once

#include <array>
#include <span>
#include <vector>

#include "jade/math/types.h"

namespace jade {

/// Pairs of triangles (s, t), s < t, ascending, that share a point other than their common corners or edge; at most
/// `limit` of them. Decided exactly: signs of volumes and areas are computed in doubles where those are certain and in
/// rational numbers where not. Triangles must not be degenerate.
std::vector<std::array<int, 2>> self_intersections(std::span<const Vec3> vertices,
                                                   std::span<const std::array<int, 3>> triangles, int limit);

}  // namespace jade
