#pragma once

#include "jade/math/types.h"

namespace jade {

/// Spatial vectors of one tree: world axes, written about the tree's origin O, which is at rest.
///   motion  V = (ω; v)  ω angular velocity, v velocity of the point of the body that passes O
///   force   F = (n; f)  n moment about O, f force                                 power = Vᵀ F
/// With one common frame nothing is transformed on the way up or down a tree: inertias and forces are just added.
/// R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, chapter 2, for the algebra.

inline Vec3 cross3(const auto& a, const auto& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// How the motion vector b changes when it is carried along with the motion a: a × b.
inline Vec6 cross_motion(const Vec6& a, const Vec6& b) {
  Vec6 out;
  out.head<3>() = cross3(a.head<3>(), b.head<3>());
  out.tail<3>() = cross3(a.head<3>(), b.tail<3>()) + cross3(a.tail<3>(), b.head<3>());
  return out;
}

/// The same for a force vector: a ×* f.
inline Vec6 cross_force(const Vec6& a, const Vec6& f) {
  Vec6 out;
  out.head<3>() = cross3(a.head<3>(), f.head<3>()) + cross3(a.tail<3>(), f.tail<3>());
  out.tail<3>() = cross3(a.head<3>(), f.tail<3>());
  return out;
}

/// Rotational inertia as its six numbers.
struct Symmetric3 {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

  Vec3 operator*(const auto& a) const {
    return {xx * a[0] + xy * a[1] + xz * a[2], xy * a[0] + yy * a[1] + yz * a[2],
            xz * a[0] + yz * a[1] + zz * a[2]};
  }
  Symmetric3& operator+=(const Symmetric3& o) {
    xx += o.xx, yy += o.yy, zz += o.zz, xy += o.xy, xz += o.xz, yz += o.yz;
    return *this;
  }
  Mat3 matrix() const {
    Mat3 m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }
};

/// A rigid (or composite) body's inertia about O: momentum = (J ω + h × v; m v − h × ω).
struct RigidInertia {
  double m = 0;
  Vec3 h = Vec3::Zero();
  Symmetric3 J;

  Vec6 operator*(const Vec6& motion) const {
    const auto w = motion.head<3>(), v = motion.tail<3>();
    Vec6 out;
    out.head<3>() = J * w + cross3(h, v);
    out.tail<3>() = m * v - cross3(h, w);
    return out;
  }
  RigidInertia& operator+=(const RigidInertia& o) {
    m += o.m;
    h += o.h;
    J += o.J;
    return *this;
  }
  Mat6 matrix() const {
    Mat6 out = Mat6::Zero();
    out.topLeftCorner<3, 3>() = J.matrix();
    out(0, 4) = out(4, 0) = -h[2], out(0, 5) = out(5, 0) = h[1];
    out(1, 3) = out(3, 1) = h[2], out(1, 5) = out(5, 1) = -h[0];
    out(2, 3) = out(3, 2) = -h[1], out(2, 4) = out(4, 2) = h[0];
    out(3, 3) = out(4, 4) = out(5, 5) = m;
    return out;
  }
};

/// I A + V ×* I V, the force that keeps a rigid body on its way, with a' = a + ω × v multiplied out:
///   n = J α + ω × J ω + h × a',   f = m a' + α × h + ω × (ω × h)
[[gnu::always_inline]] inline Vec6 rigid_force(const RigidInertia& I, const Vec6& V, const Vec6& A) {
  const Vec3 w = V.head<3>(), alpha = A.head<3>();
  const Vec3 a = A.tail<3>() + cross3(w, V.tail<3>());
  Vec6 out;
  out.head<3>() = I.J * alpha + cross3(w, I.J * w) + cross3(I.h, a);
  out.tail<3>() = I.m * a + cross3(alpha, I.h) + cross3(w, cross3(w, I.h));
  return out;
}

}  // namespace jade
