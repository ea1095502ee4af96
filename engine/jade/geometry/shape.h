#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "jade/math/types.h"

namespace jade {

// Shapes in their own frame S, centred at its origin. Lengths in metres, all strictly positive.

struct Sphere {
  double radius = 0;
  bool operator==(const Sphere&) const = default;
};

/// The points within `radius` of the segment from −half_length z to +half_length z.
struct Capsule {
  double radius = 0;
  double half_length = 0;
  bool operator==(const Capsule&) const = default;
};

struct Box {
  Vec3 size = Vec3::Zero();  ///< full edge lengths along x, y, z
  bool operator==(const Box&) const = default;
};

/// Solid cylinder about z, from −half_length to +half_length.
struct Cylinder {
  double radius = 0;
  double half_length = 0;
  bool operator==(const Cylinder&) const = default;
};

/// All points with z ≤ 0: solid ground without end. Only for bodies fixed to the world.
struct HalfSpace {
  bool operator==(const HalfSpace&) const = default;
};

/// The convex hull of at least four points that do not lie in one plane.
struct ConvexHull {
  std::vector<Vec3> points;
  bool operator==(const ConvexHull&) const = default;
};

/// What a mesh says of the directions in which it is pushed: `flat` means its facets; `smooth` that they stand for a smooth
/// convex surface, whose interpolated normal takes part in impacts (jade/geometry/smooth_normal.h).
enum class MeshNormals : unsigned char { flat, smooth };

/// A closed surface of triangles, counter-clockwise seen from outside, possibly non-convex.
/// Either `file` names an OBJ or STL file (relative to the scene file), or vertices and triangles are given.
struct TriangleMesh {
  std::string file;
  double scale = 1;
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  bool repair = false;  ///< mend what repair_mesh can, and say what was changed; otherwise flaws are refused
  MeshNormals normals = MeshNormals::flat;
  bool operator==(const TriangleMesh&) const = default;
};

using Shape = std::variant<Sphere, Capsule, Box, Cylinder, HalfSpace, ConvexHull, TriangleMesh>;

}  // namespace jade
