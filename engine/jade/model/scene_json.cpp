#include "jade/model/scene_json.h"

#include "jade/base/atomic_file.h"

namespace jade {

SceneDescription load_scene(const std::filesystem::path& path) {
  SceneDescription scene = scene_from_json(read_file(path), "scene \"" + path.string() + "\"");
  scene.folder = path.parent_path().string();
  return scene;
}

void save_scene(const SceneDescription& scene, const std::filesystem::path& path) {
  write_file(path, scene_to_json(scene));
}

}  // namespace jade
