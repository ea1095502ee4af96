#include "jade/geometry/self_intersection.h"

#include <random>

#include <gtest/gtest.h>

#include "jade/geometry/test_meshes.h"

namespace jade {
namespace {

using Pairs = std::vector<std::array<int, 2>>;

Pairs pairs_of(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles) {
  return self_intersections(vertices, triangles, 1000);
}

TEST(SelfIntersection, IsNotFoundInSoundMeshes) {
  for (const TriangleMesh& mesh :
       {test_meshes::l_prism(), test_meshes::channel(), test_meshes::table(Vec3(1, 2, 0.1), 9)})
    EXPECT_TRUE(pairs_of(mesh.vertices, mesh.triangles).empty());
}

TEST(SelfIntersection, IsFoundWhereTrianglesCrossTouchOrFold) {
  const std::vector<Vec3> flat{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
  const auto with = [&](const Vec3& p, const Vec3& q, const Vec3& r) {
    std::vector<Vec3> vertices = flat;
    vertices.insert(vertices.end(), {p, q, r});
    return !pairs_of(vertices, {{0, 1, 2}, {3, 4, 5}}).empty();
  };
  EXPECT_TRUE(with(Vec3(1, 1, -1), Vec3(1, 1, 1), Vec3(1, 2, 1)));       // through
  EXPECT_TRUE(with(Vec3(1, 1, 0), Vec3(1, 1, 1), Vec3(1, 2, 1)));        // touching with a corner
  EXPECT_FALSE(with(Vec3(1, 1, 1e-300), Vec3(1, 1, 1), Vec3(1, 2, 1)));  // just above
  EXPECT_TRUE(with(Vec3(1, 1, 0), Vec3(9, 1, 0), Vec3(1, 9, 0)));        // overlapping in the plane
  EXPECT_TRUE(with(Vec3(1, 1, 0), Vec3(1.5, 1, 0), Vec3(1, 1.5, 0)));    // inside in the plane
  EXPECT_TRUE(with(Vec3(-9, -9, 0), Vec3(30, -9, 0), Vec3(-9, 30, 0)));  // around in the plane
  EXPECT_FALSE(with(Vec3(4, 4, 0), Vec3(5, 4, 0), Vec3(4, 5, 0)));       // beside in the plane
  // A common corner: fine unless one reaches into the other. A common edge: fine unless folded.
  const std::vector<Vec3> more{Vec3(0, 0, 0),  Vec3(4, 0, 0),   Vec3(0, 4, 0), Vec3(1, 1, 1), Vec3(1, 1, -1),
                               Vec3(-1, 0, 1), Vec3(-1, 0, -1), Vec3(1, 1, 0), Vec3(2, -3, 0)};
  EXPECT_EQ(pairs_of(more, {{0, 1, 2}, {0, 3, 4}}), (Pairs{{0, 1}}));
  EXPECT_TRUE(pairs_of(more, {{0, 1, 2}, {0, 5, 6}}).empty());
  EXPECT_EQ(pairs_of(more, {{0, 1, 2}, {1, 0, 7}}), (Pairs{{0, 1}}));
  EXPECT_TRUE(pairs_of(more, {{0, 1, 2}, {1, 0, 8}}).empty());
  EXPECT_TRUE(pairs_of(more, {{0, 1, 2}, {1, 0, 3}}).empty());
}

// Oracle: a point of the segment where it crosses the plane, in extended precision, by barycentric coordinates.
TEST(SelfIntersection, AgreesWithBarycentricCoordinatesOnRandomTriangles) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  using V = Eigen::Matrix<long double, 3, 1>;
  const auto crosses = [](const V& p, const V& q, const V& a, const V& b, const V& c) {
    const V n = (b - a).cross(c - a);
    const long double up = n.dot(p - a), down = n.dot(q - a);
    if (up * down > 0) return false;
    const V x = p + (q - p) * (up / (up - down));
    return n.dot((b - a).cross(x - a)) >= 0 && n.dot((c - b).cross(x - b)) >= 0 &&
           n.dot((a - c).cross(x - c)) >= 0;
  };
  int found = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<Vec3> v(6);
    for (Vec3& x : v)
      for (double& coordinate : x) coordinate = unit(random);
    bool expected = false;
    const auto at = [&](int i) -> V { return v[i].cast<long double>(); };
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3;
      expected = expected || crosses(at(k), at(l), at(3), at(4), at(5)) ||
                 crosses(at(3 + k), at(3 + l), at(0), at(1), at(2));
    }
    EXPECT_EQ(!pairs_of(v, {{0, 1, 2}, {3, 4, 5}}).empty(), expected) << trial;
    found += expected;
  }
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace jade
