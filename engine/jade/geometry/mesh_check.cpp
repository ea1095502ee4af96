#include "jade/geometry/mesh_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "jade/geometry/mass_properties.h"
#include "jade/geometry/mesh_edges.h"
#include "jade/geometry/self_intersection.h"
#include "jade/geometry/triangle_tree.h"

namespace jade {
namespace {

constexpr int kListed = 20;

std::string face(int t) { return fmt::format("triangles[{}]", t); }

class Checker {
 public:
  explicit Checker(const TriangleMesh& mesh) : mesh_(mesh) {}

  std::vector<Mistake> check() {
    if (mesh_.triangles.empty())
      add({"triangles", "are missing", "load the mesh's file first, or give vertices and triangles"});
    check_numbers();
    if (!mistakes_.empty()) return finish();
    check_faces();
    check_edges();
    if (mistakes_.empty()) check_crossings();
    if (mistakes_.empty()) check_orientation();
    if (mistakes_.empty() && mesh_.normals == MeshNormals::smooth) check_smoothness();
    return finish();
  }

 private:
  void add(Mistake mistake) {
    const auto kind =
        std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& k) { return k.first == mistake.remedy; });
    if (kind == kinds_.end())
      kinds_.emplace_back(mistake.remedy, 1);
    else if (++kind->second > kListed)
      return;
    mistakes_.push_back(std::move(mistake));
  }

  /// Names what was left off the list.
  std::vector<Mistake> finish() {
    for (const auto& [remedy, count] : kinds_)
      if (count > kListed)
        mistakes_.push_back({"triangles", fmt::format("have {} more of these", count - kListed), remedy});
    return std::move(mistakes_);
  }

  void check_numbers() {
    for (std::size_t i = 0; i < mesh_.vertices.size(); ++i)
      if (!mesh_.vertices[i].allFinite())
        add({fmt::format("vertices[{}]", i), "is not finite", "give finite coordinates"});
    const int count = int(mesh_.vertices.size());
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
      for (const int i : mesh_.triangles[t])
        if (i < 0 || i >= count)
          add({face(int(t)), fmt::format("names vertex {}, but there are {}", i, count),
               "number vertices from 0"});
  }

