#include "jade/stepping/free_rotation.h"

#include <limits>

#include <Eigen/LU>

#include "jade/math/rotation.h"

namespace jade {
namespace {

// Newton's method needs four iterations for half a radian.
constexpr int kMostIterations = 30;

/// |c|² 1 − c cᵀ made from two vectors, symmetric in them.
Mat3 parallel_axes(const Vec3& c, const Vec3& d) {
  return c.dot(d) * Mat3::Identity() - 0.5 * (c * d.transpose() + d * c.transpose());
}

}  // namespace

FreeRotation::FreeRotation(const Mat3& J, const Vec3& spin, double s)
    : J_(J), s_(s), turns_much_(turns_much(spin, s)), a_(s * spin), xi_(a_), eta_(a_) {
  if (!turns_much_) return;
  constexpr double kRounding = std::numeric_limits<double>::epsilon();
  const double size = a_.norm();

  back_ = rotation_exp(-0.5 * a_);
  const Mat3 inverse = J.inverse();
  l_ = back_ * (J * a_);
  xi_ += inverse * (J * a_).cross(a_);
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostIterations; ++i) {
    eta_ = 0.5 * (a_ + xi_);
    forth_ = rotation_exp(eta_);
    end_ = forth_ * back_;
    K_ = end_ * inverse * end_.transpose();
    const Vec3 image = K_ * l_;
    turns_ = K_ * skew(l_) - skew(image);
    const Vec3 change = newton().inverse() * (image - xi_);
    xi_ += change;
    const double changed = change.norm();
    if (changed <= kRounding * size || (changed <= 1e-12 * size && changed >= 0.5 * last)) break;
    last = changed;
  }
  eta_ = 0.5 * (a_ + xi_);
  // A ball lacks nothing, but does when its inertia becomes another one.
  const double ball = J.trace() / 3;
  if ((J - ball * Mat3::Identity()).lpNorm<Eigen::Infinity>() <= kRounding * ball) return;
  m_ = J * (xi_ - a_) + eta_.cross(J * eta_);
}

Mat3 FreeRotation::newton() const { return Mat3::Identity() - 0.5 * turns_ * rotation_left_jacobian(eta_); }

/// dR⁺ = ½ J_l(η) (da + dξ) − ½ exp(η) J_l(−½ a) da,   dl = ½ [l] J_l(−½ a) da + exp(−½ a) J da
FreeRotation::Derivatives FreeRotation::derivatives() const {
  if (!turns_much_) return {Mat3::Zero(), Mat3::Zero(), Vec3::Zero()};
  const Mat3 along = rotation_left_jacobian(eta_), before = rotation_left_jacobian(-0.5 * a_);
  const Mat3 end = 0.5 * (along - forth_ * before), momentum = 0.5 * skew(l_) * before + back_ * J_;
  const Mat3 xi = newton().inverse() * (turns_ * end + K_ * momentum);
  const Mat3 one = Mat3::Identity();
  const Mat3 by_a = J_ * (xi - one) + 0.5 * (skew(eta_) * J_ - skew(J_ * eta_)) * (one + xi);
  return {by_a / s_, (by_a * skew(a_) - skew(m_)) / (s_ * s_), (by_a * a_ - 2 * m_) / (s_ * s_ * s_)};
}

/// d(Kl) = K exp(−½ a) dJ a − K R⁺ dJ R⁺ᵀ ξ at the same R⁺
Vec3 FreeRotation::by_inertia(const Mat3& dJ) const {
  if (!turns_much_) return Vec3::Zero();
  const Vec3 image = K_ * (back_ * (dJ * a_) - end_ * (dJ * (end_.transpose() * xi_)));
  const Vec3 xi = newton().inverse() * image;
  const Vec3 dm =
      dJ * (xi_ - a_) + J_ * xi + 0.5 * xi.cross(J_ * eta_) + eta_.cross(dJ * eta_ + 0.5 * (J_ * xi));
  return dm / (s_ * s_);
}

FreeRotation free_rotation(const DynamicsWorkspace& at_middle, int link, const Vec3& spin, double s) {
  const RigidInertia& inertia = at_middle.inertia[link];
  Mat3 J = inertia.J.matrix();
  if (!inertia.h.isZero(0)) J -= parallel_axes(inertia.h, inertia.h) / inertia.m;
  return {J, spin, s};
}

Mat3 central_inertia_change(const SpatialInertia& link, const SpatialInertia& change) {
  const Vec3 c = link.moment / link.mass;
  return change.inertia - 2 * parallel_axes(c, change.moment) + change.mass * parallel_axes(c, c);
}

}  // namespace jade
