#include "jade/geometry/mesh_check.h"

#include <string>

#include <gtest/gtest.h>

#include "jade/geometry/prepared_shape.h"
#include "jade/geometry/test_meshes.h"

namespace jade {
namespace {

std::string face_name(std::size_t t) { return "triangles[" + std::to_string(t) + "]"; }

bool mentions(const std::vector<Mistake>& mistakes, const std::string& place, const std::string& problem) {
  for (const auto& m : mistakes)
    if (m.place == place && m.problem.find(problem) != std::string::npos) return true;
  return false;
}

TEST(MeshCheck, AcceptsClosedOutwardSurfaces) {
  EXPECT_TRUE(check_mesh(test_meshes::l_prism()).empty());
  EXPECT_TRUE(check_mesh(test_meshes::channel()).empty());
  EXPECT_TRUE(check_mesh(test_meshes::table(Vec3(1, 1, 1), 9)).empty());
}

TEST(MeshCheck, NamesTheFaceOfEachMistake) {
  const TriangleMesh good = test_meshes::table(Vec3(1, 1, 1), 2);
  TriangleMesh mesh = good;
  mesh.triangles.erase(mesh.triangles.begin() + 5);
  EXPECT_TRUE(mentions(check_mesh(mesh), "triangles[4]", "no neighbour"));

  mesh = good;
  std::swap(mesh.triangles[3][0], mesh.triangles[3][1]);
  EXPECT_TRUE(mentions(check_mesh(mesh), "triangles[3]", "oriented against"));

  mesh = good;
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_TRUE(mentions(check_mesh(mesh), "triangles[0]", "inside out"));

  mesh = good;
  mesh.triangles.push_back(mesh.triangles[7]);
  EXPECT_TRUE(
      mentions(check_mesh(mesh), face_name(mesh.triangles.size() - 1), "same corners as triangles[7]"));

  mesh = good;
  mesh.triangles.push_back({0, 1, 1});
  EXPECT_TRUE(mentions(check_mesh(mesh), face_name(mesh.triangles.size() - 1), "degenerate"));

  mesh = good;
  mesh.triangles[2][1] = 1000;
  EXPECT_TRUE(mentions(check_mesh(mesh), "triangles[2]", "vertex 1000"));

  EXPECT_FALSE(check_mesh({}).empty());
  EXPECT_THROW(PreparedShape{mesh}, InvalidInput);
}

TEST(MeshCheck, NamesFacesThatIntersect) {
  // One corner of a box pushed through the opposite side.
  TriangleMesh mesh = test_meshes::table(Vec3(1, 1, 1), 1);
  mesh.vertices[7] = Vec3(0.5, 0.5, -0.5);
  const auto mistakes = check_mesh(mesh);
  ASSERT_FALSE(mistakes.empty());
  EXPECT_NE(mistakes[0].problem.find("intersects triangles["), std::string::npos);
}

TEST(MeshCheck, AllowsACavityButNotALooseInsideOutPart) {
  TriangleMesh mesh = test_meshes::table(Vec3(4, 4, 4), 1);
  const TriangleMesh small = test_meshes::table(Vec3(1, 1, 1), 1);
  const auto with_inverted = [&](const Vec3& at) {
    TriangleMesh result = mesh;
    const int first = int(result.vertices.size());
    for (const Vec3& v : small.vertices) result.vertices.push_back(v + at);
    for (const auto& [i, j, k] : small.triangles)
      result.triangles.push_back({first + i, first + k, first + j});
    return result;
  };
  EXPECT_TRUE(check_mesh(with_inverted(Vec3(1, 1, 1))).empty());
  EXPECT_TRUE(mentions(check_mesh(with_inverted(Vec3(9, 9, 9))), "triangles[12]", "inside out"));
}

}  // namespace
}  // namespace jade
