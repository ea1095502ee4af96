#include "jade/geometry/contact_points.h"

#include <cmath>
#include <map>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "jade/geometry/test_meshes.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

using std::numbers::pi;

constexpr double kGap = 1e-5;
constexpr double kLimit = 1e-3;

Transform at(double x, double y, double z, const Mat3& R = Mat3::Identity()) { return {R, Vec3(x, y, z)}; }
Mat3 yaw(double angle) { return rotation_exp(Vec3(0, 0, angle)); }
Mat3 pitch(double angle) { return rotation_exp(Vec3(0, angle, 0)); }

std::vector<ContactPoint> contacts(const PreparedShape& a, const Transform& X_WA, const PreparedShape& b,
                                   const Transform& X_WB, double limit = kLimit) {
  return contact_points({a, X_WA}, {b, X_WB}, limit);
}

/// Every contact straight up, with the same gap; both ways round.
void expect_flat(const PreparedShape& below, const Transform& X_WA, const PreparedShape& above,
                 const Transform& X_WB, std::size_t count) {
  const auto up = contacts(below, X_WA, above, X_WB), down = contacts(above, X_WB, below, X_WA);
  EXPECT_EQ(up.size(), count);
  EXPECT_EQ(down.size(), count);
  for (const auto& c : up) {
    EXPECT_EQ(c.at.normal, Vec3::UnitZ());
    EXPECT_NEAR(c.at.gap, kGap, 1e-15);
    EXPECT_NEAR((c.at.p_B - c.at.p_A - c.at.gap * c.at.normal).norm(), 0, 1e-15);
  }
  for (const auto& c : down) EXPECT_EQ(c.at.normal, -Vec3::UnitZ());
}

TEST(ContactPoints, OfABoxOnATableAreItsFourCornersHoweverTheTableIsMeshed) {
  const PreparedShape box{Box{Vec3(0.1, 0.2, 0.1)}};
  for (const int n : {1, 8, 32})  // 2, 128 and 2048 triangles on top
    expect_flat(PreparedShape{test_meshes::table(Vec3(1, 1, 0.25), n)}, at(0, 0, -0.25), box,
                at(0.53, 0.47, 0.05 + kGap, yaw(0.3)), 4);
  expect_flat(PreparedShape{Box{Vec3(1, 1, 0.25)}}, at(0.5, 0.5, -0.125), box, at(0.53, 0.47, 0.05 + kGap),
              4);
  expect_flat(PreparedShape{HalfSpace{}}, at(0, 0, 0), box, at(0.53, 0.47, 0.05 + kGap, yaw(0.3)), 4);
  // A table that is not convex, and a box as a mesh.
  expect_flat(PreparedShape{test_meshes::l_prism()}, at(0, 0, -1), box, at(0.53, 0.47, 0.05 + kGap, yaw(0.3)),
              4);
  expect_flat(PreparedShape{test_meshes::l_prism()}, at(0, 0, -1),
              PreparedShape{test_meshes::table(Vec3(0.25, 0.25, 0.25), 4)}, at(0.53, 0.47, kGap), 4);
}

TEST(ContactPoints, OfStackedBoxes) {
  const PreparedShape cube{Box{Vec3(1, 1, 1)}}, small{Box{Vec3(0.5, 0.5, 0.5)}};
  expect_flat(cube, at(0, 0, -0.5), cube, at(0, 0, 0.5 + kGap), 4);
  expect_flat(cube, at(0, 0, -0.5), small, at(0, 0, 0.25 + kGap), 4);
  expect_flat(cube, at(0, 0, -0.5), cube, at(0.3, 0.1, 0.5 + kGap), 4);
  expect_flat(cube, at(0, 0, -0.5), cube, at(0.3, 0, 0.5 + kGap), 4);
  for (const double angle : {pi / 4, 0.3, 0.01, 1e-3}) {
    const auto found = contacts(cube, at(0, 0, -0.5), cube, at(0, 0, 0.5 + kGap, yaw(angle)));
    EXPECT_EQ(found.size(), 8u) << angle;
    // The cross product of two rounded edges is good to rounding over the sine of their angle.
    for (const auto& c : found) {
      EXPECT_LT((c.at.normal - Vec3::UnitZ()).norm(), 1e-15 / std::sin(angle)) << angle;
      EXPECT_NEAR(c.at.gap, kGap, 1e-12);
    }
  }
  // Almost parallel edges: their crossings are not worth a normal, the corners beside them are.
  expect_flat(cube, at(0, 0, -0.5), cube, at(0, 0, 0.5 + kGap, yaw(1e-5)), 4);
}

