#pragma once

#include <memory>

#include "jade/geometry/convex_core.h"
#include "jade/geometry/polyhedron.h"
#include "jade/geometry/shape.h"
#include "jade/geometry/smooth_surface.h"
#include "jade/geometry/triangle_tree.h"

namespace jade {

/// A shape with everything that queries need, worked out once. Cheap to copy: what is large is shared.
class PreparedShape {
 public:
  /// Throws InvalidInput when a length is not positive, a hull is flat, a mesh is not loaded or `check_mesh` finds
  /// a mistake in it.
  explicit PreparedShape(const Shape& shape);

  bool is_half_space() const { return half_space_; }
  /// The shape itself when it is convex, else the hull of the mesh. A half-space has none.
  const ConvexCore& core() const { return core_; }
  /// Faces, edges and vertices of a box, hull or mesh; null for round shapes and half-spaces.
  const Polyhedron* features() const { return data_ ? &data_->features : nullptr; }
  /// The triangles of a mesh that is not convex; null for every other shape.
  const TriangleTree* tree() const { return data_ && data_->tree.size() > 0 ? &data_->tree : nullptr; }

  /// What a mesh with smooth normals stands for; null for every other shape.
  const SmoothSurface* smooth() const { return data_ && !data_->smooth.empty() ? &data_->smooth : nullptr; }

 private:
  struct Data {
    Polyhedron features;
    std::vector<Vec3> hull_vertices;
    std::vector<int> first_neighbour, neighbours;  // on the hull
    TriangleTree tree;
    SmoothSurface smooth;
  };
  void prepare(const Sphere& shape);
  void prepare(const Capsule& shape);
  void prepare(const Box& shape);
  void prepare(const Cylinder& shape);
  void prepare(const HalfSpace& shape);
  void prepare(const ConvexHull& shape);
  void prepare(const TriangleMesh& shape);
  void use_hull(Data& data, std::span<const Vec3> points, bool with_features);

  bool half_space_ = false;
  ConvexCore core_;
  std::shared_ptr<const Data> data_;
};

}  // namespace jade
