#pragma once

#include "jade/stepping/propagate.h"

namespace jade {

/// How the end of a step moves with what it started from, between tangent spaces:
///   (dq⁺; dv⁺) = jacobian (dq; dv; dτ; dh)
/// τ is the applied effort of coordinates that are not prescribed (columns of prescribed ones are zero), h the length
/// of the step with efforts and prescribed accelerations held.
struct PropagateDerivatives {
  int nv = 0;
  MatX jacobian;  ///< 2 nv × (3 nv + 1)
  auto by_q() const { return jacobian.leftCols(nv); }
  auto by_v() const { return jacobian.middleCols(nv, nv); }
  auto by_effort() const { return jacobian.middleCols(2 * nv, nv); }
  auto by_h() const { return jacobian.col(3 * nv); }
};

/// Midpoint, with r(a) = 0 of midpoint.h and r_x its partial derivatives at the solution:
///   dq_m = Jq dq + ½ Jd (h dv + v dh)                           Jacobians of ⊕ at ½ h v
///   B da = dτ − (r_q + K) dq_m − (r_v + D) dv − [½ r_v a + (θhD)' a + ½ h K a] dh
///   dv⁺ = dv + h da + a dh,   dq⁺ = Jq dq + Jd [h dv + ½ h² da + (v + h a) dh]   Jacobians of ⊕ at h v̄
/// A cut step is the product of its parts; the number of parts is held.
/// Euler: da from forward_dynamics_derivatives, the rest likewise.
PropagateDerivatives propagate_derivatives(const Model& model, const State& state, const Controls& controls,
                                           double h, Integrator integrator = Integrator::midpoint);

}  // namespace jade
