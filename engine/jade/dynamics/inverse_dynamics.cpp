#include "jade/dynamics/inverse_dynamics.h"

#include "jade/dynamics/kinematics.h"

namespace jade {

void rnea(const Model& model, const VecX& a, DynamicsWorkspace& work, VecX& tau) {
  const auto& links = model.links();
  tau.resize(model.nv());
  Vec6 A_world;
  A_world << Vec3::Zero(), -model.gravity();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    Vec6& A = work.A[i];
    A = (link.parent < 0 ? A_world : work.A[link.parent]) + work.Vx[i];
    for (int k = 0; k < link.nv; ++k) A += work.S[link.v + k] * a[link.v + k];
    work.F[i] = rigid_force(work.inertia[i], work.V[i], A);
  }
  for (std::size_t i = links.size(); i-- > 0;) {
    const Link& link = links[i];
    for (int k = link.v; k < link.v + link.nv; ++k)
      tau[k] = work.S[k].dot(work.F[i]) + model.armature()[k] * a[k];
    if (link.parent >= 0) work.F[link.parent] += work.F[i];
  }
}

VecX rnea(const Model& model, const VecX& q, const VecX& v, const VecX& a) {
  DynamicsWorkspace work(model);
  update_positions(model, q, work);
  update_velocities(model, v, work);
  VecX tau;
  rnea(model, a, work, tau);
  return tau;
}

void passive_forces(const Model& model, const VecX& q, const VecX& v, VecX& out) {
  out.resize(model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    const int position = model.velocity_position()[k];
    out[k] = -model.damping()[k] * v[k];
    if (position >= 0) out[k] -= model.stiffness()[k] * (q[position] - model.rest_position()[k]);
  }
}

void inverse_dynamics(const Model& model, const State& state, const VecX& a, DynamicsWorkspace& work,
                      VecX& effort) {
  update_positions(model, state.q, work);
  update_velocities(model, state.v, work);
  rnea(model, a, work, effort);
  passive_forces(model, state.q, state.v, work.effort);
  effort -= work.effort;
}

VecX inverse_dynamics(const Model& model, const State& state, const VecX& a) {
  DynamicsWorkspace work(model);
  VecX effort;
  inverse_dynamics(model, state, a, work, effort);
  return effort;
}

}  // namespace jade
