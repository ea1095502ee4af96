#include "jade/geometry/triangle_tree.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace jade {
namespace {

constexpr int kLeaf = 2;  // triangles; a box test costs less than a pair of triangles

}  // namespace

TriangleTree::TriangleTree(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles)
    : number_(triangles.size()) {
  std::iota(number_.begin(), number_.end(), 0);
  nodes_.reserve(2 * triangles.size());
  build(number_, 0, vertices, triangles);
  corners_.reserve(3 * triangles.size());
  for (const int t : number_)
    for (const int i : triangles[t]) {
      corners_.push_back(vertices[i]);
      extent_ = std::max(extent_, vertices[i].norm());
    }
}

/// Splits at the median of the triangles' centres along the longest side of the box around them.
int TriangleTree::build(std::span<int> numbers, int first, std::span<const Vec3> vertices,
                        std::span<const std::array<int, 3>> triangles) {
  Vec3 low = vertices[triangles[numbers[0]][0]], high = low;
  for (const int t : numbers)
    for (const int i : triangles[t]) low = low.cwiseMin(vertices[i]), high = high.cwiseMax(vertices[i]);
  const int node = int(nodes_.size());
  // Half sizes are rounded up, so that no corner is left outside.
  nodes_.push_back({(low + high) / 2, (high - low) / 2 * (1 + 1e-15) + Vec3::Constant(1e-300), first, 0});
  nodes_[node].half += (low.cwiseAbs() + high.cwiseAbs()) * 2.3e-16;
  if (int(numbers.size()) <= kLeaf) {
    nodes_[node].count = int(numbers.size());
    return node;
  }
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const auto centre = [&](int t) {
    const auto& [i, j, k] = triangles[t];
    return vertices[i][axis] + vertices[j][axis] + vertices[k][axis];
  };
  std::stable_sort(numbers.begin(), numbers.end(), [&](int s, int t) { return centre(s) < centre(t); });
  const std::size_t middle = numbers.size() / 2;
  build(numbers.first(middle), first, vertices, triangles);
  const int second = build(numbers.subspan(middle), first + int(middle), vertices, triangles);
  nodes_[node].first = second;
  return node;
}

ConvexCore TriangleTree::triangle(int k) const {
  ConvexCore core;
  core.kind = ConvexCore::Kind::vertices;
  core.vertices = corners(k);
  core.count = 3;
  core.extent = extent_;
  return core;
}

/// Sum of the signed solid angles of all triangles over 4π.
/// A. Van Oosterom, J. Strackee, "The solid angle of a plane triangle", IEEE Trans. Biomed. Eng. 30(2), 1983.
double TriangleTree::winding_number(const Vec3& x) const {
  double sum = 0;
  for (int k = 0; k < size(); ++k) {
    const Vec3 a = corners(k)[0] - x, b = corners(k)[1] - x, c = corners(k)[2] - x;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (2 * std::numbers::pi);
}

}  // namespace jade
