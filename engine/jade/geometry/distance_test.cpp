#include "jade/geometry/distance.h"

#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "jade/base/error.h"
#include "jade/geometry/brute_force.h"
#include "jade/geometry/test_meshes.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

struct Random {
  std::mt19937_64 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  Vec3 vector(double size) { return {real(-size, size), real(-size, size), real(-size, size)}; }
  Transform pose(double size) { return {rotation_exp(vector(3)), vector(size)}; }
};

std::vector<brute_force::TriangleL> surface(const TriangleMesh& mesh, const Transform& X) {
  std::vector<brute_force::TriangleL> result;
  for (const auto& [i, j, k] : mesh.triangles)
    result.push_back(brute_force::placed(X, mesh.vertices[i], mesh.vertices[j], mesh.vertices[k]));
  return result;
}

TEST(Distance, BetweenNonConvexMeshesEqualsBruteForce) {
  Random random(21);
  const TriangleMesh l = test_meshes::l_prism(), u = test_meshes::channel();
  const PreparedShape a(l), b(u);
  ASSERT_NE(a.tree(), nullptr);
  ASSERT_NE(b.tree(), nullptr);
  int separated = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Transform X_WA = random.pose(1), X_WB = random.pose(3);
    const DistanceResult d = distance({a, X_WA}, {b, X_WB});
    if (!d.separated) continue;
    ++separated;
    const double expected = brute_force::surface_distance(surface(l, X_WA), surface(u, X_WB));
    // Coordinates of a few metres through a few products.
    EXPECT_NEAR(d.distance, expected, 1e-13) << trial;
    EXPECT_LE(d.lower_bound, expected) << trial;
    EXPECT_GE(d.lower_bound, expected - 1e-13) << trial;
    EXPECT_NEAR((d.point_B - d.point_A).norm(), expected, 1e-13);
  }
  EXPECT_GT(separated, 150);
}

TEST(Distance, SeesIntoTheHollowOfAMesh) {
  // A sphere of radius 0.2 in the channel of width 1: 0.3 to both walls, though it is inside the hull.
  const PreparedShape channel(test_meshes::channel()), ball(Sphere{0.2});
  const Transform X_WA, X_WB{Mat3::Identity(), Vec3(1.5, 0.6, 0.5)};
  const DistanceResult d = distance({channel, X_WA}, {ball, X_WB});
  EXPECT_TRUE(d.separated);
  EXPECT_NEAR(d.distance, 0.3, 1e-15);
}

TEST(Distance, OfAShapeInsideAnotherIsNotPositive) {
  const PreparedShape l(test_meshes::l_prism()), ball(Sphere{0.1});
  const Transform X_WA, X_WB{Mat3::Identity(), Vec3(0.5, 0.5, 0.5)};
  const DistanceResult d = distance({l, X_WA}, {ball, X_WB}), e = distance({ball, X_WB}, {l, X_WA});
  EXPECT_FALSE(d.separated);
  EXPECT_LT(d.distance, 0);
  EXPECT_FALSE(e.separated);
}

