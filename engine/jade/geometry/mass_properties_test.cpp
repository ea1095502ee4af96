#include "jade/geometry/mass_properties.h"

#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "jade/base/error.h"

namespace jade {
namespace {

/// Volume integrals by counting random points of a bounding box: an oracle that knows only who is inside.
MassProperties monte_carlo(const std::function<bool(const Vec3&)>& inside, const Vec3& half, int samples) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  int count = 0;
  for (int i = 0; i < samples; ++i) {
    const Vec3 x(half.x() * unit(random), half.y() * unit(random), half.z() * unit(random));
    if (!inside(x)) continue;
    ++count;
    first += x;
    second += x * x.transpose();
  }
  const double cell = 8 * half.prod() / samples;
  const Vec3 c = first / count;
  const Mat3 C = cell * (second - count * c * c.transpose());
  return {cell * count, c, C.trace() * Mat3::Identity() - C};
}

constexpr int kSamples = 400000;

void expect_close(const MassProperties& a, const MassProperties& b, double relative) {
  const double length = std::sqrt(b.inertia.trace() / b.mass);
  EXPECT_NEAR(a.mass, b.mass, relative * b.mass);
  EXPECT_LT((a.com - b.com).norm(), relative * length);
  EXPECT_LT((a.inertia - b.inertia).norm(), relative * b.inertia.norm());
}

// Counting errors of 400,000 samples: 1/√n of a proportion above 0.3 is below 0.3 %; five sigma.
constexpr double kCounting = 0.012;

TEST(MassProperties, OfRoundShapesAgreeWithCounting) {
  const double r = 0.4, l = 0.7;
  expect_close(mass_properties(Sphere{r}, 1),
               monte_carlo([&](const Vec3& x) { return x.norm() < r; }, Vec3(r, r, r), kSamples), kCounting);
  expect_close(mass_properties(Capsule{r, l}, 1),
               monte_carlo(
                   [&](const Vec3& x) {
                     const double z = std::clamp(x.z(), -l, l);
                     return (x - Vec3(0, 0, z)).norm() < r;
                   },
                   Vec3(r, r, l + r), kSamples),
               kCounting);
  expect_close(mass_properties(Cylinder{r, l}, 1),
               monte_carlo([&](const Vec3& x) { return x.head<2>().norm() < r; }, Vec3(r, r, l), kSamples),
               kCounting);
}

TEST(MassProperties, OfACapsuleTendToThoseOfASphere) {
  const MassProperties s = mass_properties(Sphere{0.3}, 5), c = mass_properties(Capsule{0.3, 1e-12}, 5);
  EXPECT_NEAR(c.mass, s.mass, 1e-10 * s.mass);
  EXPECT_LT((c.inertia - s.inertia).norm(), 1e-10 * s.inertia.norm());
}

std::vector<Vec3> corners(const Vec3& size, const Vec3& at, const Mat3& R = Mat3::Identity()) {
  std::vector<Vec3> points;
  points.reserve(8);
  for (int i = 0; i < 8; ++i)
    points.push_back(at + R * Vec3((i & 1 ? .5 : -.5) * size.x(), (i & 2 ? .5 : -.5) * size.y(),
                                   (i & 4 ? .5 : -.5) * size.z()));
  return points;
}

TEST(MassProperties, OfAHullOfCornersAreThoseOfTheBox) {
  const Vec3 size(0.3, 2, 0.0001), at(10, -3, 5);
  const Mat3 R = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const MassProperties box = mass_properties(Box{size}, 1000);
  const MassProperties hull = mass_properties(ConvexHull{corners(size, at, R)}, 1000);
  // The corners are rounded to 1e-15 of 10 m, which is 1e-11 of the plate's thickness: volume and centre of
  // this slightly wedged plate differ by as much, relative to its mass and to its length of about a metre.
  EXPECT_NEAR(hull.mass, box.mass, 1e-10 * box.mass);
  EXPECT_LT((hull.com - at).norm(), 1e-11);
  EXPECT_LT((hull.inertia - R * box.inertia * R.transpose()).norm(), 1e-10 * box.inertia.norm());
}

// An L-shaped prism: non-convex, from two boxes whose integrals add.
TriangleMesh l_prism() {
  // Outline in the xy plane, counter-clockwise, extruded from z = 0 to 1.
  const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
  TriangleMesh mesh;
  for (int z = 0; z < 2; ++z)
    for (const auto& p : outline) mesh.vertices.emplace_back(p[0], p[1], z);
  const int caps[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  for (const auto& t : caps) {
    mesh.triangles.push_back({t[0], t[2], t[1]});
    mesh.triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
  }
  for (int i = 0; i < 6; ++i) {
    const int j = (i + 1) % 6;
    mesh.triangles.push_back({i, j, j + 6});
    mesh.triangles.push_back({i, j + 6, i + 6});
  }
  return mesh;
}

TEST(MassProperties, OfANonConvexMeshAddUpFromItsBoxes) {
  const MassProperties mesh = mass_properties(l_prism(), 2);
  const MassProperties a = mass_properties(Box{Vec3(2, 1, 1)}, 2), b = mass_properties(Box{Vec3(1, 2, 1)}, 2);
  const Vec3 ca(1, 0.5, 0.5), cb(0.5, 2, 0.5);
  const Vec3 com = (a.mass * ca + b.mass * cb) / (a.mass + b.mass);
  const auto shifted = [&](const MassProperties& m, const Vec3& c) -> Mat3 {
    const Vec3 d = c - com;
    return m.inertia + m.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  };
  EXPECT_NEAR(mesh.mass, 8, 1e-14);
  EXPECT_LT((mesh.com - com).norm(), 1e-15);
  EXPECT_LT((mesh.inertia - shifted(a, ca) - shifted(b, cb)).norm(), 1e-14);
}

TEST(MassProperties, LoseNoDigitsFarFromTheOrigin) {
  TriangleMesh near = l_prism(), far = l_prism();
  for (Vec3& v : near.vertices) v *= 0.0078125;  // powers of two keep the coordinates exact
  far.vertices = near.vertices;
  for (Vec3& v : far.vertices) v += Vec3(1024, -512, 2048);
  const MassProperties a = mass_properties(near, 1), b = mass_properties(far, 1);
  EXPECT_NEAR(b.mass, a.mass, 1e-13 * a.mass);
  EXPECT_LT((b.inertia - a.inertia).norm(), 1e-9 * a.inertia.norm());
}

TEST(MassProperties, RefuseWhatHasNoMass) {
  EXPECT_THROW(mass_properties(HalfSpace{}, 1), InvalidInput);
  EXPECT_THROW(mass_properties(Sphere{0}, 1), InvalidInput);
  EXPECT_THROW(mass_properties(Sphere{1}, -1), InvalidInput);
  EXPECT_THROW(mass_properties(Box{Vec3(1, std::nan(""), 1)}, 1), InvalidInput);
  EXPECT_THROW(mass_properties(TriangleMesh{.file = "cup.obj", .vertices = {}, .triangles = {}}, 1),
               InvalidInput);
  TriangleMesh inside_out = l_prism();
  for (auto& t : inside_out.triangles) std::swap(t[0], t[1]);
  EXPECT_THROW(mass_properties(inside_out, 1), InvalidInput);
  EXPECT_THROW(mass_properties(ConvexHull{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0)}}, 1),
               InvalidInput);
}

}  // namespace
}  // namespace jade
