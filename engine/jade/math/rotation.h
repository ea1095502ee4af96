#pragma once

#include "jade/math/types.h"

namespace jade {

/// skew(a) b = a × b.
inline Mat3 skew(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

/// Rotation by the vector θ (axis times angle, radians): exp(θ) = I + sin|θ|/|θ| [θ] + (1−cos|θ|)/|θ|² [θ]².
/// Accurate to rounding for every |θ|, small ones included.
Mat3 rotation_exp(const Vec3& theta);
Quat quaternion_exp(const Vec3& theta);

/// The rotation vector of R, |θ| ≤ π; the inverse of `rotation_exp` inside that ball.
Vec3 rotation_log(const Mat3& R);
Vec3 rotation_log(const Quat& q);

/// Left Jacobian of the exponential: exp(θ + dθ) = exp(J_l(θ) dθ) exp(θ) to first order.
///   J_l(θ) = I + (1−cos t)/t² [θ] + (t − sin t)/t³ [θ]²,  t = |θ|
Mat3 rotation_left_jacobian(const Vec3& theta);

}  // namespace jade