TEST(Distance, ToAHalfSpaceIsTheLowestPoint) {
  const PreparedShape ground{HalfSpace{}}, box{Box{Vec3(1, 2, 3)}}, ball{Sphere{0.5}}, rod{Cylinder{0.5, 1}},
      l{test_meshes::l_prism()};
  const Mat3 tilt = rotation_exp(Vec3(std::numbers::pi / 4, 0, 0));
  const Transform X_WG, level{Mat3::Identity(), Vec3(0, 0, 5)}, tilted{tilt, Vec3(0, 0, 5)};
  EXPECT_NEAR(distance({ground, X_WG}, {box, level}).distance, 3.5, 1e-15);
  EXPECT_NEAR(distance({ground, X_WG}, {ball, level}).distance, 4.5, 1e-15);
  EXPECT_NEAR(distance({ground, X_WG}, {rod, tilted}).distance, 5 - 1.5 / std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(distance({ground, X_WG}, {l, level}).distance, 5, 1e-15);
  const DistanceResult d = distance({box, level}, {ground, X_WG});
  EXPECT_EQ(d.normal, -Vec3::UnitZ());
  EXPECT_NEAR(d.point_A.z(), 3.5, 1e-15);
  EXPECT_NEAR(d.point_B.z(), 0, 1e-15);
  EXPECT_THROW((void)distance({ground, X_WG}, {ground, level}), InvalidInput);
}

TEST(Distance, DoesNotDependOnTheHint) {
  Random random(22);
  const PreparedShape a{Box{Vec3(1, 0.5, 0.2)}}, b{Capsule{0.1, 0.4}}, c{test_meshes::channel()};
  for (int trial = 0; trial < 500; ++trial) {
    const Transform X_WA = random.pose(1), X_WB = random.pose(4);
    for (const PreparedShape* other : {&a, &b, &c}) {
      const DistanceResult cold = distance({*other, X_WA}, {b, X_WB});
      const DistanceResult warm = distance({*other, X_WA}, {b, X_WB}, random.vector(1));
      ASSERT_EQ(cold.separated, warm.separated) << trial;
      if (cold.separated) {
        EXPECT_NEAR(cold.distance, warm.distance, 1e-13) << trial;
      }
    }
  }
}

/// A cylinder tilted by θ some micrometres above a table: its rim is lowest at r cos θ from the middle, r sin θ + l cos θ
/// below it.
TEST(SettleOnFace, KnowsWhereATiltedRimIsLowestToAllDigits) {
  const double r = 0.12, l = 0.18, gap = 3e-6;
  const PreparedShape table(Box{Vec3(6, 6, 0.01)}), cylinder(Cylinder{r, l});
  const Transform X_WT{rotation_exp(Vec3(0, 0, 0.7)), Vec3(0, 0, -0.005)};
  for (const double tilt : {1e-5, 1e-3, 0.3}) {
    const Vec3 axis(std::cos(1.1), std::sin(1.1), 0);
    const Transform X_WC{rotation_exp(tilt * axis),
                         Vec3(0.3, -0.2, gap + r * std::sin(tilt) + l * std::cos(tilt))};
    // Along the slope, as far as the tilt takes the rim of the lower end.
    const Vec3 down = Vec3::UnitZ().cross(axis);
    const double across = -(r * std::cos(tilt) - l * std::sin(tilt));
    const Vec3 lowest = Vec3(0.3, -0.2, gap) + across * down;
    for (const bool cylinder_first : {false, true}) {
      const PlacedShape on{table, X_WT}, over{cylinder, X_WC};
      const PlacedShape &a = cylinder_first ? over : on, &b = cylinder_first ? on : over;
      DistanceResult d = distance(a, b);
      ASSERT_TRUE(settle_on_face(a, b, d)) << tilt;
      EXPECT_EQ(d.normal, Vec3(0, 0, cylinder_first ? -1 : 1));
      // Rounding of places of a decimetre; the rim's place by that over the tilt.
      EXPECT_NEAR(d.distance, gap, 2e-16) << tilt;
      EXPECT_LE(d.lower_bound, d.distance);
      EXPECT_LE(((cylinder_first ? d.point_A : d.point_B) - lowest).norm(), 1e-16 / tilt + 1e-15) << tilt;
    }
  }
}

/// A cylinder that leans over the edge of a table, ten micrometres from it. Held against a bisection in long doubles: seen along
/// the edge the rim is an ellipse, and from its nearest place it looks straight at the edge.
TEST(SettleOnCurves, KnowsWhereARimIsNearestToAnEdgeToAllDigits) {
  const double r = 0.12, l = 0.18;
  const PreparedShape table(Box{Vec3(2, 2, 0.2)}), cylinder(Cylinder{r, l});
  const Vec3 edge(1, 0.2, 0.1), out = Vec3(1, 0, 1).normalized();
  for (const double lean : {0.4, 0.7, 1.0}) {
    const Mat3 R = rotation_exp(lean * Vec3(0.3, 1, 0).normalized());
    const Vec3 down = R.transpose() * -out;
    const double across = down.head<2>().norm();
    const Transform X_WT,
        X_WC{R, edge + 1e-5 * out - R * Vec3(r * down.x() / across, r * down.y() / across, -l)};
    // From the edge to the rim's place with phase φ, how fast that moves, and both multiplied.
    const auto from_edge = [&](int k, long double phase) {
      return r * (std::cos(phase) * R(k, 0) + std::sin(phase) * R(k, 1)) - l * R(k, 2) + X_WC.p[k] - edge[k];
    };
    const auto rate = [&](int k, long double phase) {
      return r * (std::cos(phase) * R(k, 1) - std::sin(phase) * R(k, 0));
    };
    const auto slope = [&](long double phase) {
      return from_edge(0, phase) * rate(0, phase) + from_edge(2, phase) * rate(2, phase);
    };
    const long double first = std::atan2(down.y(), down.x());
    long double low = first - 1e-3L, high = first + 1e-3L;
    ASSERT_LT(slope(low), 0) << lean;
    ASSERT_GT(slope(high), 0) << lean;
    for (int i = 0; i < 70; ++i) (slope(0.5L * (low + high)) < 0 ? low : high) = 0.5L * (low + high);
    const long double x = from_edge(0, low), z = from_edge(2, low), gap = std::sqrt(x * x + z * z);

    DistanceResult d = distance({table, X_WT}, {cylinder, X_WC});
    ASSERT_TRUE(settle_on_curves({table, X_WT}, {cylinder, X_WC}, d)) << lean;
    // Coordinates of a metre round to 1e-16, and directions between points that are 1e-5 m apart to some 1e-11.
    EXPECT_NEAR(d.distance, double(gap), 5e-16) << lean;
    EXPECT_LE((d.normal - Vec3(double(x / gap), 0, double(z / gap))).norm(), 1e-10) << lean;
    EXPECT_NEAR(d.point_B.y(), edge.y() + double(from_edge(1, low)), 1e-15) << lean;
    EXPECT_LE(d.lower_bound, d.distance) << lean;
  }
}

/// The side of a cylinder beside a ball, a capsule along it and a corner: GJK leaves the direction at the root of its rounding.
TEST(SettleOnCurves, KnowsTheNormalBetweenASideAndWhateverStandsBesideIt) {
  const double r = 0.09, gap = 1e-5;
  const PreparedShape cylinder(Cylinder{r, 0.05});
  const struct {
    PreparedShape shape;
    Mat3 R;
    Vec3 towards;  // it from the cylinder,
    double reach;  // and how far its middle is from where it comes nearest
  } others[] = {{PreparedShape(Sphere{0.08}), rotation_exp(Vec3(0.4, 1, 2)), Vec3::UnitX(), 0.08},
                {PreparedShape(Capsule{0.07, 0.2}), rotation_exp(Vec3(0, 0.3, 0)), Vec3::UnitY(), 0.07},
                {PreparedShape(Box{Vec3::Constant(0.1)}),
                 Mat3(Eigen::Quaterniond::FromTwoVectors(Vec3(-1, -1, -1), -Vec3::UnitX())), Vec3::UnitX(),
                 0.05 * std::sqrt(3.0)}};
  for (const auto& other : others)
    for (int turn = 0; turn < 20; ++turn) {
      const Mat3 about = rotation_exp(Vec3(0, 0, 0.3 * turn));
      const Vec3 n = about * other.towards;
      const Transform X_WC{rotation_exp(Vec3(0, 0, 0.9 * turn)), Vec3(0.5, 1, 0.04)},
          X_WO{about * other.R, X_WC.p + (r + other.reach + gap) * n + Vec3(0, 0, 0.03)};
      DistanceResult d = distance({cylinder, X_WC}, {other.shape, X_WO});
      ASSERT_TRUE(settle_on_curves({cylinder, X_WC}, {other.shape, X_WO}, d)) << other.reach << ' ' << turn;
      // Rounding of places of a metre, over the distance of the curves at most.
      EXPECT_LE((d.normal - n).norm(), 1e-14 / r) << other.reach << ' ' << turn;
      EXPECT_NEAR(d.distance, gap, 1e-15) << other.reach << ' ' << turn;
      EXPECT_LE(d.lower_bound, d.distance);
    }
}

/// However the two are turned: along a normal that leans by the rounding of places which are ten micrometres apart, the far end of
/// the edge is nearer than the distance, by a million times that of coordinates.
TEST(SettleOnCurves, IsNotMisledByTheRoundingOfItsNormal) {
  const double r = 0.12, l = 0.18;
  const PreparedShape table(Box{Vec3(2, 2, 0.2)}), cylinder(Cylinder{r, l});
  const Vec3 edge(1, 0.2, 0.1), out = Vec3(1, 0, 1).normalized();
  const Mat3 R = rotation_exp(0.7 * Vec3(0.3, 1, 0).normalized());
  const Vec3 down = R.transpose() * -out;
  const Vec2 lowest = r * down.head<2>().normalized();
  const Transform X_TC{R, edge + 1e-5 * out - R * Vec3(lowest.x(), lowest.y(), -l)};
  for (int turn = 0; turn < 100; ++turn) {
    const Transform X_WT{rotation_exp(Vec3(0.1 * turn, 0.07 * turn, 1)), Vec3(0.3, -0.01 * turn, 0.2)};
    const Transform X_WC{X_WT.R * X_TC.R, X_WT * X_TC.p};
    DistanceResult d = distance({table, X_WT}, {cylinder, X_WC});
    ASSERT_TRUE(settle_on_curves({table, X_WT}, {cylinder, X_WC}, d)) << turn;
    EXPECT_LE(std::abs(d.normal.dot(X_WT.R.col(1))), 1e-10) << turn;
    EXPECT_LE(d.lower_bound, d.distance) << turn;
  }
}

/// An L of two boxes in one mesh is not convex. On its lower step, and beside the wall of its upper one.
TEST(SettleOnFace, KnowsTheNormalOfAMeshThatIsNotConvex) {
  TriangleMesh step;
  const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (const double z : {0.0, 1.0})
    for (const auto& [x, y] : outline) step.vertices.push_back({x, y, z});
  step.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 4, 3},  {0, 5, 4},
                    {6, 7, 8}, {6, 8, 9}, {6, 9, 10}, {6, 10, 11}};
  for (int k = 0; k < 6; ++k) {
    const int next = (k + 1) % 6;
    step.triangles.push_back({k, next, next + 6});
    step.triangles.push_back({k, next + 6, k + 6});
  }
  const PreparedShape mesh(step), box(Box{Vec3(0.2, 0.2, 0.2)});
  ASSERT_NE(mesh.tree(), nullptr);
  const double gap = 1.5e-7;
  const Mat3 corner_first = rotation_exp(Vec3(0.6, 0.3, 0.4));
  const Vec3 size = Vec3::Constant(0.1);
  struct Place {
    Vec3 normal, foot;
  };
  for (const Place& place : {Place{Vec3::UnitY(), {1.5, 1, 0.5}}, Place{Vec3::UnitX(), {1, 1.5, 0.5}}}) {
    const double deep = (corner_first.transpose() * place.normal).cwiseAbs().dot(size);
    for (int turn = 0; turn < 20; ++turn) {
      const Transform X_WM{rotation_exp(Vec3(0.3 * turn, 0.1, 0.2)), Vec3(0.4, -0.2 * turn, 1)};
      const Transform X_WB{X_WM.R * corner_first, X_WM * Vec3(place.foot + (deep + gap) * place.normal)};
      DistanceResult d = distance({mesh, X_WM}, {box, X_WB});
      ASSERT_TRUE(d.separated);
      settle_nearest({mesh, X_WM}, {box, X_WB}, 1, d);
      // A direction between points that are so near to each other has seven digits less.
      EXPECT_LE((d.normal - X_WM.R * place.normal).norm(), 1e-15) << turn;
      EXPECT_NEAR(d.distance, gap, 2e-15) << turn;
    }
  }
}

TEST(SettleOnFace, LeavesEdgesAlone) {
  const PreparedShape table(Box{Vec3(2, 2, 0.2)}), ball(Sphere{0.1});
  // Beside the table's upper edge, nearly above it: the normal of the top leaves a smaller gap.
  const Transform X_WT, X_WB{Mat3::Identity(), Vec3(1 + 1e-4, 0, 0.2 + 1e-5)};
  DistanceResult d = distance({table, X_WT}, {ball, X_WB});
  const DistanceResult before = d;
  EXPECT_FALSE(settle_on_face({table, X_WT}, {ball, X_WB}, d));
  EXPECT_EQ(d.normal, before.normal);
  EXPECT_EQ(d.distance, before.distance);
}

}  // namespace
}  // namespace jade
