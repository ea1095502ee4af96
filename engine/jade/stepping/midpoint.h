#pragma once

#include <functional>

#include "jade/stepping/free_rotation.h"
#include "jade/stepping/propagate.h"

namespace jade {

/// Damping that the implicit rule puts on the diagonal, θ h D, and its rates of change with h and D. θ = ½, or 1 − 1/z where
/// z = h D / least inertia > 2, so that θ h D = max(½ h D, h D − least inertia).
struct ImplicitDamping {
  double value = 0, by_h = 0, by_damping = 0;
};
ImplicitDamping implicit_damping(const Model& model, int velocity, double h);

/// Into how many equal parts a step must be cut; leaves the workspace updated to q_m of the whole step.
int midpoint_parts(const Model& model, const State& state, double h, PropagateWorkspace& work);

/// Puts q_m = q ⊕ ½ h v and the velocities of links there into the workspace.
void update_midpoint(const Model& model, const State& state, double h, PropagateWorkspace& work);

/// Calls use(first velocity of the spin, its free rotation) for every single body; the workspace is updated to q_m.
void for_single_bodies(const Model& model, const State& state, double h, const DynamicsWorkspace& at_middle,
                       const std::function<void(int, const FreeRotation&)>& use);

/// One uncut midpoint step from a workspace that is updated to q_m: finds a = (v⁺ − v) / h with
///   r(a) = rnea(q_m, v + ½ h a, a) + D (v + θ h a) + K (q_m + ¼ h² a − rest) − τ − n = 0
/// (n: see FreeRotation) by Newton's method with B = M + ½ h ∂rnea/∂v + θ h D + ¼ h² K, kept as long as it contracts well.
/// Leaves a and v̄ = v + ½ h a in the workspace. `next` may be `state`.
void midpoint_step(const Model& model, const State& state, const Controls& controls, double h,
                   PropagateWorkspace& work, State& next, PropagateReport& report);

/// B of above from rnea_derivatives at (q_m, v̄, a), into work.B; false when it cannot be factored.
bool factor_midpoint(const Model& model, double h, PropagateWorkspace& work);

}  // namespace jade
