#pragma once

#include <array>
#include <span>
#include <vector>

namespace jade {

/// An undirected edge and the triangles on it. In a closed, oriented manifold there are exactly two, which run
/// through it in opposite directions; only such edges are complete.
struct MeshEdge {
  std::array<int, 2> vertex{};  ///< in the direction in which triangle[0] runs through it
  std::array<int, 2> triangle{-1, -1};
  std::array<int, 2> corner{-1, -1};  ///< the edge begins at this corner of the triangle
  int uses = 0;                       ///< by triangles, 2 in a manifold
  int same_direction = 0;             ///< how many run like triangle[0], 1 when consistently oriented
};

/// All edges, sorted by their vertex numbers (smaller, then larger).
std::vector<MeshEdge> mesh_edges(std::span<const std::array<int, 3>> triangles);

}  // namespace jade