TEST(ContactPoints, OfCrossedPlanksAreFour) {
  const PreparedShape plank{Box{Vec3(1, 0.1, 0.05)}};
  expect_flat(plank, at(0, 0, -0.025), plank, at(0.1, 0.03, 0.025 + kGap, yaw(pi / 2)), 4);
}

TEST(ContactPoints, OfAPlateOverARimAreTwoCornersAndTwoCrossings) {
  const PreparedShape table{Box{Vec3(1, 1, 1)}}, plate{Box{Vec3(0.5, 0.2, 0.01)}};
  const auto found = contacts(table, at(0, 0, -0.5), plate, at(0.5, 0, 0.005 + kGap));
  ASSERT_EQ(found.size(), 4u);
  int crossings = 0;
  for (const auto& c : found) {
    crossings += c.a.kind == Feature::Kind::line && c.b.kind == Feature::Kind::line;
    EXPECT_EQ(c.at.normal, Vec3::UnitZ());
  }
  EXPECT_EQ(crossings, 2);
}

TEST(ContactPoints, OfAPrismAreItsCorners) {
  for (const int n : {3, 4, 6, 12}) {
    ConvexHull prism;
    for (int i = 0; i < n; ++i)
      for (const double z : {0.0, 0.25})
        prism.points.emplace_back(0.2 * std::cos(2 * pi * i / n), 0.2 * std::sin(2 * pi * i / n), z);
    expect_flat(PreparedShape{Box{Vec3(2, 2, 1)}}, at(0, 0, -0.5), PreparedShape{prism}, at(0, 0, kGap), n);
    expect_flat(PreparedShape{HalfSpace{}}, at(0, 0, 0), PreparedShape{prism}, at(0, 0, kGap), n);
  }
}

TEST(ContactPoints, OfAThinPlateAreOnItsLowerSideOnly) {
  const PreparedShape table{Box{Vec3(1, 1, 1)}}, plate{Box{Vec3(0.5, 0.2, 1e-4)}};
  expect_flat(table, at(0, 0, -0.5), plate, at(0, 0, 5e-5 + kGap), 4);
  expect_flat(PreparedShape{HalfSpace{}}, at(0, 0, 0), plate, at(0, 0, 5e-5 + kGap), 4);
  // A cube above a thin plate touches its upper side only.
  expect_flat(plate, at(0, 0, -5e-5), PreparedShape{Box{Vec3(0.1, 0.1, 0.1)}}, at(0, 0, 0.05 + kGap), 4);
}

TEST(ContactPoints, OfATiltedBoxStayFourNearTheGround) {
  const PreparedShape box{Box{Vec3(0.1, 0.1, 0.1)}}, ground{HalfSpace{}};
  const double tilt = 1e-3;
  const double z = 0.05 * (std::cos(tilt) + std::sin(tilt)) + kGap;
  EXPECT_EQ(contacts(ground, at(0, 0, 0), box, at(0, 0, z, pitch(tilt))).size(), 4u);
  // Far over, only the lower edge.
  const double steep = 0.3, z2 = 0.05 * (std::cos(steep) + std::sin(steep)) + kGap;
  EXPECT_EQ(contacts(ground, at(0, 0, 0), box, at(0, 0, z2, pitch(steep))).size(), 2u);
}

