#pragma once

#include "jade/model/model.h"

namespace jade {

/// Positions live on a manifold; velocities and small displacements d (nv numbers) live in its tangent space.
///   q ⊕ d: one-coordinate joints  q + d
///          ball   R ← exp(d) R, in axes of J: displacements act from the left, as velocities do
///          free   R ← exp(θ) R, the reference point moves by x:  p ← p + R c + x − exp(θ) R c,  d = (x, θ)
/// The end of a displacement is one exponential, however large it is. Quaternions are normalised again.
void integrate(const Model& model, const VecX& q, const VecX& d, VecX& q_next);
VecX integrate(const Model& model, const VecX& q, const VecX& d);

/// The d with to = from ⊕ d (rotations the short way round).
VecX difference(const Model& model, const VecX& from, const VecX& to);

/// The two Jacobians of q ⊕ d, between tangent spaces: (q ⊕ ε) ⊕ d = (q ⊕ d) ⊕ (Jq ε), q ⊕ (d + ε) = (q ⊕ d) ⊕ (Jd ε).
/// Both are block diagonal: 1 for translations and one-coordinate joints; for rotations Jq = exp(θ), Jd = J_l(θ)
/// (left Jacobian of the exponential).
struct IntegrationJacobians {
  MatX q, d;  ///< nv × nv
};
void integration_jacobians(const Model& model, const VecX& d, IntegrationJacobians& out);
IntegrationJacobians integration_jacobians(const Model& model, const VecX& d);

}  // namespace jade
