#pragma once

#include <deque>
#include <span>
#include <vector>

#include "jade/gradients/step_gradient.h"

namespace jade {

/// How long a trajectory is, how it is stepped, and how much of it may be kept for its gradient.
struct RolloutSettings {
  double h = 0.01;  ///< [s]
  int steps = 100;
  StepSettings step;
  bool record = true;  ///< off: states alone; a gradient then replays every step from the start
  /// Steps between checkpoints at the beginning; doubled whenever checkpoints fill a quarter of `max_bytes`.
  int checkpoint_every = 1;
  /// Bound on checkpoints and traces together, at rest and while the gradient is computed. It holds for every length:
  /// what does not fit is dropped and replayed. Only one trace is always allowed, however large it is.
  std::size_t max_bytes = std::size_t{256} << 20;
};

/// The worst of all steps of a trajectory.
struct RolloutReport {
  double smallest_clearance = std::numeric_limits<double>::infinity();  ///< [m]
  double lost_time = 0;  ///< body-seconds that could not be certified
  int unsolved = 0;      ///< LCPs without a valid solution
  int impacts = 0;
  int most_substeps = 0;
};

/// A trajectory and what its gradient needs. States and controls are its result and are kept whole; the tape is
/// checkpoints (what one step tells the next, so that the states need not be kept twice) and the traces of its last
/// steps. Memory, with k = spacing:  N (state + controls) + min(max_bytes, N/k memories + N traces).
struct Rollout {
  std::vector<State> states;       ///< N + 1
  std::vector<Controls> controls;  ///< N
  RolloutSettings settings;
  StepMemory memory;  ///< after the last step: with the last state a run goes on from here to the bit
  RolloutReport report;

  int spacing = 1;                      ///< steps between checkpoints as it came to be
  std::vector<StepMemory> checkpoints;  ///< what step i · spacing was told
  std::deque<StepTrace> traces;         ///< of the last traces.size() steps

  int steps() const { return static_cast<int>(controls.size()); }
  /// Of checkpoints and traces.
  std::size_t tape_bytes() const;
};

/// N times `step`. States are the same to the bit with and without recording, for every spacing and every bound.
/// `controls`: one for each step, or none for the scene's own signals. `memory`: what the step before x₀ told.
/// Throws what `step` throws, and InvalidInput for settings that make no sense.
[[nodiscard]] Rollout rollout(const Model& model, const State& x0, std::span<const Controls> controls,
                              const RolloutSettings& settings, StepWorkspace& workspace,
                              const StepMemory& memory = {});

/// How a loss L(x₀ … x_N, τ, p) depends on its arguments directly.
struct RolloutCotangents {
  std::vector<StepCotangent> states;  ///< N + 1; empty vectors where the loss does not look
  std::vector<VecX> effort;           ///< empty, or N of nv: ∂L/∂τ_t at fixed states (a cost of effort)
  VecX parameters;                    ///< empty, or one for each parameter asked for
};

/// Room for the cotangents of a trajectory, all empty: the loss fills in what it looks at.
RolloutCotangents no_cotangents(const Rollout& rollout);

struct RolloutGradient {
  VecX q0, v0;               ///< nv: ∂L/∂q₀ in tangent coordinates at q₀, ∂L/∂v₀
  std::vector<VecX> effort;  ///< N of nv: ∂L/∂τ_t
  VecX parameters;           ///< in the order asked for
  Regularity regularity;     ///< the worst of all steps that the loss depends on; `why` begins with its step
  int replayed = 0;          ///< steps that were made again because their traces were not kept
  std::size_t most_bytes = 0;  ///< of checkpoints and traces at any time
};

/// Reverse sweep: with x_{t+1} = F(x_t, τ_t; p) and λ_N = ∂L/∂x_N,
///   λ_t = (∂F/∂x_t)ᵀ λ_{t+1} + ∂L/∂x_t,   dL/dτ_t = (∂F/∂τ_t)ᵀ λ_{t+1} + ∂L/∂τ_t,   dL/dp = Σ (∂F/∂p)ᵀ λ_{t+1} + ∂L/∂p
/// One vector-Jacobian product a step; steps whose traces were dropped are replayed from the checkpoint before them, as
/// many at a time as fit the bound. Cost: linear in N. While what is left of a segment between checkpoints fits,
/// each step is replayed at most once.
/// Where a step has no derivative (regularity.exists is false) nothing before it is reached: zeros.
[[nodiscard]] RolloutGradient rollout_gradient(const Model& model, const Rollout& rollout,
                                               const RolloutCotangents& cotangents,
                                               const std::vector<ParameterId>& parameters,
                                               StepWorkspace& steps, GradientWorkspace& gradients);

}  // namespace jade
