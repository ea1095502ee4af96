#include "jade/dynamics/forward_dynamics.h"

#include <algorithm>

#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"

namespace jade {
namespace {

/// Eliminates the coordinates of one link from its articulated inertia and hands what is left to its parent.
[[gnu::always_inline]] inline void factor_link(const Link& link, const VecX& diagonal, Mat6& I,
                                               DynamicsWorkspace& work) {
  Mat6* parent = link.parent < 0 ? nullptr : &work.articulated[link.parent];
  if (link.prescribed) {
    work.inverse_D[link.v] = 0;
    if (parent) *parent += I;
    return;
  }
  for (int k = link.v + link.nv; k-- > link.v;) {
    const Vec6& S = work.S[k];
    const Vec6 U = I * S;
    const double inverse_D = 1 / (S.dot(U) + diagonal[k]);
    work.U[k] = U;
    work.inverse_D[k] = inverse_D;
    // What is left after the last elimination goes straight to the parent; the world takes nothing.
    if (k > link.v)
      for (int c = 0; c < 6; ++c) I.col(c) -= U * (U[c] * inverse_D);
    else if (parent)
      for (int c = 0; c < 6; ++c) parent->col(c) += I.col(c) - U * (U[c] * inverse_D);
  }
}

/// Takes the force on one link to its parent, leaving u of its coordinates.
[[gnu::always_inline]] inline void pass_force_up(const Link& link, const VecX& tau, Vec6& F,
                                                 DynamicsWorkspace& work) {
  if (!link.prescribed) {
    for (int k = link.v + link.nv; k-- > link.v;) {
      work.u[k] = tau[k] - work.S[k].dot(F);
      F += work.U[k] * (work.u[k] * work.inverse_D[k]);
    }
  }
  if (link.parent >= 0) work.F[link.parent] += F;
}

void sweep_up(const Model& model, const VecX& tau, DynamicsWorkspace& work) {
  const auto& links = model.links();
  for (std::size_t i = links.size(); i-- > 0;) pass_force_up(links[i], tau, work.F[i], work);
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

/// Forces on the links if no free coordinate were accelerated.
void forces_at_rest(const Model& model, DynamicsWorkspace& work, const VecX& a) {
  const auto& links = model.links();
  Vec6 A_world;
  A_world << Vec3::Zero(), -model.gravity();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    Vec6& A = work.A[i];
    A = (link.parent < 0 ? A_world : work.A[link.parent]) + work.Vx[i];
    if (link.prescribed) A += work.S[link.v] * a[link.v];
    work.F[i] = rigid_force(work.inertia[i], work.V[i], A);
  }
}

void add_accelerations(const Model& model, DynamicsWorkspace& work) {
  for (std::size_t i = 0; i < model.links().size(); ++i) work.A[i] += work.dA[i];
}

}  // namespace

void factor_articulated(const Model& model, const VecX& diagonal, DynamicsWorkspace& work) {
  const auto& links = model.links();
  for (std::size_t i = 0; i < links.size(); ++i) work.articulated[i] = work.inertia[i].matrix();
  for (std::size_t i = links.size(); i-- > 0;) factor_link(links[i], diagonal, work.articulated[i], work);
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
  forces_at_rest(model, work, a);
  sweep_up(model, tau, work);
  sweep_down(model, work, a);
  add_accelerations(model, work);
}

void forward_dynamics(const Model& model, const State& state, const VecX& effort, DynamicsWorkspace& work,
                      VecX& a) {
  update_positions(model, state.q, work);
  update_velocities(model, state.v, work);
  if (model.has_springs() || model.has_dampers())
    passive_forces(model, state.q, state.v, work.effort);
  else
    work.effort.setZero();
  work.effort += effort.cwiseMax(-model.effort_limit()).cwiseMin(model.effort_limit());
  // factor_articulated and aba in one sweep over the links.
  forces_at_rest(model, work, a);
  const auto& links = model.links();
  for (std::size_t i = 0; i < links.size(); ++i) work.articulated[i] = work.inertia[i].matrix();
  for (std::size_t i = links.size(); i-- > 0;) {
    factor_link(links[i], model.armature(), work.articulated[i], work);
    pass_force_up(links[i], work.effort, work.F[i], work);
  }
  sweep_down(model, work, a);
  add_accelerations(model, work);
}

VecX forward_dynamics(const Model& model, const State& state, const VecX& effort, const VecX& prescribed) {
  DynamicsWorkspace work(model);
  VecX a = prescribed.size() > 0 ? prescribed : VecX(VecX::Zero(model.nv()));
  forward_dynamics(model, state, effort, work, a);
  return a;
}

}  // namespace jade
