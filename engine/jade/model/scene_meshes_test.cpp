#include "jade/model/scene_meshes.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "jade/geometry/prepared_shape.h"
#include "jade/model/model.h"
#include "jade/model/scene_json.h"

namespace jade {
namespace {

namespace fs = std::filesystem;

/// A tetrahedron in a file whose triangles share no corners and whose last one is turned around.
class SceneMeshes : public testing::Test {
 protected:
  SceneMeshes() : folder_(fs::temp_directory_path() / ("jade_scene_meshes_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    std::ofstream file(folder_ / "tetrahedron.obj");
    const char* corners[4] = {"0 0 0", "1 0 0", "0 1 0", "0 0 1"};
    const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 3, 2}};
    for (const auto& f : faces)
      for (const int i : f) file << "v " << corners[i] << '\n';
    for (int t = 0; t < 4; ++t) file << "f " << 3 * t + 1 << ' ' << 3 * t + 2 << ' ' << 3 * t + 3 << '\n';
  }
  ~SceneMeshes() override { fs::remove_all(folder_); }

  SceneDescription scene(bool repair) const {
    SceneDescription scene;
    scene.folder = folder_.string();
    scene.materials = {"stuff"};
    scene.pairs = {{"stuff", "stuff", 0.5, 0}};
    BodyDescription body{.name = "rock"};
    body.shapes = {{.geometry = TriangleMesh{.file = "tetrahedron.obj", .scale = 0.1, .repair = repair},
                    .material = "stuff",
                    .density = 6000.0}};
    scene.bodies = {body};
    return scene;
  }

  /// How far the shape reaches that collisions are found with.
  static double extent(const Model& model) {
    return PreparedShape(model.scene().bodies[0].shapes[0].geometry).core().extent;
  }

  fs::path folder_;
};

TEST_F(SceneMeshes, AFlawedMeshIsRefusedUnlessRepairIsAskedFor) {
  const auto mistakes = check_scene(scene(false));
  ASSERT_FALSE(mistakes.empty());
  EXPECT_NE(mistakes[0].place.find("bodies[0] \"rock\" / shapes[0] / geometry / triangles[3]"),
            std::string::npos)
      << mistakes[0].place;
  EXPECT_TRUE(check_scene(scene(true)).empty());
  const SceneWithMeshes in_place = with_meshes(scene(true));
  ASSERT_EQ(in_place.changes.size(), 1u);
  EXPECT_EQ(in_place.changes[0].place, "bodies[0] \"rock\" / shapes[0]");
  EXPECT_NE(in_place.changes[0].what.find("turned triangles[3] around"), std::string::npos)
      << in_place.changes[0].what;
}

TEST_F(SceneMeshes, AFileIsWeighedAndCollidesInMetres) {
  const Model model = build_model(scene(true));
  EXPECT_NEAR(model.bodies()[0].inertia.mass, 6000 * 1e-3 / 6, 1e-12);
  EXPECT_NEAR(extent(model), 0.1, 1e-15);
}

TEST_F(SceneMeshes, AScaledMeshInPlaceCollidesScaled) {
  SceneDescription scaled = with_meshes(scene(true)).scene;
  std::get<TriangleMesh>(scaled.bodies[0].shapes[0].geometry).scale = 10;
  const Model model = build_model(scaled);
  EXPECT_NEAR(extent(model), 1, 1e-14);
}

TEST_F(SceneMeshes, RepairIsPartOfTheFile) {
  const std::string text = scene_to_json(scene(true));
  EXPECT_NE(text.find("\"repair\": true"), std::string::npos);
  SceneDescription read = scene_from_json(text);
  read.folder = folder_.string();
  EXPECT_EQ(read, scene(true));
  EXPECT_EQ(scene_to_json(scene(false)).find("repair"), std::string::npos);
}

}  // namespace
}  // namespace jade
