#pragma once

#include <string>
#include <vector>

#include "reference/judge/depth.h"

namespace jade::judge {

/// Axis-aligned box in the world.
struct Bounds {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 high = Vec3::Constant(-std::numeric_limits<double>::infinity());

  void include(const Vec3& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  void include(const Bounds& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  bool meets(const Bounds& other) const {
    return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
  }
};

/// Never above the distance of any two points of the boxes; 0 when they meet.
double distance_between(const Bounds& a, const Bounds& b);

/// Bodies move, so a vertex of the world is its place in the body, moved in extended precision and rounded once.
struct WidePose {
  Eigen::Matrix<Real, 3, 3> R = Eigen::Matrix<Real, 3, 3>::Identity();
  Vec3l p = Vec3l::Zero();
};

/// A solid bounded by closed surfaces of triangles, prepared once in its own frame and placed in the world for every
/// state. All decisions between polyhedra are exact for the placed vertices.
class Polyhedron {
 public:
  /// `place` names the shape in errors. Throws InvalidInput when a triangle names no vertex or has no area, or when
  /// some edge is not shared by exactly two triangles running along it in opposite directions.
  Polyhedron(std::vector<Vec3> vertices, std::vector<std::array<int, 3>> triangles, const std::string& place);

  void place(const WidePose& X_WS);

  bool is_convex() const { return convex_; }
  const std::vector<Vec3>& points() const { return world_; }
  const std::vector<std::array<int, 3>>& triangles() const { return triangles_; }
  const Bounds& bounds() const { return bounds_; }
  Triangle triangle(int t) const {
    return {world_[triangles_[t][0]], world_[triangles_[t][1]], world_[triangles_[t][2]]};
  }
  /// One vertex of each connected surface.
  const std::vector<int>& representatives() const { return representatives_; }
  /// In the world, for depths. Normals of all triangles; edges of convex solids only.
  Polytope polytope() const;

  /// Nodes of a tree of bounds over the triangles, refreshed when needed. Leaves hold `count` > 0 entries of `order`.
  struct Node {
    int first = 0,
        count = 0;  ///< leaf: range of `order`; inner node (count 0): children are first and first + 1
  };
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<int>& order() const { return order_; }
  const std::vector<Bounds>& node_bounds();

 private:
  void check(const std::string& place) const;
  void build_tree();
  void find_edges();
  void find_surfaces();
  bool every_vertex_below_every_face() const;

  struct LocalEdge {
    int start = 0, end = 0, left = 0, right = 0;  ///< vertices; triangles
  };

  std::vector<Vec3> local_, world_;
  std::vector<std::array<int, 3>> triangles_;
  std::vector<Vec3l> normals_;
  std::vector<LocalEdge> sharp_edges_;
  std::vector<int> representatives_;
  bool convex_ = false;
  Eigen::Matrix<Real, 3, 3> R_WS_ = Eigen::Matrix<Real, 3, 3>::Identity();
  Bounds bounds_;
  std::vector<Node> nodes_;
  std::vector<int> order_;
  std::vector<Bounds> node_bounds_;
  bool tree_is_stale_ = true;
};

/// Do the two surfaces share a point?
bool surfaces_meet(Polyhedron& a, Polyhedron& b);

/// Distance of surfaces that do not meet; infinity when it exceeds `beyond`.
Real surface_distance(Polyhedron& a, Polyhedron& b, Real beyond);

/// Distance of the surface from the segment p q (0 when they meet); infinity when it exceeds `beyond`.
Real surface_distance(Polyhedron& a, const Vec3& p, const Vec3& q, Real beyond);

/// Calls visit(triangle) for every triangle whose bounds are nearer to `box` than `reach(…)` says at that moment.
template <class Reach, class Visit>
void visit_near(Polyhedron& a, const Bounds& box, Reach&& reach, Visit&& visit) {
  const std::vector<Bounds>& bounds = a.node_bounds();
  std::vector<int> stack{0};
  while (!stack.empty()) {
    const int i = stack.back();
    stack.pop_back();
    if (distance_between(bounds[i], box) > reach()) continue;
    const auto& [first, count] = a.nodes()[i];
    for (int k = 0; k < count; ++k) visit(a.order()[first + k]);
    if (count == 0) stack.insert(stack.end(), {first, first + 1});
  }
}

/// Is the point inside, by the parity of a ray's crossings? Points on the surface count as inside.
bool contains(Polyhedron& a, const Vec3& p);

}  // namespace jade::judge
