#pragma once

#include "jade/math/types.h"

namespace jade::closed_form {

/// A symmetric top without torque, symmetry axis z of the body. The body spins about its axis while that axis
/// turns about the constant angular momentum L:
///   R(t) = exp(t L / I₁) R₀ exp(t s e_z),   s = (1 − I₃/I₁) ω₃
/// Landau and Lifshitz, Mechanics, §33.
struct SymmetricTop {
  double transverse = 1;  ///< I₁ = I₂ [kg m²]
  double axial = 1;       ///< I₃
  Mat3 R0 = Mat3::Identity();
  Vec3 angular_velocity = Vec3::UnitZ();  ///< at t = 0, in body axes [rad/s]

  Mat3 orientation(double t) const;
  /// In world axes.
  Vec3 angular_velocity_at(double t) const;
  /// Of the symmetry axis about L [rad/s].
  double precession_rate() const;
};

/// An asymmetric body without torque, I₁ < I₂ < I₃, started near its unstable middle axis with
/// ω = (0, middle, major), 0 < major: angular velocity in body axes (Landau and Lifshitz, Mechanics, §37):
///   ω₁ = a₁ cn(τ), ω₂ = a₂ sn(τ), ω₃ = a₃ dn(τ),  τ = K(k) + rate t
///   a₁² = (2E I₃ − L²)/(I₁(I₃−I₁)),  a₂² = (2E I₃ − L²)/(I₂(I₃−I₂)),  a₃² = (L² − 2E I₁)/(I₃(I₃−I₁))
///   rate² = (I₃−I₂)(L² − 2E I₁)/(I₁I₂I₃),  k² = (I₂−I₁)(2E I₃ − L²)/((I₃−I₂)(L² − 2E I₁))
/// The middle axis turns over (Dzhanibekov's flip) every 2K/rate.
struct MiddleAxisFlip {
  Vec3 inertia = Vec3(1, 2, 3);  ///< increasing
  double middle = 1;             ///< ω₂ at t = 0
  double major = 0.01;           ///< ω₃ at t = 0

  Vec3 body_angular_velocity(double t) const;
  double flip_time() const;
};

}  // namespace jade::closed_form
