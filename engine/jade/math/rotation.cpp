#include "jade/math/rotation.h"

#include <cmath>

namespace jade {
namespace {

// Below this angle four terms of each series are exact to rounding (t⁸/9! ≈ 1e-16), and the closed forms of
// the higher coefficients begin to cancel. Summed in pairs, without divisions: each of these would wait for the one before.
constexpr double kSmallAngle = 0.05;
constexpr double kSmallSquare = kSmallAngle * kSmallAngle;

// Of u = t².
double small_sinc(double u) { return (1 - u * (1.0 / 6)) + u * u * (1.0 / 120 - u * (1.0 / 5040)); }
double small_cosine(double u) {
  const double uu = u * u;
  return (1 - 0.5 * u) + uu * ((1.0 / 24 - u * (1.0 / 720)) + uu * (1.0 / 40320));
}

struct Coefficients {
  double a;  // sin t / t
  double b;  // (1 − cos t) / t²
  double c;  // (t − sin t) / t³
};

Coefficients coefficients(const Vec3& theta) {
  const double u = theta.squaredNorm();
  if (u < kSmallSquare)
    return {small_sinc(u), (0.5 - u * (1.0 / 24)) + u * u * (1.0 / 720 - u * (1.0 / 40320)),
            (1.0 / 6 - u * (1.0 / 120)) + u * u * (1.0 / 5040 - u * (1.0 / 362880))};
  const double t = std::sqrt(u);
  const double half = std::sin(0.5 * t);
  return {std::sin(t) / t, 2 * half * half / (t * t), (t - std::sin(t)) / (t * t * t)};
}

}  // namespace

Mat3 rotation_exp(const Vec3& theta) {
  const auto [a, b, c] = coefficients(theta);
  const Mat3 s = skew(theta);
  return Mat3::Identity() + a * s + b * (s * s);
}

Quat quaternion_exp(const Vec3& theta) {
  const double u = 0.25 * theta.squaredNorm();  // of half the angle
  const bool small = u < kSmallSquare;
  const double half = small ? 0 : std::sqrt(u);
  const Vec3 xyz = (0.5 * (small ? small_sinc(u) : std::sin(half) / half)) * theta;
  return Quat(small ? small_cosine(u) : std::cos(half), xyz.x(), xyz.y(), xyz.z());
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
  const auto [a, b, c] = coefficients(theta);
  const Mat3 s = skew(theta);
  return Mat3::Identity() + b * s + c * (s * s);
}

}  // namespace jade
