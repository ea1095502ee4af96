#include "jade/geometry/time_of_impact.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "jade/geometry/test_meshes.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

using Status = TimeOfImpactResult::Status;

/// Reals that shrink towards 0, in steps of a thousandth.
rc::Gen<double> real(double size) {
  return rc::gen::map(rc::gen::inRange(-1000, 1001), [size](int i) { return size * i / 1000; });
}

Vec3 any_vector(double size) { return {*real(size), *real(size), *real(size)}; }

Shape any_shape() {
  const auto length = [](double low, double high) {
    return low + (high - low) * *rc::gen::inRange(0, 101) / 100;
  };
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return Sphere{length(0.05, 0.5)};
    case 1:
      return Capsule{length(0.05, 0.2), length(0.1, 0.5)};
    case 2:
      return Box{Vec3(length(0.1, 1), length(0.1, 1), length(1e-4, 0.5))};
    case 3:
      return Cylinder{length(0.05, 0.5), length(0.05, 0.5)};
    default: {
      ConvexHull hull;
      for (const Vec3& p : {Vec3(0, 0, 0), Vec3(0.4, 0, 0), Vec3(0, 0.4, 0), Vec3(0, 0, 0.4)})
        hull.points.push_back(p);
      hull.points.push_back(Vec3(0.4, 0.4, 0.4) + any_vector(0.2));
      return hull;
    }
  }
}

struct World {
  PreparedShape a, b;
  Transform X_WA, X_WB;
  RigidPath path_a, path_b;
  double duration;

  RigidMotion motion_a() const { return {a.core(), X_WA, path_a, duration}; }
  RigidMotion motion_b() const { return {b.core(), X_WB, path_b, duration}; }
  double gap(double s) const {
    const Transform at_a = motion_a().at(s).X, at_b = motion_b().at(s).X;
    return distance({a, at_a}, {b, at_b}).distance;
  }
};

RigidPath any_path(const Vec3& at) {
  RigidPath path;
  path.c = at + any_vector(0.2);
  path.v = any_vector(20);
  path.a = any_vector(50);
  path.omega = any_vector(*rc::gen::element(0.0, 5.0, 50.0, 200.0));
  path.alpha = any_vector(*rc::gen::element(0.0, 0.0, 1000.0));
  return path;
}

/// Two shapes apart (no shape reaches farther than 1.05 from its origin) whose centres come close within the step,
/// so that most of them hit.
World any_world() {
  World world{PreparedShape(any_shape()), PreparedShape(any_shape()), {}, {}, {}, {}, 0};
  world.X_WA = {rotation_exp(any_vector(3)), any_vector(1)};
  world.X_WB = {rotation_exp(any_vector(3)),
                world.X_WA.p + (2.1 + std::abs(*real(1))) * (rotation_exp(any_vector(3)) * Vec3::UnitX())};
  world.path_a = any_path(world.X_WA.p);
  world.path_b = any_path(world.X_WB.p);
  world.duration = *rc::gen::element(0.005, 0.05);
  const Vec3 miss = any_vector(0.5);
  world.path_b.v = world.path_a.v + (world.path_a.c - world.path_b.c + miss) / world.duration;
  return world;
}

constexpr double kTarget = 1e-5;
// What distances near one metre are worth when computed twice.
constexpr double kRounding = 1e-12;

RC_GTEST_PROP(TimeOfImpact, IsNeverLate, ()) {
  const World world = any_world();
  const RigidMotion motion_a = world.motion_a(), motion_b = world.motion_b();
  const TimeOfImpactSettings settings{.duration = world.duration, .target = kTarget};
  const TimeOfImpactResult toi = time_of_impact({world.a, motion_a}, {world.b, motion_b}, settings);
  RC_TAG(toi.status == Status::hit ? "hit" : toi.status == Status::free ? "free" : "stopped");
  RC_ASSERT(toi.status != Status::too_near);
  constexpr int kSamples = 1000;
  for (int i = 0; i <= kSamples; ++i)
    RC_ASSERT(world.gap(toi.time * i / kSamples) >= kTarget - settings.tolerance - kRounding);
}

