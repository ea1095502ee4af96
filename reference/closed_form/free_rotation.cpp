#include "reference/closed_form/free_rotation.h"

#include <cmath>

#include "jade/math/rotation.h"
#include "reference/closed_form/elliptic.h"

namespace jade::closed_form {
namespace {

struct FlipConstants {
  Vec3 amplitude;
  double rate, k;
};

FlipConstants constants_of(const MiddleAxisFlip& flip) {
  const double i1 = flip.inertia[0], i2 = flip.inertia[1], i3 = flip.inertia[2];
  const double w2 = flip.middle, w3 = flip.major;
  // Differences of E and L written out for ω₁ = 0, so that no digits cancel when `major` is small.
  const double p = i2 * (i3 - i2) * w2 * w2;                             // 2E I₃ − L²
  const double r = i2 * (i2 - i1) * w2 * w2 + i3 * (i3 - i1) * w3 * w3;  // L² − 2E I₁
  return {{std::sqrt(p / (i1 * (i3 - i1))), std::sqrt(p / (i2 * (i3 - i2))), std::sqrt(r / (i3 * (i3 - i1)))},
          std::sqrt((i3 - i2) * r / (i1 * i2 * i3)),
          std::sqrt((i2 - i1) * p / ((i3 - i2) * r))};
}

}  // namespace

Mat3 SymmetricTop::orientation(double t) const {
  const Vec3 L = R0 * Vec3(transverse, transverse, axial).cwiseProduct(angular_velocity);
  const double spin = (1 - axial / transverse) * angular_velocity.z();
  return rotation_exp(t / transverse * L) * R0 * rotation_exp(t * spin * Vec3::UnitZ());
}

Vec3 SymmetricTop::angular_velocity_at(double t) const {
  const Vec3 L = R0 * Vec3(transverse, transverse, axial).cwiseProduct(angular_velocity);
  const Vec3 axis = orientation(t).col(2);
  return L / transverse + (1 - axial / transverse) * angular_velocity.z() * axis;
}

double SymmetricTop::precession_rate() const {
  return Vec3(transverse, transverse, axial).cwiseProduct(angular_velocity).norm() / transverse;
}

Vec3 MiddleAxisFlip::body_angular_velocity(double t) const {
  const FlipConstants c = constants_of(*this);
  const Jacobi j = jacobi(quarter_period(c.k) + c.rate * t, c.k);
  return c.amplitude.cwiseProduct(Vec3(j.cn, j.sn, j.dn));
}

double MiddleAxisFlip::flip_time() const {
  const FlipConstants c = constants_of(*this);
  return 2 * quarter_period(c.k) / c.rate;
}

}  // namespace jade::closed_form
