#pragma once

#include "jade/dynamics/workspace.h"
#include "jade/model/model.h"

namespace jade {

/// Free rotation of a single body over a segment of length s. The midpoint rule with inertia J at R_m = exp(½ s ω) R,
///   J (ω⁺ − ω) = s (n − ω̄ × J ω̄),   R⁺ = exp(s ω̄) R,   ω̄ = ½ (ω + ω⁺),
/// is of second order, but looks at the middle from one end: its errors add up, and bodies that tumble by half a radian a
/// segment gain 60 % of energy in a hundred turns, or lose it. What is wanted instead without a moment,
///   R⁺ J_b R⁺ᵀ ω⁺ = R J_b Rᵀ ω,   R⁺ = exp(½ s (ω + ω⁺)) R      (J_b in axes of the body),
/// keeps angular momentum to rounding, and energy up to a bounded wobble, as it is the same seen from both ends; bodies with an
/// axis of symmetry keep it to rounding too. (With the mean taken in axes of the body it would be Simo and Wong's
/// rule, Int. J. Numer. Meth. Eng. 31, 1991, which keeps energy to rounding; the path of a step is about the world's.)
/// So the midpoint rule is given the small moment n = m(J, s ω) / s² with which it finds that motion. In turns a = s ω and
/// ξ = s ω⁺, in axes in which the body is where J is:
///   m = J (ξ − a) + η × J η,   η = ½ (a + ξ)
///   ξ = R⁺ J⁻¹ R⁺ᵀ l,   R⁺ = exp(η) exp(−½ a),   l = exp(−½ a) J a
/// m / J is of the order |a|⁴: n depends on nothing but the start, and moments of contacts act by the rule as before.
class FreeRotation {
 public:
  /// Below this turn n is lost in the rounding of J ω / s, and is zero: |a|³ = 2⁻⁵².
  static constexpr double kLeastTurn = 6.0554544523933395e-6;
  static bool turns_much(const Vec3& spin, double s) {
    return s * s * spin.squaredNorm() > kLeastTurn * kLeastTurn;
  }

  /// J about the centre of mass.
  FreeRotation(const Mat3& J, const Vec3& spin, double s);

  /// n; that of balls is zero too.
  Vec3 moment() const { return m_ / (s_ * s_); }

  /// Of n: by ω, by rotations δ of the inertia alone, which are δ × n − n_ω (δ × ω), and by s.
  struct Derivatives {
    Mat3 by_spin, by_rotation;
    Vec3 by_length;
  };
  Derivatives derivatives() const;
  Vec3 by_inertia(const Mat3& dJ) const;

 private:
  Mat3 newton() const;  ///< ∂(ξ − K l)/∂ξ

  Mat3 J_;
  double s_;
  bool turns_much_;
  Vec3 a_, xi_, eta_, m_ = Vec3::Zero(), l_;
  Mat3 back_;                     ///< exp(−½ a)
  Mat3 forth_, end_, K_, turns_;  ///< exp(η), R⁺, R⁺ J⁻¹ R⁺ᵀ, ∂(Kl) by rotations of R⁺
};

/// Of the free link of a body alone, from inertias of the workspace.
FreeRotation free_rotation(const DynamicsWorkspace& at_middle, int link, const Vec3& spin, double s);

/// How the inertia about the centre of mass changes when `change` is added to the link's ten numbers; axes of the link.
Mat3 central_inertia_change(const SpatialInertia& link, const SpatialInertia& change);

}  // namespace jade
