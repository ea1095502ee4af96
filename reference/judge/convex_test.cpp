#include "reference/judge/convex.h"

#include <random>

#include <gtest/gtest.h>

#include "jade/math/rotation.h"
#include "reference/judge/depth.h"
#include "reference/judge/hull.h"
#include "reference/judge/polyhedron.h"

namespace jade::judge {
namespace {

std::vector<Vec3> random_cloud(std::mt19937& random, int count, const Vec3& centre) {
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Vec3> points;
  points.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) points.push_back(centre + Vec3(unit(random), unit(random), unit(random)));
  return points;
}

Polyhedron hull_of(const std::vector<Vec3>& points) { return {points, convex_hull(points), "hull"}; }

TEST(CoreDistance, EqualsTheSmallestDistanceOfAllFeatures) {
  std::mt19937 random(3);
  int apart = 0;
  for (int i = 0; i < 300; ++i) {
    const int count = 4 + i % 12;
    Polyhedron a = hull_of(random_cloud(random, count, Vec3::Zero()));
    Polyhedron b = hull_of(random_cloud(random, count, Vec3(1.5, 0.7, 0.3) * (1 + i % 3)));
    const Bracket d = core_distance({.points = a.points()}, {.points = b.points()});
    ASSERT_LE(d.lower, d.upper);
    if (surfaces_meet(a, b)) {
      EXPECT_LE(d.upper, 1e-17) << i;  // rounding of the barycentric weights in extended precision
      continue;
    }
    ++apart;
    const Real truth = surface_distance(a, b, std::numeric_limits<Real>::infinity());
    // Both are long double: a thousand units of 5e-20 for ill-shaped simplices, then one rounding to double.
    EXPECT_NEAR(d.lower, static_cast<double>(truth), 1e-15) << i;
    EXPECT_NEAR(d.upper, static_cast<double>(truth), 1e-15) << i;
  }
  EXPECT_GT(apart, 100);
}

TEST(CoreDistance, StopsEarlyOnlyWithAProof) {
  std::mt19937 random(4);
  for (int i = 0; i < 100; ++i) {
    const auto a = random_cloud(random, 8, Vec3::Zero()), b = random_cloud(random, 8, Vec3(3, 1, 0));
    const Bracket full = core_distance({.points = a}, {.points = b});
    const Bracket quick = core_distance({.points = a}, {.points = b}, 0.1);
    EXPECT_LE(quick.lower, full.upper);
    EXPECT_GE(quick.upper, full.lower);
    EXPECT_EQ(quick.lower > 0.1, full.lower > 0.1);
  }
}

/// Distance of a point from a solid cylinder about z.
Real distance_to_cylinder(const Vec3& p, double r, double h) {
  const Real across = std::max<Real>(0, std::hypot<Real>(p.x(), p.y()) - r),
             along = std::max<Real>(0, std::abs(p.z()) - h);
  return std::hypot(across, along);
}

TEST(CoreDistance, OfPointAndCylinderIsTheClosedForm) {
  std::mt19937 random(5);
  const Core cylinder{.points = {}, .is_cylinder = true, .radius = 0.7, .half_length = 0.4};
  for (int i = 0; i < 500; ++i) {
    const auto p = random_cloud(random, 1, Vec3(0.3, -0.2, 0.1));
    const Bracket d = core_distance(cylinder, {.points = p});
    const Real truth = distance_to_cylinder(p[0], 0.7, 0.4);
    EXPECT_LE(d.lower, truth + 1e-17L) << p[0].transpose();
    EXPECT_GE(d.upper, truth - 1e-17L) << p[0].transpose();
    EXPECT_LT(d.upper - d.lower, 1e-12) << p[0].transpose();
  }
}

TEST(CoreDistance, OfAPointOnTheAxisOfACylinderIsTheHeightAboveItsEnd) {
  // The direction of search is the axis up to rounding: what is left across it must not count as a direction.
  std::mt19937 random(11);
  Core cylinder{.points = {}, .is_cylinder = true, .radius = 0.5, .half_length = 0.25};
  for (int i = 0; i < 2000; ++i) {
    cylinder.axis = random_cloud(random, 1, Vec3::Zero())[0].cast<Real>().normalized();
    const std::vector<Vec3> p{(Real(1) * cylinder.axis).cast<double>()};
    const Bracket d = core_distance(cylinder, {.points = p});
    // The point is rounded to double.
    EXPECT_LE(d.lower, 0.75 + 2e-16) << i;
    EXPECT_GE(d.upper, 0.75 - 2e-16) << i;
    EXPECT_LE(d.upper - d.lower, 1e-15) << i;
  }
}

/// The same overlap by brute force: every pair of edges and every face, no pruning.
Real depth_by_all_directions(const Polytope& a, const Polytope& b) {
  Real best = std::numeric_limits<Real>::infinity();
  const auto width = [&](const Vec3l& n) {
    return extent({.points = a.points}, n) + extent({.points = b.points}, -n);
  };
  for (const Polytope* p : {&a, &b})
    for (const Vec3l& n : p->normals) best = std::min({best, width(n), width(-n)});
  for (const auto& e : a.edges)
    for (const auto& f : b.edges) {
      const Vec3l n = e.direction.cross(f.direction);
      if (n.norm() > 1e-6L) best = std::min({best, width(n.normalized()), width(-n.normalized())});
    }
  return best;
}

TEST(Translation, IsTheSmallestOverlapOfAllDirections) {
  std::mt19937 random(6);
  int overlapping = 0;
  for (int i = 0; i < 60; ++i) {
    Polyhedron a = hull_of(random_cloud(random, 4 + i % 9, Vec3::Zero()));
    Polyhedron b = hull_of(random_cloud(random, 4 + i % 7, Vec3(0.5, 0.1 * (i % 5), -0.2)));
    if (!surfaces_meet(a, b)) continue;
    ++overlapping;
    const Polytope p = a.polytope(), q = b.polytope();
    EXPECT_NEAR(static_cast<double>(translation(p, q).length),
                static_cast<double>(depth_by_all_directions(p, q)), 1e-15);
  }
  EXPECT_GT(overlapping, 30);
}

TEST(Translation, PartsThePolytopesAndNothingShorterDoes) {
  std::mt19937 random(7);
  for (int i = 0; i < 40; ++i) {
    Polyhedron a = hull_of(random_cloud(random, 8, Vec3::Zero()));
    auto cloud = random_cloud(random, 8, Vec3(0.4, 0.3, 0.1));
    Polyhedron b = hull_of(cloud);
    if (!surfaces_meet(a, b)) continue;
    const Depth depth = translation(a.polytope(), b.polytope());
    const auto shifted = [&](const Vec3l& by) {
      auto moved = cloud;
      for (Vec3& p : moved) p = (p.cast<Real>() + by).cast<double>();
      return hull_of(moved);
    };
    Polyhedron clear = shifted((depth.length + 1e-12L) * depth.direction);
    EXPECT_FALSE(surfaces_meet(a, clear)) << i;
    // Any other direction with 1e-9 less leaves them in touch.
    for (const Vec3& d : random_cloud(random, 20, Vec3::Zero())) {
      Polyhedron still = shifted((depth.length - 1e-9L) * d.cast<Real>().normalized());
      EXPECT_TRUE(surfaces_meet(a, still)) << i;
    }
  }
}

TEST(Prism, LiesInsideAndAroundItsCylinder) {
  Core cylinder{.points = {}, .is_cylinder = true, .radius = 0.5L, .half_length = 0.3L};
  cylinder.axis = Vec3l(1, 2, 2) / 3;
  const Polytope inside = prism_of(cylinder, 16, false), around = prism_of(cylinder, 16, true);
  for (const Vec3& d : std::vector<Vec3>{{1, 0, 0}, {0.3, -0.7, 0.2}, {1, 2, 2}, {-1, 0.1, 0.4}}) {
    const Vec3l n = d.cast<Real>().normalized();
    // Points of a prism are rounded to double.
    EXPECT_LE(extent({.points = inside.points}, n), extent(cylinder, n) + 1e-16L);
    EXPECT_GE(extent({.points = around.points}, n), extent(cylinder, n) - 1e-16L);
  }
  for (const Vec3l& n : around.normals)
    EXPECT_NEAR(static_cast<double>(extent({.points = around.points}, n)),
                static_cast<double>(extent(cylinder, n)), 1e-15);
}

}  // namespace
}  // namespace jade::judge