RC_GTEST_PROP(StaysApart, IsSaidOnlyWhereTheGapStays, ()) {
  World world = any_world();
  // From what hardly moves to what would meet; half of all starts are near each other.
  const double slow = *rc::gen::element(1.0, 0.1, 0.01, 1e-3);
  for (RigidPath* path : {&world.path_a, &world.path_b})
    for (Vec3* rate : {&path->v, &path->a, &path->omega, &path->alpha}) *rate *= slow;
  const Vec3 way = world.X_WB.p - world.X_WA.p;
  if (*rc::gen::arbitrary<bool>()) {
    const Vec3 nearer = (world.gap(0) - 0.02) * way.normalized();
    world.X_WB.p -= nearer;
    world.path_b.c -= nearer;
  }
  const RigidMotion motion_a = world.motion_a(), motion_b = world.motion_b();
  const MotionSample at_a = motion_a.at(0), at_b = motion_b.at(0);
  const DistanceResult d = distance({world.a, at_a.X}, {world.b, at_b.X});
  RC_PRE(d.separated);
  const double level = d.lower_bound * *rc::gen::inRange(0, 100) / 100;
  const bool apart = stays_apart({world.a, motion_a}, {world.b, motion_b},
                                 {at_a, at_b, d.normal, d.lower_bound, level}, world.duration);
  RC_TAG(apart ? "apart" : "not known");
  constexpr int kSamples = 200;
  for (int i = 0; apart && i <= kSamples; ++i)
    RC_ASSERT(world.gap(world.duration * i / kSamples) >= level - kRounding);
}

TEST(StaysApart, IsKnownOfABoxThatSlidesAndNotOfOneThatSinks) {
  const PreparedShape ground(HalfSpace{}), box(Box{Vec3(0.2, 0.2, 0.2)});
  const FixedPose fixed(Transform{});
  const Vec3 up = Vec3::UnitZ();
  const auto stays = [&](const Vec3& v, const Vec3& omega) {
    const Transform X{Mat3::Identity(), Vec3(0, 0, 0.1 + 1e-5)};
    const RigidMotion motion(box.core(), X, {.c = X.p, .v = v, .omega = omega}, 0.01);
    return stays_apart({ground, fixed}, {box, motion}, {fixed.at(0), motion.at(0), up, 1e-5, 2e-6}, 0.01);
  };
  EXPECT_TRUE(stays(Vec3(2, 0, 0), Vec3::Zero()));
  EXPECT_TRUE(stays(Vec3(2, 0, 7e-4), Vec3(0, 0, 10)));
  EXPECT_TRUE(stays(Vec3(0, 0, -7e-4), Vec3::Zero()));
  EXPECT_FALSE(stays(Vec3(0, 0, -9e-4), Vec3::Zero()));
  EXPECT_FALSE(stays(Vec3(0, 0, 0), Vec3(1e-2, 0, 0)));
}

RC_GTEST_PROP(TimeOfImpact, IsEarlyByNoMoreThanTheTolerance, ()) {
  const World world = any_world();
  const RigidMotion motion_a = world.motion_a(), motion_b = world.motion_b();
  const TimeOfImpactSettings settings{.duration = world.duration, .target = kTarget};
  const TimeOfImpactResult toi = time_of_impact({world.a, motion_a}, {world.b, motion_b}, settings);
  RC_TAG(toi.status == Status::hit ? "hit" : "no hit");
  if (toi.status != Status::hit) return;
  RC_ASSERT(std::abs(world.gap(toi.time) - kTarget) <= settings.tolerance + kRounding);
  RC_ASSERT(std::abs((toi.point_B - toi.point_A).norm() - toi.gap) <= 1e-14);
}

