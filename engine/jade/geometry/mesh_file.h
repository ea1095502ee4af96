#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "jade/geometry/shape.h"

namespace jade {

/// The mesh that a description means, with vertices in metres: the triangles of its OBJ or STL file (looked for
/// in `folder` when the name is relative) times `scale`, or the given vertices times `scale`. `file` and `scale`
/// of a mesh from a file are kept, so that it is still known where it came from.
/// Polygons are cut into triangles; corners at exactly the same position become one vertex (an STL file has no
/// other way to say that its triangles meet). OBJ coordinates are read in double precision; STL holds singles.
/// With `repair` the surface is mended as repair_mesh does it; what was changed is added to `changes`.
/// Throws InvalidInput when the file cannot be read or holds no triangles. The surface itself is judged by
/// `check_mesh`.
TriangleMesh load_mesh(const TriangleMesh& description, const std::filesystem::path& folder = {},
                       std::vector<std::string>* changes = nullptr);

}  // namespace jade
