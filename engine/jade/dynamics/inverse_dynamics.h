#pragma once

#include "jade/dynamics/workspace.h"

namespace jade {

/// Recursive Newton-Euler: the generalised forces that go with accelerations a,
///   τ = M(q) a + c(q, v),   c: Coriolis, centrifugal and gravity forces,   M with armature on its diagonal
///   A_i = A_λ + S a + Ṡ q̇,   F_i = I_i A_i + V_i ×* I_i V_i + Σ_children F,   τ = Sᵀ F + armature a
/// The world has A = (0; −g), which is gravity. Springs and dampers are not in τ.
/// After update_velocities; leaves A and F in the workspace. `a` and `tau` have nv numbers.
void rnea(const Model& model, const VecX& a, DynamicsWorkspace& work, VecX& tau);
VecX rnea(const Model& model, const VecX& q, const VecX& v, const VecX& a);

/// −damping v − stiffness (q − rest position), per velocity.
void passive_forces(const Model& model, const VecX& q, const VecX& v, VecX& out);

/// The efforts that motors must apply for accelerations a: rnea minus the passive forces. Effort limits are not
/// looked at. Updates the workspace to (q, v).
void inverse_dynamics(const Model& model, const State& state, const VecX& a, DynamicsWorkspace& work,
                      VecX& effort);
VecX inverse_dynamics(const Model& model, const State& state, const VecX& a);

}  // namespace jade
