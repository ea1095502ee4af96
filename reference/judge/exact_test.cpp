#include "reference/judge/exact.h"

#include <random>

#include <gtest/gtest.h>

#include "reference/judge/hull.h"
#include "reference/judge/measure.h"
#include "reference/judge/voxels.h"

namespace jade::judge {
namespace {

// An oracle in whole numbers: two compact convex polyhedra are disjoint iff a facet normal of their difference
// separates them strictly. Small coordinates keep every product far inside 64 bits.
using Int3 = Eigen::Matrix<long long, 3, 1>;

bool separates(const Int3& n, const std::vector<Int3>& a, const std::vector<Int3>& b) {
  long long high_a = n.dot(a[0]), low_a = high_a, high_b = n.dot(b[0]), low_b = high_b;
  for (const Int3& p : a) high_a = std::max(high_a, n.dot(p)), low_a = std::min(low_a, n.dot(p));
  for (const Int3& p : b) high_b = std::max(high_b, n.dot(p)), low_b = std::min(low_b, n.dot(p));
  return high_a < low_b || high_b < low_a;
}

bool triangles_meet_in_integers(const std::vector<Int3>& a, const std::vector<Int3>& b) {
  const auto edges = [](const std::vector<Int3>& t) {
    return std::array<Int3, 3>{t[1] - t[0], t[2] - t[1], t[0] - t[2]};
  };
  const auto ea = edges(a), eb = edges(b);
  const Int3 na = ea[0].cross(ea[1]), nb = eb[0].cross(eb[1]);
  std::vector<Int3> normals{na, nb};
  for (int i = 0; i < 3; ++i) {
    // In one plane the difference is flat: its sides have these normals.
    normals.push_back(na.cross(ea[i]));
    normals.push_back(nb.cross(eb[i]));
    for (int k = 0; k < 3; ++k) normals.push_back(ea[i].cross(eb[k]));
  }
  return std::none_of(normals.begin(), normals.end(), [&](const Int3& n) { return separates(n, a, b); });
}

std::vector<Int3> random_points(std::mt19937& random, int count, int range) {
  std::uniform_int_distribution<int> coordinate(-range, range);
  std::vector<Int3> points;
  points.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    points.push_back({coordinate(random), coordinate(random), coordinate(random)});
  return points;
}

bool has_area(const std::vector<Int3>& t) { return (t[1] - t[0]).cross(t[2] - t[0]) != Int3::Zero(); }

Triangle placed(const std::vector<Int3>& t, double scale, const Vec3& shift) {
  return {scale * t[0].cast<double>() + shift, scale * t[1].cast<double>() + shift,
          scale * t[2].cast<double>() + shift};
}

TEST(TrianglesMeet, AgreesWithWholeNumbers) {
  std::mt19937 random(1);
  int meeting = 0, tried = 0;
  for (int i = 0; i < 40000; ++i) {
    // A range of 1 makes most pairs degenerate: shared corners, edges in faces, one plane.
    const int range = 1 + i % 4;
    const auto a = random_points(random, 3, range), b = random_points(random, 3, range);
    if (!has_area(a) || !has_area(b)) continue;
    const bool truth = triangles_meet_in_integers(a, b);
    const Triangle s = placed(a, 1, Vec3::Zero()), t = placed(b, 1, Vec3::Zero());
    ASSERT_EQ(triangles_meet(s, t), truth) << i;
    ASSERT_EQ(triangles_meet(t, s), truth) << i;
    // Scaling and shifting by dyadic numbers is exact, so the answer stays.
    const Vec3 shift(0.375, -1024.5, 0x1p-20);
    ASSERT_EQ(triangles_meet(placed(a, 0x1p-9, shift), placed(b, 0x1p-9, shift)), truth) << i;
    meeting += truth;
    ++tried;
  }
  EXPECT_GT(meeting, 5000);
  EXPECT_GT(tried - meeting, 5000);
}

/// Closed tetrahedra, in whole numbers: normals of faces and of pairs of edges.
bool tetrahedra_meet_in_integers(const std::vector<Int3>& a, const std::vector<Int3>& b) {
  const auto edges = [](const std::vector<Int3>& t) {
    std::vector<Int3> e;
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < i; ++k) e.push_back(t[i] - t[k]);
    return e;
  };
  // Faces are spanned by two edges, so products within one solid are among them too.
  const auto ea = edges(a), eb = edges(b);
  const auto parted = [&](const std::vector<Int3>& s, const std::vector<Int3>& t) {
    return std::any_of(s.begin(), s.end(), [&](const Int3& e) {
      return std::any_of(t.begin(), t.end(), [&](const Int3& f) { return separates(e.cross(f), a, b); });
    });
  };
  return !parted(ea, ea) && !parted(eb, eb) && !parted(ea, eb);
}

TEST(Measure, AgreesWithWholeNumbersOnTetrahedra) {
  std::mt19937 random(10);
  int meeting = 0, apart = 0, contained = 0;
  for (int i = 0; i < 6000; ++i) {
    const auto a = random_points(random, 4, i % 4 == 3 ? 9 : 1 + i % 5),
               b = random_points(random, 4, 1 + i % 3);
    ConvexHull hull_a, hull_b;
    for (int k = 0; k < 4; ++k) {
      hull_a.points.push_back(a[k].cast<double>());
      hull_b.points.push_back(b[k].cast<double>());
    }
    if (convex_hull(hull_a.points).empty() || convex_hull(hull_b.points).empty()) continue;
    const bool truth = tetrahedra_meet_in_integers(a, b);
    for (const Vec3& shift : {Vec3(0, 0, 0), Vec3(0.375, -64.5, 0x1p-20)}) {
      Solid s(hull_a, "a"), t(hull_b, "b");
      const WidePose pose{Eigen::Matrix<Real, 3, 3>::Identity(), shift.cast<Real>()};
      s.place(pose);
      t.place(pose);
      const Measurement m = measure(s, t);
      ASSERT_EQ(overlap(m.relation), truth) << i;
      ASSERT_EQ(measure(t, s).relation, m.relation) << i;
      contained += m.relation == Relation::contained;
      // The separation has the sign of the verdict, to within the rounding that is added to it.
      ASSERT_LE(truth ? m.separation.lower : -m.separation.upper, 0) << i;
    }
    (truth ? meeting : apart)++;
  }
  EXPECT_GT(meeting, 1000);
  EXPECT_GT(apart, 300);
  EXPECT_GT(contained, 10);
}

TEST(TrianglesMeet, DecidesOneUnitInTheLastPlace) {
  const Triangle floor{Vec3(0, 0, 0.1), Vec3(1, 0, 0.1), Vec3(0, 1, 0.1)};
  const auto tip_at = [](double z) {
    return Triangle{Vec3(0.25, 0.25, z), Vec3(0.3, 0.2, z + 1), Vec3(0.2, 0.3, z + 1)};
  };
  EXPECT_TRUE(triangles_meet(floor, tip_at(0.1)));
  EXPECT_FALSE(triangles_meet(floor, tip_at(std::nextafter(0.1, 1))));
  EXPECT_TRUE(triangles_meet(floor, tip_at(std::nextafter(0.1, 0))));
}

TEST(TrianglesMeet, IgnoresATriangleWithoutArea) {
  const Triangle floor{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  EXPECT_FALSE(triangles_meet(floor, {Vec3(0.2, 0.2, -1), Vec3(0.2, 0.2, 0), Vec3(0.2, 0.2, 1)}));
}

TEST(SideOfPlane, IsExactWhereRoundingDecides) {
  const Vec3 n(0.1, 0.2, 0.3), p(1, 1, 1);
  // n·(x − p) = 0.1·3 − 0.3·1 with the doubles that stand for 0.1 and 0.3: 3·0.1 is larger by 2.8e-17.
  EXPECT_EQ(side_of_plane(Vec3(4, 1, 0), p, n), 1);
  EXPECT_EQ(side_of_plane(Vec3(-2, 1, 2), p, n), -1);
  EXPECT_EQ(side_of_plane(p, p, n), 0);
  EXPECT_EQ(side_of_plane(Vec3(3, 0, 1), p, n), 0);  // 0.2 is exactly twice 0.1
}

TEST(ConvexHull, HoldsEveryPointAndIsClosed) {
  std::mt19937 random(2);
  int solids = 0;
  for (int i = 0; i < 400; ++i) {
    const auto whole = random_points(random, 4 + i % 20, 1 + i % 3);
    std::vector<Vec3> points;
    points.reserve(whole.size());
    for (const Int3& p : whole) points.push_back(p.cast<double>());
    const auto faces = convex_hull(points);
    if (faces.empty()) continue;
    ++solids;
    for (const auto& f : faces) {
      const Int3 n = (whole[f[1]] - whole[f[0]]).cross(whole[f[2]] - whole[f[0]]);
      ASSERT_NE(n, Int3(Int3::Zero())) << i;
      for (const Int3& p : whole) ASSERT_LE(n.dot(p - whole[f[0]]), 0) << i;
    }
    EXPECT_NO_THROW(Polyhedron(points, faces, "hull")) << i;
  }
  EXPECT_GT(solids, 300);
}

TEST(ConvexHull, OfPointsInOnePlaneIsEmpty) {
  EXPECT_TRUE(
      convex_hull({Vec3(0, 0, 0), Vec3(1, 0, 1), Vec3(0, 1, 1), Vec3(1, 1, 2), Vec3(2, 1, 3)}).empty());
}

TEST(Contains, KnowsTheCellsOfAGrid) {
  const std::vector<Cells> solids{
      ring(), block({0, 0, 0}, {2, 2, 2}),
      without(block({0, 0, 0}, {3, 3, 3}), block({1, 1, 1}, {2, 2, 2})),  // a hollow
      without(block({0, 0, 0}, {3, 2, 3}), block({1, 0, 1}, {2, 2, 3}))};
  for (const Cells& cells : solids) {
    const TriangleMesh mesh = mesh_of(cells);
    Polyhedron solid(mesh.vertices, mesh.triangles, "cells");
    // Half and whole coordinates send rays through edges and corners; whole ones are also on surfaces.
    for (int x = -1; x <= 7; ++x)
      for (int y = -1; y <= 7; ++y)
        for (int z = -1; z <= 7; ++z) {
          const Vec3 p = 0.5 * Vec3(x, y, z);
          bool truth = false;
          for (const Cell& c : cells)
            truth |= p.x() >= c[0] && p.x() <= c[0] + 1 && p.y() >= c[1] && p.y() <= c[1] + 1 &&
                     p.z() >= c[2] && p.z() <= c[2] + 1;
          // A point between cells of one solid is inside though no face passes there.
          ASSERT_EQ(contains(solid, p), truth) << p.transpose();
        }
  }
}

}  // namespace
}  // namespace jade::judge
