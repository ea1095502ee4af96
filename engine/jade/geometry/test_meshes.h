#pragma once

#include <cmath>
#include <vector>

#include "jade/geometry/convex_hull.h"
#include "jade/geometry/shape.h"

/// For tests and generators only: meshes of which everything is known.
namespace jade::test_meshes {

/// The prism over a polygon in the xy plane (counter-clockwise), from z = 0 to `height`; `cap` triangulates the
/// polygon.
inline TriangleMesh prism(const std::vector<Vec2>& outline, const std::vector<std::array<int, 3>>& cap,
                          double height) {
  TriangleMesh mesh;
  const int n = int(outline.size());
  for (const double z : {0.0, height})
    for (const Vec2& p : outline) mesh.vertices.emplace_back(p.x(), p.y(), z);
  for (const auto& [i, j, k] : cap) {
    mesh.triangles.push_back({i, k, j});
    mesh.triangles.push_back({i + n, j + n, k + n});
  }
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    mesh.triangles.push_back({i, j, j + n});
    mesh.triangles.push_back({i, j + n, i + n});
  }
  return mesh;
}

/// An L of volume 4: [0, 2] × [0, 1] and [0, 1] × [1, 3], height 1.
inline TriangleMesh l_prism() {
  return prism({{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}},
               1);
}

/// A U: walls [0, 1] and [2, 3] in x up to y = 2, floor [0, 3] × [0, 0.1], height 1.
inline TriangleMesh channel() {
  return prism({{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 0.1}, {1, 0.1}, {1, 2}, {0, 2}},
               {{0, 5, 6}, {0, 6, 7}, {0, 1, 4}, {0, 4, 5}, {1, 2, 3}, {1, 3, 4}}, 1);
}

/// A box from the origin to `size` whose top and bottom are grids of n × n squares.
inline TriangleMesh table(const Vec3& size, int n) {
  TriangleMesh mesh;
  const auto vertex = [&](int i, int j, int k) { return (k * (n + 1) + j) * (n + 1) + i; };
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i)
        mesh.vertices.emplace_back(size.x() * i / n, size.y() * j / n, size.z() * k);
  const auto quad = [&](int a, int b, int c, int d) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      quad(vertex(i, j, 1), vertex(i + 1, j, 1), vertex(i + 1, j + 1, 1), vertex(i, j + 1, 1));
      quad(vertex(i, j, 0), vertex(i, j + 1, 0), vertex(i + 1, j + 1, 0), vertex(i + 1, j, 0));
    }
  for (int i = 0; i < n; ++i) {
    quad(vertex(i, 0, 0), vertex(i + 1, 0, 0), vertex(i + 1, 0, 1), vertex(i, 0, 1));
    quad(vertex(i + 1, n, 0), vertex(i, n, 0), vertex(i, n, 1), vertex(i + 1, n, 1));
    quad(vertex(0, i + 1, 0), vertex(0, i, 0), vertex(0, i, 1), vertex(0, i + 1, 1));
    quad(vertex(n, i, 0), vertex(n, i + 1, 0), vertex(n, i + 1, 1), vertex(n, i, 1));
  }
  return mesh;
}

/// A convex mesh with smooth normals over points spread on a spiral around an ellipsoid: triangles of all kinds of shapes.
inline TriangleMesh ellipsoid(int count, const Vec3& half) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2 * i + 1.0) / count, across = std::sqrt(1 - z * z), turn = 2.4 * i;
    points.emplace_back(half.cwiseProduct(Vec3(across * std::cos(turn), across * std::sin(turn), z)));
  }
  const HullSurface surface = convex_hull(points);
  TriangleMesh mesh{.vertices = surface.vertices, .normals = MeshNormals::smooth};
  for (const auto& face : surface.faces)
    for (std::size_t i = 2; i < face.size(); ++i) mesh.triangles.push_back({face[0], face[i - 1], face[i]});
  return mesh;
}

}  // namespace jade::test_meshes
