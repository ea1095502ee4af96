#include "jade/math/rotation.h"

#include <cmath>

namespace jade {
namespace {

// Below this angle four terms of each series are exact to rounding (t⁸/9! < 1e-17), and the closed forms of
// the higher coefficients begin to cancel.
constexpr double kSmallAngle = 0.05;

struct Coefficients {
  double a;  // sin t / t
  double b;  // (1 − cos t) / t²
  double c;  // (t − sin t) / t³
};

Coefficients coefficients(double t) {
  if (t < kSmallAngle) {
    const double u = t * t;
    return {1 - u / 6 * (1 - u / 20 * (1 - u / 42)), 0.5 - u / 24 * (1 - u / 30 * (1 - u / 56)),
            1.0 / 6 - u / 120 * (1 - u / 42 * (1 - u / 72))};
  }
  const double half = std::sin(0.5 * t);
  return {std::sin(t) / t, 2 * half * half / (t * t), (t - std::sin(t)) / (t * t * t)};
}

}  // namespace

Mat3 rotation_exp(const Vec3& theta) {
  const auto [a, b, c] = coefficients(theta.norm());
  const Mat3 s = skew(theta);
  return Mat3::Identity() + a * s + b * (s * s);
}

Quat quaternion_exp(const Vec3& theta) {
  const double t = theta.norm();
  const double half_sinc = 0.5 * coefficients(0.5 * t).a;
  const Vec3 xyz = half_sinc * theta;
  return Quat(std::cos(0.5 * t), xyz.x(), xyz.y(), xyz.z());
}

Vec3 rotation_log(const Quat& q) {
  // The short way round: q and −q are the same rotation.
  const double sign = q.w() < 0 ? -1.0 : 1.0;
  const Vec3 xyz = sign * q.vec();
  const double n = xyz.norm(), w = sign * q.w();
  if (n == 0) return Vec3::Zero();
  return 2 * std::atan2(n, w) / n * xyz;
}

Vec3 rotation_log(const Mat3& R) { return rotation_log(Quat(R)); }

Mat3 rotation_left_jacobian(const Vec3& theta) {
  const auto [a, b, c] = coefficients(theta.norm());
  const Mat3 s = skew(theta);
  return Mat3::Identity() + b * s + c * (s * s);
}

}  // namespace jade
