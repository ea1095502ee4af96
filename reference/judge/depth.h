#pragma once

#include <vector>

#include "reference/judge/convex.h"

namespace jade::judge {

/// What the depth of a polytope depends on: outward face normals and sharp edges with the normals on both sides.
/// A ball centre has neither; the axis of a capsule has one edge without faces.
struct Polytope {
  struct Edge {
    Vec3l start, direction;      ///< direction: unit
    Vec3l left, right;           ///< unit normals of the two faces
    bool between_faces = false;  ///< false: an edge by itself
  };
  std::vector<Vec3> points;
  std::vector<Vec3l> normals;
  std::vector<Edge> edges;
};

struct Depth {
  Real length = 0;
  Vec3l direction = Vec3l::UnitZ();  ///< B parts from A by moving `length` along it
};

/// The shortest translation that parts two overlapping convex polytopes: the smallest overlap
///   w(n) = max over A of n·x − min over B of n·x
/// over the face normals of the difference A ⊖ B. These are the normals of A, the opposite normals of B, and cross
/// products of two edges whose arcs on the sphere of normals cross. Every w(n) is a translation that parts them, so
/// rounding can only make the depth a little too large.
Depth translation(const Polytope& a, const Polytope& b);

/// The prism with `sides` sides inside a cylinder (scale 1) or around it (scale 1/cos(π/sides)).
Polytope prism_of(const Core& cylinder, int sides, bool around);

}  // namespace jade::judge
