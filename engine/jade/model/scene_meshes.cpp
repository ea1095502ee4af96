#include "jade/model/scene_meshes.h"

#include <fmt/format.h>

#include "jade/geometry/mesh_file.h"

namespace jade {

SceneWithMeshes with_meshes(SceneDescription scene) {
  SceneWithMeshes result;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    BodyDescription& body = scene.bodies[b];
    for (std::size_t s = 0; s < body.shapes.size(); ++s) {
      auto* mesh = std::get_if<TriangleMesh>(&body.shapes[s].geometry);
      if (mesh == nullptr) continue;
      std::vector<std::string> changes;
      *mesh = load_mesh(*mesh, scene.folder, &changes);
      mesh->file.clear();
      mesh->scale = 1;
      mesh->repair = false;
      for (std::string& change : changes)
        result.changes.push_back(
            {fmt::format("bodies[{}] \"{}\" / shapes[{}]", b, body.name, s), std::move(change)});
    }
  }
  result.scene = std::move(scene);
  return result;
}

}  // namespace jade
