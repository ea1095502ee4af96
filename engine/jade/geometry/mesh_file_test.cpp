#include "jade/geometry/mesh_file.h"

#include <cstdint>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "jade/base/error.h"
#include "jade/geometry/mass_properties.h"

namespace jade {
namespace {

namespace fs = std::filesystem;

class MeshFile : public testing::Test {
 protected:
  MeshFile()
      : folder_(fs::temp_directory_path() /
                (std::string("jade_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~MeshFile() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  TriangleMesh load(const std::string& name, double scale = 1) {
    return load_mesh({.file = name, .scale = scale, .vertices = {}, .triangles = {}}, folder_);
  }
  fs::path folder_;
};

// A box of 0.1 × 0.2 × 0.3 with its corner at the origin, as six quadrilaterals.
const char* const kObj = R"(# box
v 0 0 0
v 0.1 0 0
v 0.1 0.2 0
v 0 0.2 0
v 0 0 0.3
v 0.1 0 0.3
v 0.1 0.2 0.3
v 0 0.2 0.3
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
)";

TEST_F(MeshFile, ObjIsReadInDoublePrecision) {
  write("box.obj", kObj);
  const TriangleMesh mesh = load("box.obj");
  ASSERT_EQ(mesh.vertices.size(), 8u);
  ASSERT_EQ(mesh.triangles.size(), 12u);
  // The reader's decimal conversion may be off by a unit in the last place, never by a single's 1e-9.
  Vec3 far_corner = Vec3::Zero();
  for (const Vec3& p : mesh.vertices) far_corner = far_corner.cwiseMax(p);
  EXPECT_LT((far_corner - Vec3(0.1, 0.2, 0.3)).norm(), 1e-16);
  EXPECT_NEAR(mass_properties(mesh, 1).mass, 0.1 * 0.2 * 0.3, 1e-17);
}

TEST_F(MeshFile, ScaleMultipliesLengths) {
  write("box.obj", kObj);
  EXPECT_NEAR(mass_properties(load("box.obj", 10), 1).mass, 6, 1e-14);
  TriangleMesh given = load("box.obj");
  given.file.clear();
  given.scale = 10;
  const TriangleMesh scaled = load_mesh(given);
  EXPECT_NEAR(mass_properties(scaled, 1).mass, 6, 1e-14);
  EXPECT_EQ(load_mesh(scaled), scaled);
}

TEST_F(MeshFile, CornersOfAnAsciiStlAreShared) {
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const char* corners[4] = {"0 0 0", "1 0 0", "0 1 0", "-0 0 1"};
  std::string text = "solid tetrahedron\n";
  for (const auto& f : faces) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const int i : f) text += std::string("  vertex ") + corners[i] + "\n";
    text += " endloop\nendfacet\n";
  }
  write("tetrahedron.stl", text + "endsolid tetrahedron\n");
  const TriangleMesh mesh = load("tetrahedron.stl");
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_NEAR(mass_properties(mesh, 1).mass, 1.0 / 6, 1e-16);
}

TEST_F(MeshFile, BinaryStlIsRead) {
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const float corners[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
  std::string bytes(80, ' ');
  const auto append = [&](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  };
  const std::uint32_t count = 4;
  append(&count, sizeof count);
  for (const auto& f : faces) {
    const float normal[3] = {0, 0, 0};
    append(normal, sizeof normal);
    for (const int i : f) append(corners[i], sizeof corners[i]);
    bytes.append(2, '\0');
  }
  write("tetrahedron.STL", bytes);
  EXPECT_NEAR(mass_properties(load("tetrahedron.STL"), 1).mass, 8.0 / 6, 1e-15);
}

TEST_F(MeshFile, WhatCannotBeReadIsRefused) {
  write("cup.ply", "ply");
  write("empty.obj", "# nothing\n");
  write("broken.stl", "solid broken\nfacet");
  write("beyond.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n");
  for (const char* name : {"missing.obj", "cup.ply", "empty.obj", "broken.stl", "beyond.obj"})
    EXPECT_THROW(load(name), InvalidInput) << name;
  write("box.obj", kObj);
  EXPECT_THROW(load("box.obj", 0), InvalidInput);
}

}  // namespace
}  // namespace jade
