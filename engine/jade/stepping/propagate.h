#pragma once

#include <string_view>

#include "jade/dynamics/dynamics_derivatives.h"
#include "jade/model/model.h"

namespace jade {

enum class Integrator {
  explicit_euler,       ///< the paper: q⁺ = q ⊕ h v, v⁺ = v + h a(q, v)
  semi_implicit_euler,  ///< what most engines do: v⁺ = v + h a(q, v), q⁺ = q ⊕ h v⁺
  midpoint,             ///< the default: second order, exact on constant acceleration, no energy drift
};

/// What acts on a mechanism during one step.
struct Controls {
  VecX effort;        ///< nv, applied effort, already clamped to the effort limits
  VecX acceleration;  ///< nv, used for prescribed coordinates only
};

/// The controls of the scene's signals over the step [t, t + h]: effort at the middle of the step (so that a
/// linear signal does its exact impulse), prescribed acceleration (v(t + h) − v(t)) / h.
Controls controls_at(const Model& model, double t, double h);

/// How a step went.
struct PropagateReport {
  int substeps = 1;    ///< the step was cut into so many equal parts because something spins fast
  int iterations = 0;  ///< evaluations of the dynamics, all substeps together
  bool converged = true;
};

/// Memory of `propagate`.
struct PropagateWorkspace {
  explicit PropagateWorkspace(const Model& model);
  DynamicsWorkspace dynamics;
  DerivativeWorkspace derivative;
  DynamicsDerivatives jacobian;
  TreeFactorization factorization;
  RowMatX B;  ///< Newton's matrix of the midpoint rule
  VecX q_m, v_m, a, tau, residual, displacement;
  VecX rotation;  ///< moments that free rotation is given, see FreeRotation
};

/// Jade's P(·) without contact: where the mechanism is after time h. The midpoint rule:
///   q_m = q ⊕ ½ h v,   v̄ = ½ (v + v⁺)
///   M(q_m) (v⁺ − v) = h [ τ + n − c(q_m, v̄) − D (v + θ (v⁺ − v)) − K (q_m + ¼ h (v⁺ − v) − rest) ]
///   q⁺ = q ⊕ ½ h (v + v⁺)
/// M mass matrix, c velocity-dependent and gravity forces, D dampers, K springs (at the mean of both ends), n what the
/// rule lacks of the free rotation of single bodies, which keeps their angular momentum (FreeRotation).
/// θ = ½, or 1 − 1/z where a damper is so stiff that z = h D / least inertia > 2: θ = ½ would make its velocity
/// change sign every step. v⁺ is found to rounding by Newton's method. The end rotation is one exponential of the mean velocity.
/// Steps in which a link turns by more than half a radian are cut into equal parts.
/// Prescribed coordinates: v⁺ = v + h a, q⁺ = q + h v + ½ h² a under every integrator.
PropagateReport propagate(const Model& model, const State& state, const Controls& controls, double h,
                          Integrator integrator, PropagateWorkspace& work, State& next);
[[nodiscard]] State propagate(const Model& model, const State& state, const Controls& controls, double h,
                              Integrator integrator = Integrator::midpoint);

/// Names as users write them: `explicit_euler`, `semi_implicit_euler`, `midpoint`.
std::string_view name_of(Integrator integrator);

}  // namespace jade
