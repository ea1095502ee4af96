#include "jade/geometry/mesh_edges.h"

#include <algorithm>
#include <tuple>

namespace jade {

std::vector<MeshEdge> mesh_edges(std::span<const std::array<int, 3>> triangles) {
  struct Use {
    int low, high, triangle, corner;
    bool operator<(const Use& o) const {
      return std::tie(low, high, triangle, corner) < std::tie(o.low, o.high, o.triangle, o.corner);
    }
  };
  std::vector<Use> uses;
  uses.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int i = triangles[t][k], j = triangles[t][(k + 1) % 3];
      uses.push_back({std::min(i, j), std::max(i, j), int(t), k});
    }
  std::sort(uses.begin(), uses.end());

  std::vector<MeshEdge> edges;
  for (std::size_t first = 0; first < uses.size();) {
    MeshEdge edge;
    for (; first + edge.uses < uses.size(); ++edge.uses) {
      const Use& use = uses[first + edge.uses];
      if (use.low != uses[first].low || use.high != uses[first].high) break;
      const int from = triangles[use.triangle][use.corner];
      if (edge.uses == 0) edge.vertex = {from, from == use.low ? use.high : use.low};
      if (edge.uses < 2) edge.triangle[edge.uses] = use.triangle, edge.corner[edge.uses] = use.corner;
      if (from == edge.vertex[0]) ++edge.same_direction;
    }
    first += edge.uses;
    edges.push_back(edge);
  }
  return edges;
}

}  // namespace jade
