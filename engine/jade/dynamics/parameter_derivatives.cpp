#include "jade/dynamics/dynamics_derivatives.h"
#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

using Regressor = Eigen::Matrix<double, 6, 10>;

/// J w = K(w) (xx yy zz xy xz yz)ᵀ.
Eigen::Matrix<double, 3, 6> inertia_columns(const Vec3& w) {
  Eigen::Matrix<double, 3, 6> K;
  K << w[0], 0, 0, w[1], w[2], 0,  //
      0, w[1], 0, w[0], 0, w[2],   //
      0, 0, w[2], 0, w[0], w[1];
  return K;
}

/// (n; f) of a body about O by its ten numbers.
Regressor force_by_inertia(const Transform& X_OB, const Vec6& V, const Vec6& A) {
  const Mat3 R = X_OB.R.transpose();
  const Vec3 w = R * V.head<3>(), alpha = R * A.head<3>();
  const Vec3 v = R * (V.tail<3>() + cross3(V.head<3>(), X_OB.p));
  const Vec3 a = R * (A.tail<3>() + cross3(A.head<3>(), X_OB.p)) + cross3(w, v);
  Regressor Y = Regressor::Zero();
  Y.block<3, 3>(0, 1) = -skew(a);
  Y.block<3, 6>(0, 4) = inertia_columns(alpha) + skew(w) * inertia_columns(w);
  Y.block<3, 1>(3, 0) = a;
  Y.block<3, 3>(3, 1) = skew(alpha) + skew(w) * skew(w);

  // From the body's origin and axes to O and the world's.
  Regressor about_O;
  about_O.bottomRows<3>() = X_OB.R * Y.bottomRows<3>();
  about_O.topRows<3>() = X_OB.R * Y.topRows<3>() + skew(X_OB.p) * about_O.bottomRows<3>();
  return about_O;
}

}  // namespace

VecX rnea_by_inertia(const Model& model, const DynamicsWorkspace& work, int link, const Transform& X_LB,
                     int component) {
  VecX column = VecX::Zero(model.nv());
  if (link < 0) return column;
  const Transform X_OB = Transform{work.R[link], work.r[link]} * X_LB;
  const Vec6 F = force_by_inertia(X_OB, work.V[link], work.A[link]).col(component);
  const int last = model.links()[link].v + model.links()[link].nv - 1;
  for (int k = last; k >= 0; k = model.velocity_parent()[k]) column[k] = work.S[k].dot(F);
  return column;
}

/// −Sᵀ Σ m (p × e; e): the weight of everything a coordinate carries.
VecX rnea_by_gravity(const Model& model, const DynamicsWorkspace& work, int component) {
  VecX column = VecX::Zero(model.nv());
  const auto& links = model.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Vec6 weight = work.inertia[i] * Vec6(Vec6::Unit(3 + component));
    for (int k = links[i].v + links[i].nv - 1; k >= 0; k = model.velocity_parent()[k])
      column[k] -= work.S[k].dot(weight);
  }
  return column;
}

namespace {

VecX by_parameter(const Model& model, const DynamicsWorkspace& work, const State& state,
                  const ParameterId& id) {
  switch (id.kind) {
    case ParameterKind::inertia:
      return rnea_by_inertia(model, work, model.bodies()[id.index].link, model.bodies()[id.index].X_LB,
                             id.component);
    case ParameterKind::gravity:
      return rnea_by_gravity(model, work, id.component);
    case ParameterKind::damping:
      return state.v[id.index] * VecX::Unit(model.nv(), id.index);
    case ParameterKind::stiffness: {
      const double stretch = state.q[model.velocity_position()[id.index]] - model.rest_position()[id.index];
      return stretch * VecX::Unit(model.nv(), id.index);
    }
    case ParameterKind::friction:
    case ParameterKind::restitution:
    case ParameterKind::step_size:
      break;
  }
  return VecX::Zero(model.nv());
}

MatX by_parameters(const Model& model, const DynamicsWorkspace& work, const State& state,
                   std::span<const ParameterId> ids) {
  MatX columns(model.nv(), static_cast<int>(ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i].kind != ParameterKind::step_size)
      static_cast<void>(parameter_value(model, ids[i]));  // it exists
    columns.col(static_cast<int>(i)) = by_parameter(model, work, state, ids[i]);
  }
  return columns;
}

}  // namespace

MatX inverse_dynamics_by_parameters(const Model& model, const State& state, const VecX& a,
                                    std::span<const ParameterId> ids) {
  DynamicsWorkspace work(model);
  VecX effort;
  inverse_dynamics(model, state, a, work, effort);
  return by_parameters(model, work, state, ids);
}

MatX forward_dynamics_by_parameters(const Model& model, const State& state, const VecX& effort,
                                    std::span<const ParameterId> ids, const VecX& prescribed) {
  DynamicsWorkspace work(model);
  VecX a = prescribed.size() > 0 ? prescribed : VecX(VecX::Zero(model.nv()));
  forward_dynamics(model, state, effort, work, a);
  MatX columns = by_parameters(model, work, state, ids);
  for (int c = 0; c < columns.cols(); ++c) {
    a = -columns.col(c);
    solve_articulated(model, work, a, work.effort);
    columns.col(c) = work.effort;
  }
  return columns;
}

}  // namespace jade
