#include "jade/dynamics/forward_dynamics.h"

#include <algorithm>

#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"

namespace jade {
namespace {

/// Sweep to the world with the forces in work.F, leaving u.
void sweep_up(const Model& model, const VecX& tau, DynamicsWorkspace& work) {
  const auto& links = model.links();
  for (std::size_t i = links.size(); i-- > 0;) {
    const Link& link = links[i];
    Vec6& F = work.F[i];
    if (!link.prescribed) {
      for (int k = link.v + link.nv; k-- > link.v;) {
        work.u[k] = tau[k] - work.S[k].dot(F);
        F += work.U[k] * (work.u[k] * work.inverse_D[k]);
      }
    }
    if (link.parent >= 0) work.F[link.parent] += F;
  }
}

/// Sweep from the world: accelerations of coordinates and what they bring to each link.
void sweep_down(const Model& model, DynamicsWorkspace& work, VecX& a) {
  const auto& links = model.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    Vec6& A = work.dA[i];
    if (link.parent < 0)
      A.setZero();
    else
      A = work.dA[link.parent];
    if (link.prescribed) continue;
    for (int k = link.v; k < link.v + link.nv; ++k) {
      a[k] = (work.u[k] - work.U[k].dot(A)) * work.inverse_D[k];
      A += work.S[k] * a[k];
    }
  }
}

}  // namespace

void factor_articulated(const Model& model, const VecX& diagonal, DynamicsWorkspace& work) {
  const auto& links = model.links();
  for (std::size_t i = 0; i < links.size(); ++i) work.articulated[i] = work.inertia[i].matrix();
  for (std::size_t i = links.size(); i-- > 0;) {
    const Link& link = links[i];
    Mat6& I = work.articulated[i];
    for (int k = link.v + link.nv; k-- > link.v;) {
      Vec6& U = work.U[k];
      if (link.prescribed) {
        work.inverse_D[k] = 0;
        continue;
      }
      U.noalias() = I * work.S[k];
      work.inverse_D[k] = 1 / (work.S[k].dot(U) + diagonal[k]);
      I.noalias() -= U * (U * work.inverse_D[k]).transpose();
    }
    if (link.parent >= 0) work.articulated[link.parent] += I;
  }
}

void solve_articulated(const Model& model, DynamicsWorkspace& work, const VecX& y, VecX& x) {
  x.resize(model.nv());
  for (Vec6& F : work.F) F.setZero();
  sweep_up(model, y, work);
  sweep_down(model, work, x);
  for (const Link& link : model.links())
    if (link.prescribed) x[link.v] = 0;
}

void aba(const Model& model, const VecX& tau, DynamicsWorkspace& work, VecX& a) {
  const auto& links = model.links();
  Vec6 A_world;
  A_world << Vec3::Zero(), -model.gravity();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    Vec6& A = work.A[i];
    A = (link.parent < 0 ? A_world : work.A[link.parent]) + work.Vx[i];
    if (link.prescribed) A += work.S[link.v] * a[link.v];
    work.F[i] = work.inertia[i] * A + cross_force(work.V[i], work.inertia[i] * work.V[i]);
  }
  sweep_up(model, tau, work);
  sweep_down(model, work, a);
  for (std::size_t i = 0; i < links.size(); ++i) work.A[i] += work.dA[i];
}

void forward_dynamics(const Model& model, const State& state, const VecX& effort, DynamicsWorkspace& work,
                      VecX& a) {
  update_positions(model, state.q, work);
  update_velocities(model, state.v, work);
  factor_articulated(model, model.armature(), work);
  passive_forces(model, state.q, state.v, work.effort);
  for (int k = 0; k < model.nv(); ++k)
    work.effort[k] += std::clamp(effort[k], -model.effort_limit()[k], model.effort_limit()[k]);
  aba(model, work.effort, work, a);
}

VecX forward_dynamics(const Model& model, const State& state, const VecX& effort, const VecX& prescribed) {
  DynamicsWorkspace work(model);
  VecX a = prescribed.size() > 0 ? prescribed : VecX(VecX::Zero(model.nv()));
  forward_dynamics(model, state, effort, work, a);
  return a;
}

}  // namespace jade
