#pragma once

#include <string>
#include <vector>

#include "jade/geometry/shape.h"

namespace jade {

struct MeshRepair {
  TriangleMesh mesh;
  std::vector<std::string>
      changes;  ///< one sentence for each kind of change, with counts and places; empty: none
};

/// Mends what can be mended without a guess at what was meant:
///  - vertices nearer to each other than 1e-6 of the mesh's extent become one (single-precision files round that much);
///  - vertices that no triangle uses are left out;
///  - triangles without area go: those with two corners in one vertex are dropped, a needle whose corners lie on one line
///    is turned into two triangles with its neighbour across the long edge, so that no hole is left;
///  - of triangles with the same corners one is kept;
///  - triangles are turned around until neighbours agree and every part faces outwards, or inwards where it is a cavity.
/// What encloses no solid after that (open, crossing itself, edges of more than two triangles) is left as it is, for
/// `check_mesh` to refuse with its place. Numbers of triangles in `changes` are those of the given mesh.
MeshRepair repair_mesh(const TriangleMesh& mesh);

}  // namespace jade
