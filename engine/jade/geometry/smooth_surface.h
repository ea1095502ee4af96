#pragma once

#include <array>
#include <span>
#include <vector>

#include "jade/math/types.h"

namespace jade {

/// The smooth surface that a convex mesh stands for: a normal and a centre of curvature at each vertex, linear in between.
/// Vertex normal: weights that are exact for every polyhedron inscribed in a sphere, whatever its triangles are like,
///   n ∥ Σ over triangles (e₁ × e₂) / (|e₁|² |e₂|²)        e₁, e₂: edges from the vertex, counter-clockwise
/// N. Max, "Weights for computing vertex normals from facet normals", Journal of Graphics Tools 4(2), 1999.
/// Curvature: κ = mean over edges of −2 n·e/|e|², the circle through both ends that is normal to n at this one; exact on a
/// sphere, the mean of the directions at hand elsewhere. Centre: c = vertex − n/κ.
class SmoothSurface {
 public:
  SmoothSurface() = default;
  SmoothSurface(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles);

  bool empty() const { return triangles_.empty(); }
  const std::vector<Vec3>& normals() const { return normals_; }
  const std::vector<Vec3>& centres() const { return centres_; }

  /// The centre of curvature under a point of the surface, interpolated over its triangle, and how it moves with the point.
  struct Centre {
    Vec3 c = Vec3::Zero();
    Mat3 by_point = Mat3::Zero();
  };
  Centre centre_at(const Vec3& x) const;

 private:
  struct Triangle {
    std::array<int, 3> vertex{};
    Vec3 normal = Vec3::Zero();
    double offset = 0;      ///< normal·x = offset
    Vec3 across1, across2;  ///< barycentric numbers of vertices 1 and 2: across·(x − vertex 0)
  };
  std::vector<Vec3> vertices_, normals_, centres_;
  std::vector<Triangle> triangles_;
};

}  // namespace jade