TEST(ContactPoints, OfASphereIsOneWhereverItTouches) {
  const PreparedShape box{Box{Vec3(1, 1, 1)}}, ball{Sphere{0.1}}, ground{HalfSpace{}};
  const double r = 0.1 + kGap;
  const Vec3 places[] = {Vec3(0.2, 0.1, 0.5) + r * Vec3::UnitZ(),
                         Vec3(0.5, 0.1, 0.5) + r * Vec3(1, 0, 1).normalized(),
                         Vec3(0.5, 0.5, 0.5) + r * Vec3(1, 1, 1).normalized()};
  const Vec3 normals[] = {Vec3::UnitZ(), Vec3(1, 0, 1).normalized(), Vec3(1, 1, 1).normalized()};
  for (int i = 0; i < 3; ++i) {
    const auto found = contacts(box, at(0, 0, 0), ball, {Mat3::Identity(), places[i]});
    ASSERT_EQ(found.size(), 1u) << i;
    EXPECT_LT((found[0].at.normal - normals[i]).norm(), 1e-14);
    EXPECT_NEAR(found[0].at.gap, kGap, 1e-15);
  }
  EXPECT_EQ(contacts(ground, at(0, 0, 0), ball, at(3, 4, r)).size(), 1u);
  EXPECT_EQ(contacts(ball, at(0, 0, 0), ball, at(0, 0, 2 * r - kGap)).size(), 1u);
  // In the corner of an L: both walls.
  const PreparedShape l{test_meshes::l_prism()};
  EXPECT_EQ(contacts(l, at(0, 0, 0), ball, at(1 + r, 1 + r, 0.5)).size(), 2u);
}

TEST(ContactPoints, OfACapsule) {
  const PreparedShape capsule{Capsule{0.1, 0.3}}, box{Box{Vec3(2, 2, 1)}}, ground{HalfSpace{}};
  const Mat3 lying = pitch(pi / 2);
  for (const PreparedShape* floor : {&box, &ground}) {
    const Transform X = floor == &box ? at(0, 0, -0.5) : at(0, 0, 0);
    EXPECT_EQ(contacts(*floor, X, capsule, at(0, 0, 0.1 + kGap, lying)).size(), 2u);
    EXPECT_EQ(contacts(*floor, X, capsule, at(0, 0, 0.4 + kGap)).size(), 1u);
  }
  EXPECT_EQ(contacts(box, at(0, 0, -0.5), capsule, at(1, 0, 0.1 + kGap, lying)).size(), 2u);  // over the rim
  EXPECT_EQ(contacts(capsule, at(0, 0, 0, lying), capsule, at(0.1, 0, 0.2 + kGap, lying)).size(), 2u);
  EXPECT_EQ(contacts(capsule, at(0, 0, 0, lying), capsule, at(0.1, 0, 0.2 + kGap, yaw(1) * lying)).size(),
            1u);
}

TEST(ContactPoints, OfACylinder) {
  const PreparedShape cylinder{Cylinder{0.1, 0.3}}, box{Box{Vec3(2, 2, 1)}}, ground{HalfSpace{}};
  for (const PreparedShape* floor : {&box, &ground}) {
    const Transform X = floor == &box ? at(0, 0, -0.5) : at(0, 0, 0);
    expect_flat(*floor, X, cylinder, at(0, 0, 0.3 + kGap), 4);
    EXPECT_EQ(contacts(*floor, X, cylinder, at(0, 0, 0.1 + kGap, pitch(pi / 2))).size(), 2u);
    const double tilt = 0.4, z = 0.3 * std::cos(tilt) + 0.1 * std::sin(tilt) + kGap;
    const auto found = contacts(*floor, X, cylinder, at(0, 0, z, pitch(tilt)));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].at.gap, kGap, 1e-15);
  }
  // Side by side: the ends of the part that both have.
  EXPECT_EQ(contacts(cylinder, at(0, 0, 0), cylinder, at(0.2 + kGap, 0, 0.1)).size(), 2u);
  EXPECT_EQ(contacts(cylinder, at(0, 0, 0), cylinder, at(0.2 + kGap, 0, 0)).size(), 2u);
  EXPECT_EQ(
      contacts(cylinder, at(0, 0, 0), cylinder, at(0.2 + kGap, 0, 0, rotation_exp(Vec3(0.5, 0, 0)))).size(),
      1u);
  // A small box on the end of a cylinder.
  expect_flat(cylinder, at(0, 0, -0.3), PreparedShape{Box{Vec3(0.1, 0.1, 0.1)}}, at(0, 0, 0.05 + kGap), 4);
}

