#include "jade/geometry/motion.h"

#include <algorithm>
#include <cmath>

#include "jade/math/rotation.h"

namespace jade {

Motion::AxisAccelerations Motion::axis_accelerations() const {
  AxisAccelerations out;
  for (int k = 0; k < 3; ++k) {
    out.least[k] = least_acceleration(Vec3::Unit(k));
    out.most[k] = -least_acceleration(-Vec3::Unit(k));
  }
  return out;
}

RigidMotion::RigidMotion(const ConvexCore& core, const Transform& X_WS, const RigidPath& path,
                         double duration)
    : RigidMotion(core, X_WS, path, duration, core.reach(X_WS.R.transpose() * (path.c - X_WS.p))) {}

RigidMotion::RigidMotion(const ConvexCore& core, const Transform& X_WS, const RigidPath& path,
                         double duration, double reach)
    : path_(path),
      R_WS_(X_WS.R),
      arm_(X_WS.p - path.c),
      duration_(duration),
      reach_(reach),
      reach_from_axis_(reach) {
  if (path.omega.isZero(0) && path.alpha.isZero(0)) return;
  fastest_ = std::max(path.omega.norm(), (path.omega + duration * path.alpha).norm());
  swing_ = path.omega.cross(path.alpha).norm();
  if (swing_ > 0) return;
  // One axis throughout: ω and α in line, whichever of them is not zero.
  const Vec3 axis = path.omega.squaredNorm() > 0 ? path.omega : path.alpha;
  if (axis.squaredNorm() > 0)
    reach_from_axis_ = core.reach(-(X_WS.R.transpose() * arm_), X_WS.R.transpose() * axis.normalized());
}

MotionSample RigidMotion::at(double s) const {
  MotionSample sample;
  const Vec3 centre = path_.c + s * path_.v + 0.5 * s * s * path_.a;
  sample.v = path_.v + s * path_.a;
  if (fastest_ == 0 || s == 0) {
    sample.X = {R_WS_, centre + arm_};
    sample.omega = path_.omega;
    if (fastest_ > 0) sample.v += sample.omega.cross(arm_);
    return sample;
  }
  const Vec3 theta = s * path_.omega + 0.5 * s * s * path_.alpha;
  const Vec3 rate = path_.omega + s * path_.alpha;
  const Mat3 turn = rotation_exp(theta);
  const Vec3 arm = turn * arm_;
  sample.X = {turn * R_WS_, centre + arm};
  sample.omega = swing_ > 0 ? Vec3(rotation_left_jacobian(theta) * rate) : rate;
  sample.v += sample.omega.cross(arm);
  return sample;
}

double RigidMotion::least_acceleration(const Vec3& n) const {
  if (fastest_ == 0) return n.dot(path_.a);
  const double h = duration_;
  const double W = std::max(n.cross(path_.omega).norm(), n.cross(path_.omega + h * path_.alpha).norm()) +
                   0.25 * h * h * swing_;
  const double A = n.cross(path_.alpha).norm() + (0.5 * h + 0.125 * h * h * fastest_) * swing_;
  return n.dot(path_.a) - W * fastest_ * reach_from_axis_ - A * reach_;
}

Motion::AxisAccelerations RigidMotion::axis_accelerations() const {
  if (fastest_ == 0) return {path_.a, path_.a};
  // As above, for n and −n at once: |e_k × ω|² is the sum of the other two squares.
  const double h = duration_;
  const Vec3 first = path_.omega.cwiseAbs2(), last = (path_.omega + h * path_.alpha).cwiseAbs2(),
             change = path_.alpha.cwiseAbs2();
  const double bent = 0.25 * h * h * swing_, swung = (0.5 * h + 0.125 * h * h * fastest_) * swing_;
  AxisAccelerations out;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double W = std::sqrt(std::max(first[i] + first[j], last[i] + last[j])) + bent;
    const double A = std::sqrt(change[i] + change[j]) + swung;
    const double away = W * fastest_ * reach_from_axis_ + A * reach_;
    out.least[k] = path_.a[k] - away;
    out.most[k] = path_.a[k] + away;
  }
  return out;
}

Aabb RigidMotion::bounds() const {
  Aabb box;
  box.include(path_.c);
  box.include(path_.c + duration_ * path_.v + 0.5 * duration_ * duration_ * path_.a);
  // Where a coordinate of the parabola turns back within the step.
  for (int k = 0; k < 3; ++k) {
    if (path_.a[k] == 0) continue;
    const double s = -path_.v[k] / path_.a[k];
    if (!(s > 0 && s < duration_)) continue;
    const double turn = path_.c[k] + 0.5 * s * path_.v[k];
    box.low[k] = std::min(box.low[k], turn);
    box.high[k] = std::max(box.high[k], turn);
  }
  return box.grown(reach_ * (1 + 1e-15));
}

}  // namespace jade