  void check_faces() {
    std::vector<std::pair<std::array<int, 3>, int>> sorted;
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      const auto& [a, b, c] = mesh_.triangles[t];
      if (is_degenerate(mesh_.vertices[a], mesh_.vertices[b], mesh_.vertices[c]))
        add({face(int(t)), "is degenerate: its corners lie on one line", "remove it"});
      auto corners = mesh_.triangles[t];
      std::sort(corners.begin(), corners.end());
      sorted.emplace_back(corners, int(t));
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i].first == sorted[i - 1].first)
        add({face(sorted[i].second), fmt::format("has the same corners as {}", face(sorted[i - 1].second)),
             "remove one of them"});
  }

  void check_edges() {
    for (const MeshEdge& e : mesh_edges(mesh_.triangles)) {
      const auto [i, j] = e.vertex;
      if (e.uses == 1)
        add({face(e.triangle[0]), fmt::format("has no neighbour across its edge from vertex {} to {}", i, j),
             "close the surface"});
      else if (e.uses > 2)
        add({face(e.triangle[0]),
             fmt::format("shares its edge from vertex {} to {} with {} others", i, j, e.uses - 1),
             "let exactly two triangles meet in an edge"});
      else if (e.same_direction != 1)
        add({face(e.triangle[1]),
             fmt::format("is oriented against its neighbour {} at their edge from vertex {} to {}",
                         face(e.triangle[0]), i, j),
             "order the corners of all triangles counter-clockwise seen from outside"});
    }
  }

  void check_crossings() {
    for (const auto& [s, t] : self_intersections(mesh_.vertices, mesh_.triangles, kListed))
      add({face(t), fmt::format("intersects {}", face(s)),
           "let triangles meet only in common edges and corners"});
  }

  /// Parts of a closed surface: each must wind around its inside once; a part inside another may be a cavity.
  void check_orientation() {
    const std::vector<int> part = parts();
    int count = 0;
    for (const int p : part) count = std::max(count, p + 1);
    for (int p = 0; p < count; ++p) {
      std::vector<std::array<int, 3>> own, others;
      int first = -1;
      for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
        if (part[t] == p && first < 0) first = int(t);
        (part[t] == p ? own : others).push_back(mesh_.triangles[t]);
      }
      const double volume = mass_properties(mesh_.vertices, own, 1).mass;
      const double around =
          others.empty() ? 0 : TriangleTree(mesh_.vertices, others).winding_number(mesh_.vertices[own[0][0]]);
      const bool is_cavity = around > 0.5;
      if (volume == 0 || (volume < 0) != is_cavity)
        add({face(first), fmt::format("belongs to a part of {} triangles that is inside out", own.size()),
             "turn its triangles around"});
    }
  }

  /// A smooth convex surface bends a little at each edge, and outwards.
  void check_smoothness() {
    constexpr double kSharpest = 0.5;  // cosine of 60°; an icosahedron, the coarsest of balls, turns by 42°
    constexpr double kFlatness =
        4e-7;  // of the longer edge: a face of single-precision corners is flat to that
    const auto edge = [&](int t, int k) -> Vec3 {
      return mesh_.vertices[mesh_.triangles[t][(k + 1) % 3]] - mesh_.vertices[mesh_.triangles[t][k % 3]];
    };
    if (const std::vector<int> part = parts(); *std::max_element(part.begin(), part.end()) > 0)
      add({"triangles", "belong to several parts, of which no convex surface consists",
           "leave \"normals\" away, or split the mesh into convex ones"});
    for (const MeshEdge& e : mesh_edges(mesh_.triangles)) {
      const auto [s, t] = e.triangle;
      const Vec3 n = edge(s, 0).cross(edge(s, 1)).normalized(), m = edge(t, 0).cross(edge(t, 1)).normalized();
      const Vec3 beyond = edge(t, e.corner[1] + 1);
      if (n.dot(beyond) > kFlatness * beyond.norm())
        add({face(t),
             fmt::format("makes a concave edge with {}, which no smooth convex surface has", face(s)),
             "leave \"normals\" away, or split the mesh into convex ones"});
      else if (n.dot(m) < kSharpest)
        add({face(t), fmt::format("makes an edge with {} that is sharper than 60°", face(s)),
             "leave \"normals\" away, or mesh the surface finer"});
    }
  }

  /// The number of the connected part that each triangle belongs to.
  std::vector<int> parts() const {
    std::vector<int> root(mesh_.triangles.size());
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int t) {
      while (root[t] != t) t = root[t] = root[root[t]];
      return t;
    };
    for (const MeshEdge& e : mesh_edges(mesh_.triangles)) {
      const int s = find(e.triangle[0]), t = find(e.triangle[1]);
      root[std::max(s, t)] = std::min(s, t);
    }
    std::vector<int> number(root.size(), -1), part(root.size());
    int count = 0;
    for (std::size_t t = 0; t < root.size(); ++t) {
      int& n = number[find(int(t))];
      if (n < 0) n = count++;
      part[t] = n;
    }
    return part;
  }

  const TriangleMesh& mesh_;
  std::vector<Mistake> mistakes_;
  std::vector<std::pair<std::string, int>> kinds_;  // by remedy, with how many were found
};

}  // namespace

bool is_degenerate(const Vec3& a, const Vec3& b, const Vec3& c) {
  constexpr double kDegenerate = 1e-12;
  const double longest = std::max({(b - a).squaredNorm(), (c - a).squaredNorm(), (c - b).squaredNorm()});
  return !((b - a).cross(c - a).norm() > kDegenerate * longest);
}

std::vector<Mistake> check_mesh(const TriangleMesh& mesh) { return Checker(mesh).check(); }

}  // namespace jade
