#pragma once

#include <functional>
#include <optional>
#include <string>

#include "jade/geometry/shape.h"
#include "reference/judge/polyhedron.h"

namespace jade::judge {

/// Reads the triangles of a mesh that is given by a file: (mesh, folder of the scene) → mesh with vertices and
/// triangles as they stand in the file, before `scale`.
using MeshReader = std::function<TriangleMesh(const TriangleMesh& mesh, const std::string& folder)>;

/// One shape, prepared once and placed in the world for every state.
class Solid {
 public:
  enum class Kind {
    polyhedron,  ///< box, convex hull, triangle mesh
    rounded,     ///< sphere, capsule: all points within `radius` of a point or a segment
    cylinder,
    half_space
  };

  /// Throws InvalidInput, naming `place`, when the shape bounds no solid.
  Solid(const Shape& shape, const std::string& place);

  void place(const WidePose& X_WS);

  Kind kind() const { return kind_; }
  bool is_convex() const { return kind_ != Kind::polyhedron || polyhedron_->is_convex(); }
  double radius() const { return kind_ == Kind::rounded ? radius_ : 0; }  ///< of the rounding
  Polyhedron& polyhedron() { return *polyhedron_; }
  const Bounds& bounds() const { return bounds_; }  ///< infinite for a half-space

  /// The solid without its rounding; of a non-convex polyhedron its convex hull; not for half-spaces.
  Core core() const;
  /// Points whose hull is the core; of a cylinder that of the prism around it.
  std::vector<Vec3> core_points() const;

  const Vec3& plane_point() const { return points_[0]; }
  const Vec3& plane_normal() const { return normal_; }  ///< out of a half-space, unit up to rounding

 private:
  Kind kind_ = Kind::polyhedron;
  std::optional<Polyhedron> polyhedron_;
  double radius_ = 0, half_length_ = 0;
  std::vector<Vec3> local_,
      points_;  ///< ends of a rounded solid's axis, centre of a cylinder, origin of a plane
  Vec3 normal_ = Vec3::UnitZ();
  Vec3l axis_ = Vec3l::UnitZ();
  Bounds bounds_;
};

}  // namespace jade::judge