RC_GTEST_PROP(TimeOfImpact, SweptBoundsHoldTheShape, ()) {
  const PreparedShape shape(any_shape());
  const Transform X{rotation_exp(any_vector(3)), any_vector(1)};
  const RigidMotion motion(shape.core(), X, any_path(X.p), 0.01);
  const Aabb box = swept_bounds({shape, motion}, 0.01).grown(1e-14);
  for (int i = 0; i <= 100; ++i) {
    const Transform at = motion.at(0.01 * i / 100).X;
    for (int k = 0; k < 3; ++k)
      for (const double sign : {-1.0, 1.0}) {
        const Vec3 d = sign * Vec3::Unit(k);
        const double most = (at * shape.core().support(at.R.transpose() * d)).dot(d) + shape.core().radius;
        RC_ASSERT(most <= (sign > 0 ? box.high[k] : -box.low[k]));
      }
  }
}

RC_GTEST_PROP(Motion, AccelerationsStayAboveTheBound, ()) {
  const PreparedShape shape(any_shape());
  const Transform X{rotation_exp(any_vector(3)), any_vector(1)};
  const RigidMotion motion(shape.core(), X, any_path(X.p), 0.02);
  const Vec3 direction = any_vector(1);
  RC_PRE(direction.norm() > 0.1);
  const Vec3 n = direction.normalized();
  const double bound = motion.least_acceleration(n);
  const Vec3 x = shape.core().support(any_vector(1));
  // Second differences of positions: exact up to s² times the fourth derivative, which grows like |ω|⁴.
  const double s = 1e-5;
  for (int i = 1; i < 20; ++i) {
    const double t = 0.001 * i;
    const double second =
        n.dot(motion.at(t + s).X * x - 2 * (motion.at(t).X * x) + motion.at(t - s).X * x) / (s * s);
    RC_ASSERT(second >= bound - 1e-4 * std::abs(bound) - 1e-2);
  }
}

TEST(Motion, VelocitiesAreTheDerivativesOfPoses) {
  const PreparedShape box{Box{Vec3(1, 2, 3)}};
  const Transform X{rotation_exp(Vec3(1, 2, 3)), Vec3(1, 0, 2)};
  const RigidMotion motion(box.core(), X,
                           {.c = Vec3(1, 1, 1),
                            .v = Vec3(3, 1, 2),
                            .a = Vec3(0, 0, -9),
                            .omega = Vec3(5, 7, 1),
                            .alpha = Vec3(30, -20, 11)},
                           0.5);
  const Vec3 corner(0.5, 1, 1.5);
  const double s = 1e-5;
  for (const double t : {0.1, 0.3}) {
    const MotionSample at = motion.at(t);
    const Vec3 rate = (motion.at(t + s).X * corner - motion.at(t - s).X * corner) / (2 * s);
    // Central differences at 1e-5: rounding 1e-11, truncation s²|ω|³/6 ~ 1e-7.
    EXPECT_LT((at.v + at.omega.cross(at.X * corner - at.X.p) - rate).norm(), 1e-6);
  }
}

TEST(TimeOfImpact, OfAFallingSphereIsThatOfTheParabola) {
  const PreparedShape ball{Sphere{0.1}}, ground{HalfSpace{}};
  const FixedPose floor{Transform{}};
  const Transform X{Mat3::Identity(), Vec3(0, 0, 1.1)};
  const RigidMotion fall(
      ball.core(), X,
      {.c = X.p, .v = Vec3(1, 0, 0), .a = Vec3(0, 0, -9.81), .omega = Vec3(0, 3, 0), .alpha = Vec3::Zero()},
      1);
  const double exact = std::sqrt(2 * (1 - kTarget) / 9.81);
  for (const bool swapped : {false, true}) {
    const TimeOfImpactSettings settings{.duration = 1, .target = kTarget};
    const TimeOfImpactResult toi = swapped ? time_of_impact({ball, fall}, {ground, floor}, settings)
                                           : time_of_impact({ground, floor}, {ball, fall}, settings);
    ASSERT_EQ(toi.status, Status::hit);
    EXPECT_NEAR(toi.time, exact, 1e-15);
    EXPECT_NEAR(toi.gap, kTarget, 1e-15);
    EXPECT_EQ(toi.normal, Vec3(0, 0, swapped ? -1 : 1));
  }
}