/// A cylinder that leans by a micrometre over its radius stands on four places of its rim, and on its lowest one where these are
/// all well above it: on the floor, which has no places of its own that would slip away under it.
TEST(ContactPoints, OfACylinderThatHardlyLeansReachItsLowestPlace) {
  const double r = 0.1, half = 0.3, tilt = 3e-6;
  const PreparedShape cylinder{Cylinder{r, half}}, box{Box{Vec3(2, 2, 1)}}, ground{HalfSpace{}};
  for (const PreparedShape* floor : {&box, &ground}) {
    const Transform X = floor == &box ? at(0, 0, -0.5) : at(0, 0, 0);
    // Half-way between two of the four places.
    const Vec3 down = Vec3(1, 1, 0).normalized();
    const Transform leaning{rotation_exp(tilt * Vec3::UnitZ().cross(down)),
                            Vec3(0, 0, half * std::cos(tilt) + r * std::sin(tilt) + kGap)};
    const auto found = contacts(*floor, X, cylinder, leaning);
    double lowest = kLimit;
    for (const ContactPoint& c : found) {
      EXPECT_EQ(c.at.normal, Vec3::UnitZ());
      EXPECT_EQ(c.a.kind, Feature::Kind::plane);
      lowest = std::min(lowest, c.at.gap);
    }
    EXPECT_EQ(found.size(), 5u);
    EXPECT_NEAR(lowest, kGap, 1e-15);
  }
}

/// A ball beside the rim of a cylinder is a ball there and no place on its surface, which would turn with it; the rim is its
/// tangent.
TEST(ContactPoints, OfABallBesideARimAreItsCentreAndATangent) {
  constexpr double r = 0.1, half = 0.15, ball_radius = 0.05;
  const PreparedShape cylinder{Cylinder{r, half}}, ball{Sphere{ball_radius}};
  const Vec3 rim = yaw(0.7) * Vec3(r, 0, half), out = (yaw(0.7) * Vec3(1, 0, 1)).normalized();
  const auto found =
      contacts(cylinder, at(0, 0, 0), ball, {yaw(0.2) * pitch(1.1), rim + (ball_radius + kGap) * out});
  ASSERT_EQ(found.size(), 1);
  const ContactPoint& c = found[0];
  EXPECT_EQ(c.a.kind, Feature::Kind::line);
  EXPECT_EQ(c.b.kind, Feature::Kind::point);
  EXPECT_EQ(c.a.radius, 0);
  EXPECT_EQ(c.b.radius, ball_radius);
  EXPECT_LT(c.b.point.norm(), 1e-15);
  EXPECT_LT(c.a.direction.cross(Vec3(yaw(0.7).col(1))).norm(), 1e-9);
  EXPECT_LT((c.at.normal - out).norm(), 1e-9);
  EXPECT_NEAR(c.at.gap, kGap, 1e-12);
}

TEST(ContactPoints, OfRidgeOnRidgeAreAtLeastTheNearestPoints) {
  const PreparedShape box{Box{Vec3(1, 1, 1)}};
  const Mat3 on_edge = rotation_exp(Vec3(pi / 4, 0, 0));
  const double half = std::sqrt(0.5);
  const auto found = contacts(box, at(0, 0, -half, on_edge), box, at(0.2, 0, half + kGap, on_edge));
  ASSERT_GE(found.size(), 1u);
  for (const auto& c : found) {
    EXPECT_LT((c.at.normal - Vec3::UnitZ()).norm(), 1e-9);
    EXPECT_NEAR(c.at.gap, kGap, 1e-14);
  }
}

rc::Gen<double> real(double size) {
  return rc::gen::map(rc::gen::inRange(-1000, 1001), [size](int i) { return size * i / 1000; });
}
Vec3 any_vector(double size) { return {*real(size), *real(size), *real(size)}; }

PreparedShape any_shape() {
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return PreparedShape{Sphere{0.3}};
    case 1:
      return PreparedShape{Capsule{0.1, 0.3}};
    case 2:
      return PreparedShape{Box{Vec3(0.4, 0.6, 1e-4)}};
    case 3:
      return PreparedShape{Cylinder{0.2, 0.3}};
    case 4:
      return PreparedShape{ConvexHull{{Vec3(0, 0, 0), Vec3(0.5, 0, 0), Vec3(0, 0.6, 0), Vec3(0, 0.1, 0.7)}}};
    default:
      return PreparedShape{Box{Vec3(0.5, 0.4, 0.3)}};
  }
}

struct NearPair {
  PreparedShape a, b;
  Transform X_WA, X_WB;
};

