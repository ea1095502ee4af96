#include "jade/stepping/propagate_derivatives.h"

#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/stepping/midpoint.h"

namespace jade {
namespace {

/// The end of a step from da, the derivative of its acceleration by (q, v, τ, h).
/// Displacement: h v + a_weight h² a (prescribed coordinates: h v + ½ h² a).
MatX end_by_start(const Model& model, const State& state, const VecX& a, double h, const MatX& da,
                  double a_weight) {
  const int nv = model.nv();
  VecX weight = VecX::Constant(nv, a_weight);
  for (int k = 0; k < nv; ++k)
    if (model.prescribed(k)) weight[k] = 0.5;
  const VecX displacement = h * state.v + h * h * weight.cwiseProduct(a);
  const IntegrationJacobians J = integration_jacobians(model, displacement);

  MatX d_displacement = h * h * weight.asDiagonal() * da;
  d_displacement.middleCols(nv, nv).diagonal().array() += h;
  d_displacement.col(3 * nv) += state.v + 2 * h * weight.cwiseProduct(a);
  MatX out(2 * nv, 3 * nv + 1);
  out.topRows(nv) = J.d * d_displacement;
  out.topLeftCorner(nv, nv) += J.q;
  out.bottomRows(nv) = h * da;
  out.bottomRows(nv).middleCols(nv, nv).diagonal().array() += 1;
  out.col(3 * nv).tail(nv) += a;
  return out;
}

MatX euler_derivatives(const Model& model, const State& state, const Controls& controls, double h,
                       double a_weight) {
  const int nv = model.nv();
  const VecX a = forward_dynamics(model, state, controls.effort, controls.acceleration);
  const DynamicsDerivatives d =
      forward_dynamics_derivatives(model, state, controls.effort, controls.acceleration);
  MatX da = MatX::Zero(nv, 3 * nv + 1);
  da.leftCols(3 * nv) = d.all;
  return end_by_start(model, state, a, h, da, a_weight);
}

/// One part of a midpoint step whose solution is in the workspace.
MatX midpoint_derivatives(const Model& model, const State& state, double h, PropagateWorkspace& work) {
  const int nv = model.nv();
  update_velocities(model, work.v_m, work.dynamics);
  rnea(model, work.a, work.dynamics, work.tau);
  static_cast<void>(factor_midpoint(model, h, work));  // it was factored on the way to the solution

  const IntegrationJacobians to_middle = integration_jacobians(model, (0.5 * h) * state.v);
  MatX r_q = work.jacobian.q(), r_v = work.jacobian.v();
  RowMatX da = RowMatX::Zero(nv, 3 * nv + 1);
  da.col(3 * nv) = -0.5 * (r_v * work.a);
  for (int k = 0; k < nv; ++k) {
    r_q(k, k) += model.stiffness()[k];
    r_v(k, k) += model.damping()[k];
    da(k, 3 * nv) -= (implicit_damping(model, k, h).by_h + 0.5 * h * model.stiffness()[k]) * work.a[k];
  }
  const MatX r_q_d = r_q * to_middle.d;
  da.leftCols(nv) = -r_q * to_middle.q;
  da.middleCols(nv, nv) = -0.5 * h * r_q_d - r_v;
  da.middleCols(2 * nv, nv).setIdentity();
  da.col(3 * nv) -= 0.5 * (r_q_d * state.v);
  for_single_bodies(model, state, h, work.dynamics, [&](int spin, const FreeRotation& rotation) {
    const FreeRotation::Derivatives by = rotation.derivatives();
    const Mat3 by_place = by.by_rotation * to_middle.d.block<3, 3>(spin, spin);
    da.block<3, 3>(spin, spin) += by.by_rotation * to_middle.q.block<3, 3>(spin, spin);
    da.block<3, 3>(spin, nv + spin) += by.by_spin + 0.5 * h * by_place;
    da.block<3, 1>(spin, 3 * nv) += by.by_length + 0.5 * by_place * state.v.segment<3>(spin);
  });
  for (int k = 0; k < nv; ++k)
    if (model.prescribed(k)) da.row(k).setZero();
  work.factorization.solve(model, da);
  return end_by_start(model, state, work.a, h, da, 0.5);
}

}  // namespace

PropagateDerivatives propagate_derivatives(const Model& model, const State& state, const Controls& controls,
                                           double h, Integrator integrator) {
  const int nv = model.nv();
  if (integrator != Integrator::midpoint) {
    const double a_weight = integrator == Integrator::semi_implicit_euler ? 1.0 : 0.0;
    return {nv, euler_derivatives(model, state, controls, h, a_weight)};
  }
  PropagateWorkspace work(model);
  PropagateReport report;
  const int parts = midpoint_parts(model, state, h, work);
  State from = state, next = state;
  MatX total = MatX::Zero(2 * nv, 3 * nv + 1);
  total.leftCols(2 * nv).setIdentity();
  for (int i = 0; i < parts; ++i) {
    update_midpoint(model, from, h / parts, work);
    midpoint_step(model, from, controls, h / parts, work, next, report);
    const MatX part = midpoint_derivatives(model, from, h / parts, work);
    total = (part.leftCols(2 * nv) * total).eval();
    total.middleCols(2 * nv, nv) += part.middleCols(2 * nv, nv);
    total.col(3 * nv) += part.col(3 * nv) / parts;
    std::swap(from, next);
  }
  return {nv, total};
}

}  // namespace jade
