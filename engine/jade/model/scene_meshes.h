#pragma once

#include <string>
#include <vector>

#include "jade/model/scene_description.h"

namespace jade {

/// What a repair changed in one mesh of a scene.
struct MeshChange {
  std::string place;  ///< `bodies[2] "cup" / shapes[0]`
  std::string what;   ///< `welded 12 vertices to others at most 2e-08 away`
};

struct SceneWithMeshes {
  SceneDescription scene;
  std::vector<MeshChange> changes;
};

/// The same scene with every mesh in place: files read, repaired where `repair` asks for it, in metres. So a scene means
/// the same wherever it is sent, without its files. Throws InvalidInput for files that cannot be read.
SceneWithMeshes with_meshes(SceneDescription scene);

}  // namespace jade
