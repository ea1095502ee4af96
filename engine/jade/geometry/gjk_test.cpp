#include "jade/geometry/gjk.h"

#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "jade/geometry/brute_force.h"
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

ConvexCore core_of(const std::vector<Vec3>& points) {
  ConvexCore core;
  core.kind = ConvexCore::Kind::vertices;
  core.vertices = points.data();
  core.count = int(points.size());
  for (const Vec3& p : points) core.extent = std::max(core.extent, p.norm());
  return core;
}

ConvexCore box_core(const Vec3& size) {
  ConvexCore core;
  core.kind = ConvexCore::Kind::box;
  core.half = size / 2;
  core.extent = core.half.norm();
  return core;
}

std::vector<Vec3> corners(const Vec3& size) {
  std::vector<Vec3> points;
  points.reserve(8);
  for (int i = 0; i < 8; ++i)
    points.emplace_back((i & 1 ? .5 : -.5) * size.x(), (i & 2 ? .5 : -.5) * size.y(),
                        (i & 4 ? .5 : -.5) * size.z());
  return points;
}

// Rounding of coordinates around one metre, through a few products each.
constexpr double kTolerance = 1e-13;

/// Moves B along the direction found until the gap is `gap`; the pair is then as close as a simulation makes it.
void bring_near(const ConvexCore& a, const Transform& X_WA, const ConvexCore& b, Transform& X_WB,
                double gap) {
  const DistanceResult far = gjk_distance(a, X_WA, b, X_WB);
  X_WB.p -= (far.distance - gap) * far.normal;
}

TEST(Gjk, EqualsBruteForceBetweenHullsAtEveryGap) {
  Random random(11);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Vec3> p, q;
    const Vec3 flat_p(1, 1, trial % 3 == 0 ? 1e-4 : 1), flat_q(1, trial % 5 == 0 ? 1e-3 : 1, 1);
    for (int i = 0; i < 4 + trial % 17; ++i) p.push_back(random.vector(0.5).cwiseProduct(flat_p));
    for (int i = 0; i < 4 + trial % 13; ++i) q.push_back(random.vector(0.5).cwiseProduct(flat_q));
    const ConvexCore a = core_of(p), b = core_of(q);
    const Transform X_WA = random.pose(1);
    Transform X_WB = random.pose(1);
    X_WB.p += 6 * random.vector(1).normalized();
    for (const double gap : {1.0, 1e-2, 1e-4, 1e-6}) {
      bring_near(a, X_WA, b, X_WB, gap);
      const DistanceResult d = gjk_distance(a, X_WA, b, X_WB);
      const double expected = brute_force::surface_distance(brute_force::triangles_of_hull(p, X_WA),
                                                            brute_force::triangles_of_hull(q, X_WB));
      ASSERT_TRUE(d.separated);
      EXPECT_NEAR(d.distance, expected, kTolerance) << trial << " " << gap;
      EXPECT_LE(d.lower_bound, expected) << trial << " " << gap;
      EXPECT_GE(d.lower_bound, expected - kTolerance) << trial << " " << gap;
      EXPECT_NEAR((d.point_B - d.point_A).norm(), expected, kTolerance);
      EXPECT_NEAR(d.normal.norm(), 1, 1e-15);
    }
  }
}

TEST(Gjk, EqualsBruteForceBetweenBoxesAndThinPlates) {
  Random random(12);
  for (int trial = 0; trial < 500; ++trial) {
    const Vec3 size_a(random.real(0.1, 1), random.real(0.1, 1), trial % 2 ? 1e-4 : random.real(0.1, 1));
    const Vec3 size_b(random.real(0.1, 1), trial % 3 ? random.real(0.1, 1) : 1e-4, random.real(0.1, 1));
    const ConvexCore a = box_core(size_a), b = box_core(size_b);
    Transform X_WA = random.pose(1), X_WB = random.pose(1);
    if (trial % 4 == 0) X_WB.R = X_WA.R;                                      // face to face
    if (trial % 4 == 1) X_WB.R = X_WA.R * rotation_exp(Vec3(0, 0, trial));    // one axis shared
    if (trial % 4 == 2) X_WB.R = X_WA.R * rotation_exp(random.vector(1e-7));  // nearly parallel
    X_WB.p += 6 * random.vector(1).normalized();
    for (const double gap : {0.1, 1e-5, 1e-6}) {
      bring_near(a, X_WA, b, X_WB, gap);
      const DistanceResult d = gjk_distance(a, X_WA, b, X_WB);
      const auto p = corners(size_a), q = corners(size_b);
      const double expected = brute_force::surface_distance(brute_force::triangles_of_hull(p, X_WA),
                                                            brute_force::triangles_of_hull(q, X_WB));
      ASSERT_TRUE(d.separated) << trial << " " << gap;
      EXPECT_NEAR(d.distance, expected, kTolerance) << trial << " " << gap;
      EXPECT_LE(d.lower_bound, expected) << trial << " " << gap;
      EXPECT_GE(d.lower_bound, expected - kTolerance) << trial << " " << gap;
    }
  }
}

