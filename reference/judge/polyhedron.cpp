#include "reference/judge/polyhedron.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "jade/base/error.h"

namespace jade::judge {
namespace {

constexpr int kLeafSize = 4;

std::map<std::pair<int, int>, int> triangles_by_edge(const std::vector<std::array<int, 3>>& triangles) {
  std::map<std::pair<int, int>, int> found;
  for (int t = 0; t < static_cast<int>(triangles.size()); ++t)
    for (int k = 0; k < 3; ++k) found[{triangles[t][k], triangles[t][(k + 1) % 3]}] = t;
  return found;
}

}  // namespace

double distance_between(const Bounds& a, const Bounds& b) {
  const Vec3 gap = (b.low - a.high).cwiseMax(a.low - b.high).cwiseMax(0);
  return gap.norm() * (1 - 1e-15);  // eight roundings of 2⁻⁵³ at most
}

Polyhedron::Polyhedron(std::vector<Vec3> vertices, std::vector<std::array<int, 3>> triangles,
                       const std::string& place)
    : local_(std::move(vertices)), world_(local_), triangles_(std::move(triangles)) {
  check(place);
  for (const auto& [a, b, c] : triangles_) {
    const Vec3l p = local_[a].cast<Real>(), u = local_[b].cast<Real>() - p, v = local_[c].cast<Real>() - p;
    normals_.push_back(u.cross(v).normalized());
  }
  find_surfaces();
  find_edges();
  build_tree();
  for (const Vec3& p : world_) bounds_.include(p);
}

void Polyhedron::check(const std::string& place) const {
  std::vector<Mistake> mistakes;
  const int count = static_cast<int>(local_.size());
  std::map<std::pair<int, int>, int> edges;
  for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
    const std::string where = fmt::format("{} / triangles[{}]", place, t);
    const auto& f = triangles_[t];
    if (std::any_of(f.begin(), f.end(), [&](int v) { return v < 0 || v >= count; })) {
      mistakes.push_back({where, "names a vertex that is not there", "number vertices from 0"});
      continue;
    }
    if (collinear(local_[f[0]], local_[f[1]], local_[f[2]]))
      mistakes.push_back({where, "has no area", "remove it and join its neighbours"});
    for (int k = 0; k < 3; ++k)
      if (!edges.try_emplace({f[k], f[(k + 1) % 3]}, t).second)
        mistakes.push_back({where, "runs along an edge in the same direction as another triangle",
                            "orient all triangles counter-clockwise seen from outside"});
  }
  for (const auto& [edge, t] : edges)
    if (!edges.contains({edge.second, edge.first}))
      mistakes.push_back({fmt::format("{} / triangles[{}]", place, t),
                          fmt::format("has no neighbour across vertices {} and {}", edge.first, edge.second),
                          "close the surface"});
  if (triangles_.empty()) mistakes.push_back({place, "has no triangles", "give a closed surface"});
  if (!mistakes.empty()) throw InvalidInput("solid to be judged", std::move(mistakes));
}

void Polyhedron::find_surfaces() {
  std::vector<int> root(local_.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const auto& [a, b, c] : triangles_) {
    root[find(b)] = find(a);
    root[find(c)] = find(a);
  }
  std::vector<bool> seen(local_.size(), false);
  for (const auto& f : triangles_)
    if (const int r = find(f[0]); !seen[r]) {
      seen[r] = true;
      representatives_.push_back(f[0]);
    }
}

/// Sharp edges, and whether the solid is convex: no edge bends inwards, and no vertex lies above any face.
void Polyhedron::find_edges() {
  const auto by_edge = triangles_by_edge(triangles_);
  convex_ = representatives_.size() == 1;
  for (const auto& [edge, t] : by_edge) {
    if (edge.first > edge.second) continue;
    const int other = by_edge.at({edge.second, edge.first});
    const auto& f = triangles_[t];
    const auto& g = triangles_[other];
    const int tip = g[0] + g[1] + g[2] - edge.first - edge.second;
    const int bend = orientation(local_[f[0]], local_[f[1]], local_[f[2]], local_[tip]);
    if (bend > 0) convex_ = false;
    if (bend != 0) sharp_edges_.push_back({edge.first, edge.second, t, other});
  }
  // A surface of 5000 triangles and more is not worth the check: it is treated as non-convex, which is right too.
  convex_ = convex_ && triangles_.size() < 5000 && every_vertex_below_every_face();
}

bool Polyhedron::every_vertex_below_every_face() const {
  return std::all_of(triangles_.begin(), triangles_.end(), [&](const auto& f) {
    return std::all_of(local_.begin(), local_.end(), [&](const Vec3& p) {
      return orientation(local_[f[0]], local_[f[1]], local_[f[2]], p) <= 0;
    });
  });
}

/// Splits at the median along the longest side of the centroids' box; children sit side by side behind parents.
void Polyhedron::build_tree() {
  order_.resize(triangles_.size());
  std::iota(order_.begin(), order_.end(), 0);
  const auto centroid = [&](int t) -> Vec3 {
    return local_[triangles_[t][0]] + local_[triangles_[t][1]] + local_[triangles_[t][2]];
  };
  nodes_.push_back({0, static_cast<int>(order_.size())});
  for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
    const auto [first, count] = nodes_[i];
    if (count <= kLeafSize) continue;
    Bounds box;
    for (int k = first; k < first + count; ++k) box.include(centroid(order_[k]));
    int axis = 0;
    (box.high - box.low).maxCoeff(&axis);
    std::nth_element(order_.begin() + first, order_.begin() + first + count / 2,
                     order_.begin() + first + count,
                     [&](int s, int t) { return centroid(s)[axis] < centroid(t)[axis]; });
    nodes_[i] = {static_cast<int>(nodes_.size()), 0};
    nodes_.push_back({first, count / 2});
    nodes_.push_back({first + count / 2, count - count / 2});
  }
  node_bounds_.resize(nodes_.size());
}

void Polyhedron::place(const WidePose& X_WS) {
  R_WS_ = X_WS.R;
  bounds_ = {};
  for (std::size_t i = 0; i < local_.size(); ++i) {
    world_[i] = (X_WS.R * local_[i].cast<Real>() + X_WS.p).cast<double>();
    bounds_.include(world_[i]);
  }
  tree_is_stale_ = true;
}

const std::vector<Bounds>& Polyhedron::node_bounds() {
  if (!tree_is_stale_) return node_bounds_;
  for (int i = static_cast<int>(nodes_.size()) - 1; i >= 0; --i) {
    const auto& [first, count] = nodes_[i];
    Bounds box;
    for (int k = first; k < first + count; ++k)
      for (const int v : triangles_[order_[k]]) box.include(world_[v]);
    if (count == 0) {
      box.include(node_bounds_[first]);
      box.include(node_bounds_[first + 1]);
    }
    node_bounds_[i] = box;
  }
  tree_is_stale_ = false;
  return node_bounds_;
}

Polytope Polyhedron::polytope() const {
  Polytope p{.points = world_, .normals = {}, .edges = {}};
  for (const Vec3l& n : normals_) p.normals.push_back(R_WS_ * n);
  if (!convex_) return p;
  for (const auto& [start, end, left, right] : sharp_edges_) {
    const Vec3l from = world_[start].cast<Real>(), to = world_[end].cast<Real>();
    p.edges.push_back({from, (to - from).normalized(), p.normals[left], p.normals[right], true});
  }
  return p;
}

}  // namespace jade::judge
