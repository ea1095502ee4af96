#pragma once

#include <vector>

#include "jade/base/error.h"
#include "jade/geometry/shape.h"

namespace jade {

/// Everything that keeps a mesh from being the surface of a solid, each naming the face: vertices that are not
/// finite or do not exist, degenerate and duplicate faces, open edges and edges of more than two faces, neighbours
/// of opposite orientation, faces that intersect, parts that are inside out; of a mesh with smooth normals
/// also edges that are concave or turn by more than 60°. At most twenty of a kind are listed, then counted.
/// Empty for a mesh that can be used.
std::vector<Mistake> check_mesh(const TriangleMesh& mesh);

/// Whether a triangle has no normal in double precision: its height is below 1e-12 of its longest edge.
bool is_degenerate(const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace jade
