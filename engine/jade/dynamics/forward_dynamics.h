#pragma once

#include "jade/dynamics/workspace.h"

namespace jade {

/// Articulated bodies: M⁻¹ as an operator of linear cost.
/// R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, section 7.3, with two departures:
///   - Every velocity coordinate is eliminated by itself, U = Iᴬ S, D = Sᵀ U + diagonal, Iᴬ ← Iᴬ − U Uᵀ / D, so a
///     ball or a free joint is three or six eliminations in a row and no matrix is inverted.
///   - Velocity-product accelerations are summed from the world on before the sweep (as RNEA does with a = 0), so
///     the sweep up carries forces only and Iᴬ Ṡ q̇ is never formed.
/// Coordinates whose motion is prescribed are not eliminated: their rows and columns of M⁻¹ are zero.
/// `diagonal` (nv numbers) is added to the bare mass matrix: model.armature(), or more for implicit integrators.
/// After update_positions.
void factor_articulated(const Model& model, const VecX& diagonal, DynamicsWorkspace& work);

/// x ← M⁻¹ y, after factor_articulated. `x` and `y` may be the same vector.
void solve_articulated(const Model& model, DynamicsWorkspace& work, const VecX& y, VecX& x);

/// The same for `count` vectors y, one after the other in memory.
void solve_articulated_rows(const Model& model, DynamicsWorkspace& work, const double* rows, int count,
                            double* out);

/// M⁻¹ itself, nv × nv numbers, after factor_articulated.
void inverse_articulated(const Model& model, DynamicsWorkspace& work, double* inverse);

/// How a tree answers forces on one of its links, whose motion is V = S v:
///   by_velocity   M⁻¹ Sᵀ, a row of six for each velocity
///   on_link       S M⁻¹ Sᵀ
/// Unit forces go up to the world and their accelerations come down again, six of them at a time: no M⁻¹ is formed.
/// The model must be a single tree. After factor_articulated.
void link_response(const Model& model, int link, DynamicsWorkspace& work, Vec6* by_velocity, Mat6& on_link);

/// Accelerations under generalised forces tau: M a + c = tau for all coordinates that are not prescribed. On entry
/// `a` (nv numbers) holds the accelerations of prescribed coordinates; its other entries do not matter.
/// After update_velocities and factor_articulated; leaves A of all links in the workspace.
void aba(const Model& model, const VecX& tau, DynamicsWorkspace& work, VecX& a);

/// The accelerations of a mechanism whose motors apply `effort`:
///   M a + c = clamp(effort, ± effort limit) − damping v − stiffness (q − rest position)
/// Everything from the state on; `a` as above.
void forward_dynamics(const Model& model, const State& state, const VecX& effort, DynamicsWorkspace& work,
                      VecX& a);
/// The same with fresh memory; `prescribed` may be empty when nothing is prescribed.
VecX forward_dynamics(const Model& model, const State& state, const VecX& effort,
                      const VecX& prescribed = {});

}  // namespace jade