TEST(Gjk, NeverSeparatesWhatOverlaps) {
  Random random(13);
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<Vec3> p, q;
    for (int i = 0; i < 4 + trial % 7; ++i) p.push_back(random.vector(0.5));
    for (int i = 0; i < 4 + trial % 5; ++i) q.push_back(random.vector(0.5));
    const Transform X_WA = random.pose(1);
    Transform X_WB = random.pose(1);
    // Make a random point of one the same as a random point of the other: they share at least that.
    const auto inside = [&](const std::vector<Vec3>& points) {
      Vec3 sum = Vec3::Zero();
      double total = 0;
      for (const Vec3& x : points) {
        const double weight = random.real(0, 1);
        sum += weight * x;
        total += weight;
      }
      return Vec3(sum / total);
    };
    X_WB.p += X_WA * inside(p) - X_WB * inside(q);
    const DistanceResult d = gjk_distance(core_of(p), X_WA, core_of(q), X_WB, random.vector(1));
    ASSERT_FALSE(d.separated) << trial;
  }
}

TEST(Gjk, IsExactBetweenSpheresAndCapsules) {
  ConvexCore sphere, capsule;
  sphere.radius = 0.25;
  capsule.kind = ConvexCore::Kind::segment;
  capsule.radius = 0.5;
  capsule.half = Vec3(0, 0, 2);
  capsule.extent = 2;
  const Transform at_origin, aside{Mat3::Identity(), Vec3(3, 4, 1)}, above{Mat3::Identity(), Vec3(0, 0, 4)};
  EXPECT_NEAR(gjk_distance(sphere, at_origin, sphere, aside).distance, std::sqrt(26.0) - 0.5, 1e-15);
  EXPECT_NEAR(gjk_distance(capsule, at_origin, sphere, aside).distance, 5 - 0.75, 1e-15);
  const DistanceResult d = gjk_distance(capsule, at_origin, sphere, above);
  EXPECT_NEAR(d.distance, 2 - 0.75, 1e-15);
  EXPECT_LT((d.normal - Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_LT((d.point_A - Vec3(0, 0, 2.5)).norm(), 1e-15);
  // Radii overlap, cores do not: minus the depth.
  EXPECT_NEAR(gjk_distance(sphere, at_origin, sphere, {Mat3::Identity(), Vec3(0.4, 0, 0)}).distance, -0.1,
              1e-15);
}

std::vector<Vec3> prism(double radius, double half_length, int sides) {
  std::vector<Vec3> points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * std::numbers::pi * i / sides;
    for (const double z : {-half_length, half_length})
      points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
  }
  return points;
}

TEST(Gjk, OfACylinderLiesBetweenItsInnerAndOuterPrism) {
  Random random(14);
  ConvexCore cylinder;
  cylinder.kind = ConvexCore::Kind::cylinder;
  cylinder.half = Vec3(0.3, 0.3, 0.5);
  cylinder.extent = cylinder.half.norm();
  constexpr int kSides = 400;
  const auto inner = prism(0.3, 0.5, kSides),
             outer = prism(0.3 / std::cos(std::numbers::pi / kSides), 0.5, kSides);
  for (int trial = 0; trial < 2000; ++trial) {
    const Vec3 size(random.real(0.1, 1), random.real(0.1, 1), random.real(0.1, 1));
    const ConvexCore other = trial % 3 == 0 ? cylinder : box_core(size);
    const Transform X_WA = random.pose(1);
    Transform X_WB = random.pose(1);
    if (trial % 4 == 0) X_WB.R = X_WA.R;
    X_WB.p += 6 * random.vector(1).normalized();
    for (const double gap : {0.1, 1e-4, 1e-6}) {
      bring_near(cylinder, X_WA, other, X_WB, gap);
      const DistanceResult d = gjk_distance(cylinder, X_WA, other, X_WB);
      ASSERT_TRUE(d.separated) << trial << " " << gap;
      // Curved sides converge geometrically; the worst of 60,000 such queries was 5e-12.
      EXPECT_GE(d.lower_bound, d.distance - 1e-10) << trial << " " << gap;
      if (trial % 10 == 0 && gap == 0.1) {
        EXPECT_GE(d.distance, gjk_distance(core_of(outer), X_WA, other, X_WB).lower_bound);
        EXPECT_LE(d.lower_bound, gjk_distance(core_of(inner), X_WA, other, X_WB).distance);
      }
    }
  }
}

}  // namespace
}  // namespace jade
