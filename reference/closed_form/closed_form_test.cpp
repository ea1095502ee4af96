#include <cmath>

#include <gtest/gtest.h>

#include "jade/math/rotation.h"
#include "reference/closed_form/elliptic.h"
#include "reference/closed_form/free_rotation.h"
#include "reference/closed_form/pendulum.h"

// Closed forms are checked against plain integration of the equations of motion: fourth-order Runge-Kutta with
// steps so small that its error (about 1e-12 here, seen by halving the step) is below the tolerances.

namespace jade::closed_form {
namespace {

constexpr double kTolerance = 1e-10;  // hundred times the integration's own error

template <class Vector, class Rate>
Vector integrate(Vector x, double duration, int steps, const Rate& rate) {
  const double h = duration / steps;
  for (int i = 0; i < steps; ++i) {
    const Vector a = rate(x), b = rate(Vector(x + h / 2 * a)), c = rate(Vector(x + h / 2 * b)),
                 d = rate(Vector(x + h * c));
    x += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return x;
}

TEST(Jacobi, IsTrigonometryAtModulusZeroAndNearlyHyperbolicAtOne) {
  for (const double u : {-7.0, -0.3, 0.0, 0.9, 12.5}) {
    const Jacobi j = jacobi(u, 0);
    EXPECT_NEAR(j.sn, std::sin(u), 1e-14);
    EXPECT_NEAR(j.cn, std::cos(u), 1e-14);
    EXPECT_EQ(j.dn, 1);
  }
  // At 1 − k = 1e-12 the functions differ from tanh and sech by about 1e-12 e^{2u}.
  EXPECT_NEAR(jacobi(1.5, 1 - 1e-12).sn, std::tanh(1.5), 1e-10);
  EXPECT_NEAR(jacobi(1.5, 1 - 1e-12).cn, 1 / std::cosh(1.5), 1e-10);
}

TEST(Jacobi, SolvesItsDifferentialEquation) {
  for (const double k : {0.1, 0.7, 0.99}) {
    const Vec3 end = integrate(Vec3(0, 1, 1), 5.0, 20000, [k](const Vec3& x) {
      return Vec3(x[1] * x[2], -x[0] * x[2], -k * k * x[0] * x[1]);
    });
    const Jacobi j = jacobi(5.0, k);
    EXPECT_LT((end - Vec3(j.sn, j.cn, j.dn)).norm(), kTolerance) << k;
  }
}

TEST(Jacobi, ReturnsAfterFourQuarterPeriods) {
  const Jacobi j = jacobi(4 * quarter_period(0.8) + 0.3, 0.8), first = jacobi(0.3, 0.8);
  EXPECT_NEAR(j.sn, first.sn, 1e-14);
  EXPECT_NEAR(jacobi(quarter_period(0.8), 0.8).sn, 1, 1e-15);
}

TEST(Pendulum, FollowsItsEquationOfMotion) {
  const Pendulum pendulum{.rate = 3.1, .amplitude = 2.9};
  const Vec2 end = integrate(Vec2(2.9, 0), 4.0, 40000,
                             [](const Vec2& x) { return Vec2(x[1], -3.1 * 3.1 * std::sin(x[0])); });
  EXPECT_NEAR(pendulum.angle(4.0), end[0], kTolerance);
  EXPECT_NEAR(pendulum.angle_rate(4.0), end[1], kTolerance);
}

TEST(Pendulum, HasThePeriodOfSmallSwingsWhenItSwingsLittle) {
  const Pendulum pendulum{.rate = 2, .amplitude = 1e-5};
  EXPECT_NEAR(pendulum.period(), std::acos(-1.0), 1e-10);  // corrections are amplitude²/16
}

TEST(SymmetricTop, FollowsEulersEquations) {
  const SymmetricTop top{.transverse = 2,
                         .axial = 0.7,
                         .R0 = rotation_exp(Vec3(0.3, -1, 0.4)),
                         .angular_velocity = Vec3(0.5, -0.2, 9)};
  const Vec3 I(2, 2, 0.7);
  using State = Eigen::Matrix<double, 7, 1>;
  const Quat q0(top.R0);
  State x;
  x << q0.w(), q0.vec(), top.angular_velocity;
  x = integrate(x, 3.0, 60000, [&](const State& s) {
    const Vec3 w = s.tail<3>();
    const Quat turn = Quat(s[0], s[1], s[2], s[3]) * Quat(0, w.x() / 2, w.y() / 2, w.z() / 2);
    const Vec3 rate = -w.cross(Vec3(I.cwiseProduct(w))).cwiseQuotient(I);
    State r;
    r << turn.w(), turn.vec(), rate;
    return r;
  });
  const Mat3 R = Quat(x[0], x[1], x[2], x[3]).normalized().toRotationMatrix();
  EXPECT_LT((top.orientation(3.0) - R).norm(), kTolerance);
  EXPECT_LT((top.angular_velocity_at(3.0) - R * x.tail<3>()).norm(), kTolerance);
}

TEST(MiddleAxisFlip, FollowsEulersEquationsThroughTheFlip) {
  const MiddleAxisFlip flip{.inertia = Vec3(1, 2, 3.5), .middle = 5, .major = 0.01};
  const auto euler = [&](const Vec3& w) -> Vec3 {
    return -w.cross(Vec3(flip.inertia.cwiseProduct(w))).cwiseQuotient(flip.inertia);
  };
  EXPECT_LT((flip.body_angular_velocity(0) - Vec3(0, 5, 0.01)).norm(), 1e-13);
  const double T = flip.flip_time();
  const Vec3 middle = integrate(Vec3(0, 5, 0.01), 0.55 * T, 40000, euler);
  EXPECT_LT((flip.body_angular_velocity(0.55 * T) - middle).norm(),
            1e-8);  // errors grow like 1/0.01 in a flip
  const Vec3 after = integrate(Vec3(0, 5, 0.01), T, 80000, euler);
  EXPECT_LT((flip.body_angular_velocity(T) - after).norm(), 1e-8);
  EXPECT_NEAR(after.y(), -5, 1e-4);
}

}  // namespace
}  // namespace jade::closed_form
