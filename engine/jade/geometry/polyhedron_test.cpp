#include "jade/geometry/polyhedron.h"

#include <gtest/gtest.h>

#include "jade/geometry/prepared_shape.h"
#include "jade/geometry/test_meshes.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

void expect_box_features(const Polyhedron& p) {
  EXPECT_EQ(p.vertices.size(), 8u);
  EXPECT_EQ(p.edges.size(), 12u);
  EXPECT_EQ(p.faces.size(), 6u);
  EXPECT_EQ(p.boundary.size(), 24u);
  EXPECT_TRUE(p.convex);
  for (const auto& f : p.faces) EXPECT_TRUE(f.convex);
}

TEST(Polyhedron, OfABoxHasTheFeaturesOfABoxHoweverItIsMeshed) {
  expect_box_features(*PreparedShape(Box{Vec3(1, 2, 3)}).features());
  for (const int n : {1, 4, 22}) {
    const TriangleMesh table = test_meshes::table(Vec3(2, 1, 0.1), n);
    expect_box_features(make_polyhedron(table.vertices, table.triangles));
  }
  const TriangleMesh fine = test_meshes::table(Vec3(2, 1, 0.1), 22);
  expect_box_features(*PreparedShape(ConvexHull{fine.vertices}).features());
  // Rotated and stored in single precision, as files often are.
  TriangleMesh rounded = fine;
  for (Vec3& v : rounded.vertices) v = (rotation_exp(Vec3(1, 2, 3)) * v).cast<float>().cast<double>();
  expect_box_features(make_polyhedron(rounded.vertices, rounded.triangles));
}

TEST(Polyhedron, NormalsOfAnAlignedTableAreExact) {
  const TriangleMesh table = test_meshes::table(Vec3(0.7, 0.3, 0.1), 7);
  int up = 0;
  for (const auto& f : make_polyhedron(table.vertices, table.triangles).faces)
    up += f.normal == Vec3::UnitZ();
  EXPECT_EQ(up, 1);
}

TEST(Polyhedron, KnowsWhichEdgesAreReentrant) {
  const TriangleMesh l = test_meshes::l_prism();
  const Polyhedron p = make_polyhedron(l.vertices, l.triangles);
  EXPECT_EQ(p.vertices.size(), 12u);
  EXPECT_EQ(p.faces.size(), 8u);
  EXPECT_EQ(p.edges.size(), 18u);
  EXPECT_FALSE(p.convex);
  int reentrant = 0;
  for (const auto& e : p.edges)
    if (!e.convex) {
      ++reentrant;
      // The inner corner of the L, from (1, 1, 0) to (1, 1, 1).
      EXPECT_EQ(p.vertices[e.vertex[0]].head<2>(), Vec2(1, 1));
      EXPECT_EQ(p.vertices[e.vertex[1]].head<2>(), Vec2(1, 1));
    }
  EXPECT_EQ(reentrant, 1);
}

TEST(Polyhedron, FacesHoldWhatIsInTheirOutline) {
  const TriangleMesh l = test_meshes::l_prism();
  const Polyhedron p = make_polyhedron(l.vertices, l.triangles);
  int top = -1;
  for (std::size_t f = 0; f < p.faces.size(); ++f)
    if (p.faces[f].normal == Vec3::UnitZ()) top = int(f);
  ASSERT_GE(top, 0);
  EXPECT_FALSE(p.faces[top].convex);
  EXPECT_TRUE(p.face_holds(top, Vec3(1.5, 0.5, 7), 0));
  EXPECT_TRUE(p.face_holds(top, Vec3(0.5, 2.5, 7), 0));
  EXPECT_FALSE(p.face_holds(top, Vec3(1.5, 1.5, 1), 0));
  EXPECT_TRUE(p.face_holds(top, Vec3(1.5, 1.5, 1), 0.6));
  EXPECT_FALSE(p.face_holds(top, Vec3(-0.1, 0.5, 1), 0.05));
}

TEST(Polyhedron, OfASphereMeshKeepsEveryTriangle) {
  // An octahedron subdivided onto the sphere: nothing is flat.
  std::vector<Vec3> points;
  for (int i = -6; i <= 6; ++i)
    for (int j = 0; j < 24; ++j) {
      const double z = std::sin(i * 0.25), r = std::cos(i * 0.25), a = 0.2617993877991494 * (j + 0.37 * i);
      points.emplace_back(r * std::cos(a), r * std::sin(a), z);
    }
  const PreparedShape ball{ConvexHull{points}};
  EXPECT_EQ(ball.features()->vertices.size(), points.size());
  EXPECT_EQ(ball.core().count, int(points.size()));
  // Climbing finds what looking at every vertex finds.
  int hint = 0;
  for (int k = 0; k < 1000; ++k) {
    const Vec3 d(std::sin(k * 1.3), std::cos(k * 0.7), std::sin(k * 2.1));
    double most = -10;
    for (const Vec3& p : points) most = std::max(most, p.dot(d));
    EXPECT_EQ(ball.core().support(d, hint).dot(d), most);
  }
}

}  // namespace
}  // namespace jade