TEST(TimeOfImpact, OfATippingBoxIsThatOfItsCorner) {
  // A unit cube turning about y at 1 rad/s with its centre 0.6 above the ground: the corner's height is
  // 0.6 − (cos s + sin s)/2.
  const PreparedShape box{Box{Vec3(1, 1, 1)}}, ground{HalfSpace{}};
  const FixedPose floor{Transform{}};
  const Transform X{Mat3::Identity(), Vec3(0, 0, 0.6)};
  const RigidMotion tip(
      box.core(), X,
      {.c = X.p, .v = Vec3::Zero(), .a = Vec3::Zero(), .omega = Vec3(0, 1, 0), .alpha = Vec3::Zero()}, 1);
  const TimeOfImpactResult toi =
      time_of_impact({ground, floor}, {box, tip}, {.duration = 1, .target = kTarget});
  ASSERT_EQ(toi.status, Status::hit);
  EXPECT_NEAR(std::cos(toi.time) + std::sin(toi.time), 2 * (0.6 - kTarget), 1e-15);
}

TEST(TimeOfImpact, OfAMeshThatComesDownNearlyFlushIsThatOfItsLowestCorner) {
  // An L that leans by 3e-10 either way: its corners are less than a nanometre apart, below the tolerance of the sweep, and each of
  // them is of other triangles.
  const PreparedShape table{Box{Vec3(10, 10, 1)}}, mesh{test_meshes::l_prism()};
  const FixedPose rest{Transform{Mat3::Identity(), Vec3(0, 0, -0.5)}};
  const double target = 1e-5, height = 0.01;
  for (const double tilt : {-3e-10, 3e-10}) {
    const Transform X{rotation_exp(Vec3(0, tilt, 0)), Vec3(0, 0, height)};
    const RigidMotion fall(
        mesh.core(), X,
        {.c = X.p, .v = Vec3(0, 0, -1), .a = Vec3::Zero(), .omega = Vec3::Zero(), .alpha = Vec3::Zero()},
        0.1);
    const TimeOfImpactResult toi =
        time_of_impact({table, rest}, {mesh, fall}, {.duration = 0.1, .target = target});
    ASSERT_EQ(toi.status, Status::hit);
    EXPECT_NEAR(toi.time, height - target - std::max(0.0, 2 * std::sin(tilt)), 1e-12);
  }
}

TEST(TimeOfImpact, OfASlidingBoxIsCertifiedInOneIteration) {
  const PreparedShape box{Box{Vec3(0.1, 0.1, 0.1)}}, table{Box{Vec3(10, 10, 0.1)}};
  const FixedPose rest{Transform{Mat3::Identity(), Vec3(0, 0, -0.05)}};
  const Transform X{Mat3::Identity(), Vec3(0, 0, 0.05 + 1e-6)};
  const RigidMotion slide(
      box.core(), X,
      {.c = X.p, .v = Vec3(2, 0, 0), .a = Vec3(-1.4, 0, 0), .omega = Vec3(0, 0, 5), .alpha = Vec3(0, 0, 3)},
      0.01);
  const TimeOfImpactResult toi =
      time_of_impact({table, rest}, {box, slide}, {.duration = 0.01, .target = 1e-7, .hint = Vec3::UnitZ()});
  EXPECT_EQ(toi.status, Status::free);
  EXPECT_EQ(toi.iterations, 1);
}

TEST(TimeOfImpact, OfAnEdgeThatTurnsAcrossAnotherIsPolishedAndFoundInFewLooks) {
  // Along any fixed direction the ends of the upper edge come down at metres per second, though it meets the lower one in
  // the middle, which hardly moves.
  const PreparedShape bar(Box{Vec3(0.4, 0.1, 0.1)});
  const double half = 0.05 * std::sqrt(2.0), target = 2e-6;
  const Transform lower{rotation_exp(Vec3(0, 0, 0.5 * M_PI)) * rotation_exp(Vec3(0.25 * M_PI, 0, 0)),
                        Vec3::Zero()};
  const Transform upper{rotation_exp(Vec3(0.25 * M_PI, 0, 0)), Vec3(0.03, 0.02, 2 * half + 8e-6)};
  RigidPath path;
  path.c = upper.p;
  path.v = Vec3(0, 0, -0.1);
  path.omega = Vec3(0, 2, 40);
  path.alpha = Vec3(3, 200, 0);
  const double duration = 0.01;
  const RigidMotion moving(bar.core(), upper, path, duration);
  const FixedPose fixed(lower);
  const TimeOfImpactResult toi = time_of_impact(
      {bar, fixed}, {bar, moving},
      {.duration = duration, .target = target, .tolerance = 1e-4 * target, .hint = Vec3::UnitZ()});
  ASSERT_EQ(toi.status, Status::hit);
  EXPECT_NEAR(toi.gap, target, 1e-15);
  EXPECT_LT(toi.iterations, 20);
}

