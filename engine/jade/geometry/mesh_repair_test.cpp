#include "jade/geometry/mesh_repair.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "jade/geometry/mass_properties.h"
#include "jade/geometry/mesh_check.h"
#include "jade/geometry/test_meshes.h"

namespace jade {
namespace {

using test_meshes::l_prism;

bool says(const MeshRepair& repair, const std::string& part) {
  return std::any_of(repair.changes.begin(), repair.changes.end(),
                     [&](const std::string& change) { return change.find(part) != std::string::npos; });
}

double volume(const TriangleMesh& mesh) { return mass_properties(mesh, 1).mass; }

/// Every triangle with corners of its own, as files without shared corners have it.
TriangleMesh soup_of(const TriangleMesh& mesh) {
  TriangleMesh soup;
  for (const auto& t : mesh.triangles) {
    const int n = static_cast<int>(soup.vertices.size());
    for (const int i : t) soup.vertices.push_back(mesh.vertices[i]);
    soup.triangles.push_back({n, n + 1, n + 2});
  }
  return soup;
}

TEST(MeshRepair, LeavesAGoodMeshAlone) {
  const MeshRepair repair = repair_mesh(l_prism());
  EXPECT_EQ(repair.mesh, l_prism());
  EXPECT_TRUE(repair.changes.empty());
}

TEST(MeshRepair, WeldsCornersThatRoundingHasParted) {
  TriangleMesh soup = soup_of(l_prism());
  // As far apart as single precision leaves coordinates of 3 m.
  for (std::size_t i = 0; i < soup.vertices.size(); ++i) soup.vertices[i].x() += 1e-7 * double(i % 3);
  EXPECT_FALSE(check_mesh(soup).empty());
  const MeshRepair repair = repair_mesh(soup);
  EXPECT_TRUE(check_mesh(repair.mesh).empty());
  EXPECT_EQ(repair.mesh.vertices.size(), l_prism().vertices.size());
  EXPECT_NEAR(volume(repair.mesh), 4, 1e-5);
  EXPECT_TRUE(says(repair, "welded 48 vertices"));
}

TEST(MeshRepair, TurnsTrianglesUntilTheyFaceOutwards) {
  TriangleMesh mesh = l_prism();
  for (const int t : {1, 4, 7}) std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
  const MeshRepair repair = repair_mesh(mesh);
  EXPECT_TRUE(check_mesh(repair.mesh).empty());
  EXPECT_NEAR(volume(repair.mesh), 4, 1e-15);
  EXPECT_TRUE(says(repair, "triangles[1], [4], [7] around"));
}

TEST(MeshRepair, TurnsAWholeMeshThatIsInsideOut) {
  TriangleMesh mesh = l_prism();
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  const MeshRepair repair = repair_mesh(mesh);
  EXPECT_TRUE(check_mesh(repair.mesh).empty());
  EXPECT_NEAR(volume(repair.mesh), 4, 1e-15);
}

TEST(MeshRepair, ACavityFacesItsInside) {
  // A box of 3 m around a box of 1 m, both facing outwards.
  TriangleMesh mesh = test_meshes::table(Vec3(3, 3, 3), 1);
  TriangleMesh inner = test_meshes::table(Vec3(1, 1, 1), 1);
  const int n = static_cast<int>(mesh.vertices.size());
  for (const Vec3& p : inner.vertices) mesh.vertices.push_back(p + Vec3::Ones());
  for (const auto& [a, b, c] : inner.triangles) mesh.triangles.push_back({a + n, b + n, c + n});
  EXPECT_FALSE(check_mesh(mesh).empty());
  const MeshRepair repair = repair_mesh(mesh);
  EXPECT_TRUE(check_mesh(repair.mesh).empty());
  EXPECT_NEAR(volume(repair.mesh), 26, 1e-13);
}

TEST(MeshRepair, TrianglesWithoutAreaLeaveNoHole) {
  // A tetrahedron with a point on its edge from 0 to 1 that one face knows of and the other does not: a needle fills in.
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0}};
  mesh.triangles = {{0, 2, 4}, {4, 2, 1}, {0, 4, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  EXPECT_FALSE(check_mesh(mesh).empty());
  const MeshRepair repair = repair_mesh(mesh);
  for (const Mistake& m : check_mesh(repair.mesh)) ADD_FAILURE() << m.place << ' ' << m.problem;
  EXPECT_NEAR(volume(repair.mesh), 1.0 / 6, 1e-16);
  EXPECT_TRUE(says(repair, "triangles[2]: corners on one line"));
}

TEST(MeshRepair, DropsCollapsedAndDoubleTrianglesAndVerticesOfNoUse) {
  TriangleMesh mesh = l_prism();
  mesh.triangles.push_back({0, 0, 1});
  mesh.triangles.push_back(mesh.triangles[3]);
  mesh.vertices.emplace_back(9, 9, 9);
  const MeshRepair repair = repair_mesh(mesh);
  EXPECT_EQ(repair.mesh, l_prism());
  EXPECT_TRUE(says(repair, "two corners in one vertex"));
  EXPECT_TRUE(says(repair, "the corners of another triangle"));
  EXPECT_TRUE(says(repair, "1 vertices that no triangle uses"));
}

TEST(MeshRepair, WhatIsOpenOrCrossesItselfIsStillRefusedWithItsPlace) {
  TriangleMesh open = l_prism();
  open.triangles.pop_back();
  const auto mistakes = check_mesh(repair_mesh(open).mesh);
  ASSERT_FALSE(mistakes.empty());
  EXPECT_NE(mistakes[0].problem.find("no neighbour"), std::string::npos);

  TriangleMesh crossing = l_prism();
  crossing.vertices[3] = Vec3(-1, -1, 0);
  EXPECT_FALSE(check_mesh(repair_mesh(crossing).mesh).empty());
}

}  // namespace
}  // namespace jade
