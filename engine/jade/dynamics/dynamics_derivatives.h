#pragma once

#include <span>

#include "jade/dynamics/mass_matrix.h"
#include "jade/dynamics/workspace.h"
#include "jade/model/parameter.h"

namespace jade {

/// Three nv × nv matrices side by side, so that one sweep over rows works on all of them. Derivatives by q are by
/// tangent displacements: column k is d/ds of f(q ⊕ s e_k).
struct DynamicsDerivatives {
  RowMatX all;  ///< nv × 3 nv
  auto q() const { return all.leftCols(all.rows()); }
  auto v() const { return all.middleCols(all.rows(), all.rows()); }
  auto input() const { return all.rightCols(all.rows()); }
};

/// Memory of the derivatives; made once for a model.
struct DerivativeWorkspace {
  explicit DerivativeWorkspace(const Model& model);

  /// What velocity adds to a composite body's response: B x = −I (V × x) + V ×* I x + x ×* I V, which depends on
  /// the angular part x_w of x alone:  B x = (W x_w; 2 x_w × P),
  ///   W = 2 ([ω] (J − ½ tr J 1) + (h·v) 1 − v hᵀ),   P = m v − h × ω, the linear momentum
  struct Gyroscopic {
    Mat3 W;
    Vec3 P;
  };

  // Per link, of everything it carries.
  std::vector<RigidInertia> inertia;
  std::vector<Gyroscopic> gyroscopic;
  std::vector<Vec6> F;

  // Per velocity.
  std::vector<Vec6> dS;    ///< Ψ̇ = V × S
  std::vector<Vec6> ddS;   ///< Ψ̈ = A × S + V × Ψ̇
  std::vector<Vec6> dS_v;  ///< Ψ̇ + σ, σ = ∂(Ṡ q̇)/∂q̇

  TreeFactorization mass;
};

/// Inverse dynamics (rnea) by q, v and a, the last being the mass matrix.
///
/// A displacement of coordinate k moves everything behind its link b by the twist S_k; S of b's own joint is fixed in
/// the parent and stays. With Ψ̇_k = V_b × S_k, Ψ̈_k = A_b × S_k + V_b × Ψ̇_k, every link i behind has
///   δV_i = S_k × V_i + Ψ̇_k,   δA_i = S_k × A_i + Ψ̈_k + Ψ̇_k × V_i   ⇒   δf_i = S_k ×* f_i + I_i Ψ̈_k + B_i Ψ̇_k
/// and with composites Iᶜ, Bᶜ, F over everything a link carries
///   ∂τ_j/∂q_k = S_jᵀ (Iᶜ_j Ψ̈_k + Bᶜ_j Ψ̇_k)                    j behind b
///   ∂τ_j/∂q_k = S_jᵀ (S_k ×* F_b + Iᶜ_b Ψ̈_k + Bᶜ_b Ψ̇_k)         j of b's joint or before it
///   ∂τ_j/∂v_k = S_jᵀ (Iᶜ (Ψ̇_k + σ_k) + Bᶜ S_k)                  composites of the later of the two links
/// For one-coordinate joints this is the result of S. Singh, R. Russo, P. Wensing, "Efficient analytical derivatives of
/// rigid-body dynamics using spatial vector algebra", IEEE RA-L 7(2), 2022; taking V_b, A_b after the joint instead of
/// before it makes the same formulas hold for ball and free joints whose velocities live in the parent's axes.
/// Moving a free link's reference point moves its whole tree and changes no force: those columns are zero.
///
/// After rnea or aba (V and A of the links must be there).
void rnea_derivatives(const Model& model, const DynamicsWorkspace& work, DerivativeWorkspace& derivative,
                      DynamicsDerivatives& out);

/// inverse_dynamics (with springs and dampers) by q, v and a.
void inverse_dynamics_derivatives(const Model& model, const State& state, const VecX& a,
                                  DynamicsWorkspace& work, DerivativeWorkspace& derivative,
                                  DynamicsDerivatives& out);
DynamicsDerivatives inverse_dynamics_derivatives(const Model& model, const State& state, const VecX& a);

/// forward_dynamics by q, v and effort, the last being M⁻¹ (without clamping: where an effort is beyond its limit the
/// true derivative by it is zero):  ∂a/∂x = −M⁻¹ ∂τ/∂x at the acceleration found.
/// Rows of prescribed coordinates are zero, and so are their columns of M⁻¹. After forward_dynamics.
void forward_dynamics_derivatives(const Model& model, DynamicsWorkspace& work,
                                  DerivativeWorkspace& derivative, DynamicsDerivatives& out);
DynamicsDerivatives forward_dynamics_derivatives(const Model& model, const State& state, const VecX& effort,
                                                 const VecX& prescribed = {});

/// One column of inverse dynamics by parameters, for a model that may be a single tree: by one of the ten numbers of a
/// body that is fixed to `link` at X_LB, and by a component of gravity. After rnea or aba.
VecX rnea_by_inertia(const Model& model, const DynamicsWorkspace& work, int link, const Transform& X_LB,
                     int component);
VecX rnea_by_gravity(const Model& model, const DynamicsWorkspace& work, int component);

/// inverse_dynamics by parameters, nv × ids.size(). Parameters of contact and of time give zero columns.
/// With w, v, α, a of the body frame at its origin, in its axes, and a' = a + w × v, the force on a body is
///   f = m a' + ([α] + [w]²) h,   n = h × a' + J α + w × J w,
/// linear in mass m, first moment h and inertia J. After rnea or aba.
MatX inverse_dynamics_by_parameters(const Model& model, const State& state, const VecX& a,
                                    std::span<const ParameterId> ids);
/// forward_dynamics by parameters: −M⁻¹ times the above at the acceleration found.
MatX forward_dynamics_by_parameters(const Model& model, const State& state, const VecX& effort,
                                    std::span<const ParameterId> ids, const VecX& prescribed = {});

}  // namespace jade
