#pragma once

#include "interleaved.h"
#include "jade/dynamics/dynamics_derivatives.h"
#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/mass_matrix.h"
#include "jade/model/model.h"

namespace jade::benchmarks {

/// Our side of the dynamics benchmarks: everything from (q, v) on, with memory made before.
struct JadeDynamics {
  explicit JadeDynamics(const SceneDescription& scene)
      : model(build_model(scene)),
        state(initial_state(model)),
        effort(VecX::Constant(model.nv(), 0.7)),
        result(VecX::Zero(model.nv())),
        M(model.nv(), model.nv()),
        work(model),
        derivative_work(model) {
    derivatives.all.setZero(model.nv(), 3 * model.nv());
  }

  void forward() { forward_dynamics(model, state, effort, work, result); }
  void inverse() { inverse_dynamics(model, state, effort, work, result); }
  void mass_matrix() {
    update_positions(model, state.q, work);
    crba(model, work, M);
  }
  /// ∂a/∂(q, v, τ), forward dynamics included.
  void forward_derivatives() {
    forward();
    forward_dynamics_derivatives(model, work, derivative_work, derivatives);
  }

  Model model;
  State state;
  VecX effort, result;
  MatX M;
  DynamicsWorkspace work;
  DerivativeWorkspace derivative_work;
  DynamicsDerivatives derivatives;
};

}  // namespace jade::benchmarks
