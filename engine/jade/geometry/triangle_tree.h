#pragma once

#include <array>
#include <span>
#include <vector>

#include "jade/geometry/convex_core.h"

namespace jade {

/// A tree of axis-aligned boxes over the triangles of a mesh, in the mesh's frame.
class TriangleTree {
 public:
  struct Node {
    Vec3 centre = Vec3::Zero();
    Vec3 half = Vec3::Zero();
    int first = 0;  ///< leaf: its first triangle; else: its second child (the first child is the next node)
    int count = 0;  ///< triangles of a leaf; 0 for an inner node
  };

  TriangleTree() = default;
  TriangleTree(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles);

  const std::vector<Node>& nodes() const { return nodes_; }
  /// Triangle k in the order of the leaves: as a convex set of three points, and its number in the mesh.
  ConvexCore triangle(int k) const;
  int number(int k) const { return number_[k]; }
  const Vec3* corners(int k) const { return &corners_[3 * std::size_t(k)]; }
  int size() const { return int(number_.size()); }

  /// How often the surface winds around x: 1 inside a closed surface, 0 outside.
  double winding_number(const Vec3& x) const;

 private:
  int build(std::span<int> numbers, int first, std::span<const Vec3> vertices,
            std::span<const std::array<int, 3>> triangles);

  std::vector<Node> nodes_;
  std::vector<Vec3> corners_;
  std::vector<int> number_;
  double extent_ = 0;
};

}  // namespace jade