TEST(TimeOfImpact, ThinPlateIsNotTunnelledAt100MetresPerSecond) {
  const PreparedShape cube{Box{Vec3(0.1, 0.1, 0.1)}}, plate{Box{Vec3(1, 1, 0.002)}};
  const FixedPose rest{Transform{}};
  const Transform X{rotation_exp(Vec3(0.3, 0.2, 0.1)), Vec3(0, 0, 1)};
  const RigidMotion shot(
      cube.core(), X,
      {.c = X.p, .v = Vec3(0, 0, -100), .a = Vec3::Zero(), .omega = Vec3(200, 0, 0), .alpha = Vec3::Zero()},
      0.05);
  const TimeOfImpactResult toi =
      time_of_impact({plate, rest}, {cube, shot}, {.duration = 0.05, .target = kTarget});
  ASSERT_EQ(toi.status, Status::hit);
  EXPECT_NEAR(toi.gap, kTarget, 1e-9);
  EXPECT_LT(toi.time, 0.01);
}

RC_GTEST_PROP(TimeOfImpact, OfNonConvexMeshesIsNeverLate, ()) {
  const PreparedShape l(test_meshes::l_prism());
  const PreparedShape other =
      *rc::gen::arbitrary<bool>() ? PreparedShape(test_meshes::channel()) : PreparedShape(any_shape());
  World world{l, other, {}, {}, {}, {}, 0.02};
  world.X_WA = {rotation_exp(any_vector(3)), any_vector(1)};
  world.X_WB = {rotation_exp(any_vector(3)),
                world.X_WA.p + 8 * (rotation_exp(any_vector(3)) * Vec3::UnitX())};
  world.path_a = any_path(world.X_WA.p);
  world.path_b = any_path(world.X_WB.p);
  world.path_b.v = world.path_a.v + (world.path_a.c - world.path_b.c + any_vector(2)) / world.duration;
  const RigidMotion motion_a = world.motion_a(), motion_b = world.motion_b();
  const TimeOfImpactSettings settings{.duration = world.duration, .target = kTarget};
  const TimeOfImpactResult toi = time_of_impact({world.a, motion_a}, {world.b, motion_b}, settings);
  RC_TAG(toi.status == Status::hit ? "hit" : toi.status == Status::free ? "free" : "stopped");
  constexpr int kSamples = 200;
  for (int i = 0; i <= kSamples; ++i)
    RC_ASSERT(world.gap(toi.time * i / kSamples) >= kTarget - settings.tolerance - kRounding);
  if (toi.status == Status::hit)
    RC_ASSERT(std::abs(world.gap(toi.time) - kTarget) <= settings.tolerance + kRounding);
}

TEST(TimeOfImpact, AStartThatIsTooNearIsSaid) {
  const PreparedShape ball{Sphere{0.1}}, ground{HalfSpace{}};
  const FixedPose floor{Transform{}}, low{Transform{Mat3::Identity(), Vec3(0, 0, 0.1 + 1e-6)}};
  const TimeOfImpactResult toi =
      time_of_impact({ground, floor}, {ball, low}, {.duration = 1, .target = kTarget});
  EXPECT_EQ(toi.status, Status::too_near);
  EXPECT_EQ(toi.time, 0);
  EXPECT_NEAR(toi.gap, 1e-6, 1e-15);
}

}  // namespace
}  // namespace jade