/// Two shapes in random poses, moved together until they are almost in contact; often with an axis in common.
NearPair any_near_pair() {
  NearPair pair{any_shape(), any_shape(), {}, {}};
  pair.X_WA = {rotation_exp(any_vector(3)), any_vector(1)};
  pair.X_WB.R = *rc::gen::arbitrary<bool>() ? rotation_exp(any_vector(3))
                                            : Mat3(pair.X_WA.R * rotation_exp(*real(3) * Vec3::UnitZ()));
  pair.X_WB.p = pair.X_WA.p + 3 * (rotation_exp(any_vector(3)) * Vec3::UnitX());
  const DistanceResult far = distance({pair.a, pair.X_WA}, {pair.b, pair.X_WB});
  pair.X_WB.p -= (far.distance - kGap) * far.normal;
  return pair;
}

RC_GTEST_PROP(ContactPoints, ReachTheDistanceAndNoneIsNearer, ()) {
  const NearPair pair = any_near_pair();
  ContactFinder finder;
  std::vector<ContactPoint> found;
  finder.find({pair.a, pair.X_WA}, {pair.b, pair.X_WB}, kLimit, found);
  RC_ASSERT(!found.empty());
  double least = 1;
  for (const auto& c : found) {
    least = std::min(least, c.at.gap);
    RC_ASSERT(std::abs(c.at.normal.norm() - 1) < 1e-14);
    RC_ASSERT((c.at.p_A + c.at.gap * c.at.normal - c.at.p_B).norm() < 1e-7);
  }
  RC_ASSERT(least <= finder.distance().distance + 1e-3 * kLimit);
  // A foot may lie beside its face by 1e-4 of the smaller size (below 0.5 here) when the face looks at the other shape
  // up to a sine of 1e-3: the gap over its plane is shorter by the product at most.
  RC_ASSERT(least >= finder.distance().lower_bound - 0.5e-7);
}

RC_GTEST_PROP(ContactPoints, AreTheSameSeenFromTheOtherSide, ()) {
  const NearPair pair = any_near_pair();
  const auto ab = contacts(pair.a, pair.X_WA, pair.b, pair.X_WB),
             ba = contacts(pair.b, pair.X_WB, pair.a, pair.X_WA);
  RC_ASSERT(ab.size() == ba.size());
  for (const auto& c : ab) {
    double least = 1;
    for (const auto& d : ba)
      least = std::min(least, (c.at.p_A - d.at.p_B).norm() + (c.at.normal + d.at.normal).norm());
    RC_ASSERT(least < 1e-4);
  }
}

bool is_rim(const Feature& feature, const PreparedShape& shape) {
  return shape.core().kind == ConvexCore::Kind::cylinder && feature.kind == Feature::Kind::line &&
         feature.radius == 0;
}

RC_GTEST_PROP(ContactPoints, GapsChangeAsTheNormalSays, ()) {
  const NearPair pair = any_near_pair();
  const Vec3 v = any_vector(1), omega = any_vector(1);
  const auto moved = [&](double s) {
    std::map<std::pair<int, int>, double> gaps;
    const Mat3 turn = rotation_exp(s * omega);
    for (const auto& c : contacts(pair.a, pair.X_WA, pair.b, {turn * pair.X_WB.R, pair.X_WB.p + s * v}))
      gaps[{c.a.id, c.b.id}] = c.at.gap;
    return gaps;
  };
  // Small against the gap, over which the direction between two corners turns; gaps are known to 1e-15.
  const double s = 1e-9;
  const auto before = moved(-s), after = moved(s);
  for (const auto& c : contacts(pair.a, pair.X_WA, pair.b, pair.X_WB)) {
    const std::pair<int, int> names(c.a.id, c.b.id);
    // Nearest points without a feature, and the place on a rim, are only where the distance query left them: known to
    // 1e-12, which is too coarse for this step.
    if (c.a.id >= 65534 || c.b.id >= 65534 || is_rim(c.a, pair.a) || is_rim(c.b, pair.b)) continue;
    if (!before.count(names) || !after.count(names)) continue;
    const double rate = c.at.normal.dot(v + omega.cross(c.at.p_B - pair.X_WB.p));
    const double measured = (after.at(names) - before.at(names)) / (2 * s);
    RC_ASSERT(std::abs(measured - rate) < 3e-6);
  }
}

}  // namespace
}  // namespace jade
