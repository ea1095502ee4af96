#pragma once

#include <string_view>

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

/// Jade's P(·) without contact: where the mechanism is after time h.
[[nodiscard]] State propagate(const Model& model, const State& state, const Controls& controls, double h,
                              Integrator integrator = Integrator::midpoint);

/// Names as users write them: `explicit_euler`, `semi_implicit_euler`, `midpoint`.
std::string_view name_of(Integrator integrator);

}  // namespace jade
