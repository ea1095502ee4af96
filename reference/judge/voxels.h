#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "jade/geometry/shape.h"

namespace jade::judge {

/// Solids made of cells of the integer grid, for tests: everything about them is known in whole numbers.
using Cell = std::array<int, 3>;
using Cells = std::set<Cell>;

/// The surface of the cells. Cells must not meet along an edge or corner only.
inline TriangleMesh mesh_of(const Cells& cells) {
  TriangleMesh mesh;
  std::map<Cell, int> number;
  const auto vertex = [&](const Cell& p) {
    const auto [found, fresh] = number.try_emplace(p, static_cast<int>(mesh.vertices.size()));
    if (fresh) mesh.vertices.push_back(Vec3(p[0], p[1], p[2]));
    return found->second;
  };
  for (const Cell& c : cells)
    for (int axis = 0; axis < 3; ++axis)
      for (const int side : {0, 1}) {
        Cell beside = c;
        beside[axis] += side == 1 ? 1 : -1;
        if (cells.contains(beside)) continue;
        // The four corners of the face, counter-clockwise seen from outside.
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        std::array<int, 4> corner{};
        for (int k = 0; k < 4; ++k) {
          Cell p = c;
          p[axis] += side;
          p[u] += k == 1 || k == 2;
          p[v] += k >= 2;
          corner[k] = vertex(p);
        }
        if (side == 0) std::swap(corner[1], corner[3]);
        mesh.triangles.push_back({corner[0], corner[1], corner[2]});
        mesh.triangles.push_back({corner[0], corner[2], corner[3]});
      }
  return mesh;
}

/// All cells with low ≤ c < high.
inline Cells block(const Cell& low, const Cell& high) {
  Cells cells;
  for (int x = low[0]; x < high[0]; ++x)
    for (int y = low[1]; y < high[1]; ++y)
      for (int z = low[2]; z < high[2]; ++z) cells.insert({x, y, z});
  return cells;
}

inline Cells without(Cells cells, const Cells& hole) {
  for (const Cell& c : hole) cells.erase(c);
  return cells;
}

/// Distance of the closed solids when the second one is shifted; 0 when they share a point.
inline double distance_of(const Cells& a, const Cells& b, const Vec3& shift) {
  double best = std::numeric_limits<double>::infinity();
  for (const Cell& c : a)
    for (const Cell& d : b) {
      Vec3 gap;
      for (int i = 0; i < 3; ++i)
        gap[i] = std::max({0.0, d[i] + shift[i] - (c[i] + 1), c[i] - (d[i] + shift[i] + 1)});
      best = std::min(best, gap.norm());
    }
  return best;
}

/// A 3 × 3 × 1 ring with a hole in the middle; lying in the x-y plane.
inline Cells ring() { return without(block({0, 0, 0}, {3, 3, 1}), {{1, 1, 0}}); }

}  // namespace jade::judge
