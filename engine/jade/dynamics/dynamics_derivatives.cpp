#include "jade/dynamics/dynamics_derivatives.h"

#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"

namespace jade {
namespace {

using Gyroscopic = DerivativeWorkspace::Gyroscopic;

Gyroscopic gyroscopic_of(const RigidInertia& I, const Vec6& V) {
  const Symmetric3& J = I.J;
  const Vec3 w = V.head<3>(), v = V.tail<3>(), h = I.h;
  // 2 J − tr J 1
  const double xx = J.xx - J.yy - J.zz, yy = J.yy - J.xx - J.zz, zz = J.zz - J.xx - J.yy;
  const double xy = 2 * J.xy, xz = 2 * J.xz, yz = 2 * J.yz;
  Gyroscopic out;
  out.W.col(0) = cross3(w, Vec3(xx, xy, xz)) - 2 * h[0] * v;
  out.W.col(1) = cross3(w, Vec3(xy, yy, yz)) - 2 * h[1] * v;
  out.W.col(2) = cross3(w, Vec3(xz, yz, zz)) - 2 * h[2] * v;
  const double trace = 2 * h.dot(v);
  for (int k = 0; k < 3; ++k) out.W(k, k) += trace;
  out.P = I.m * v - cross3(h, w);
  return out;
}

Vec6 apply(const Gyroscopic& B, const Vec6& x) {
  Vec6 out;
  out.head<3>() = B.W * x.head<3>();
  out.tail<3>() = 2 * cross3(x.head<3>(), B.P);
  return out;
}

/// Bᵀ s, whose linear part is zero.
Vec3 apply_transposed(const Gyroscopic& B, const Vec6& s) {
  return B.W.transpose() * s.head<3>() + 2 * cross3(B.P, s.tail<3>());
}

/// How each link's own columns and velocity terms move: Ψ̇, Ψ̈ and Ψ̇ + σ.
void update_column_rates(const Model& model, const DynamicsWorkspace& work, DerivativeWorkspace& out) {
  const auto& links = model.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    const Vec6 &V = work.V[i], &A = work.A[i];
    for (int k = link.v; k < link.v + link.nv; ++k) {
      const Vec6& S = work.S[k];
      out.dS[k] = cross_motion(V, S);
      out.ddS[k] = cross_motion(A, S) + cross_motion(V, out.dS[k]);
      out.dS_v[k] = out.dS[k];
      if (link.parent >= 0) out.dS_v[k] += cross_motion(work.V[link.parent], S);
    }
    if (link.motion != LinkMotion::free) continue;
    // Translation: no force changes with it, and Ṡ q̇ = (0; v × ω) cancels Ψ̇. Rotation: σ = (0; v × e).
    for (int k = 0; k < 3; ++k) {
      out.dS[link.v + k].setZero();
      out.ddS[link.v + k].setZero();
      out.dS_v[link.v + k].setZero();
      out.dS_v[link.v + 3 + k].tail<3>() += cross3(V.tail<3>(), Vec3::Unit(k));
    }
  }
}

void set_composites(const DynamicsWorkspace& work, DerivativeWorkspace& out) {
  for (std::size_t i = 0; i < work.inertia.size(); ++i) {
    const RigidInertia& I = work.inertia[i];
    out.inertia[i] = I;
    out.gyroscopic[i] = gyroscopic_of(I, work.V[i]);
    out.F[i] = rigid_force(I, work.V[i], work.A[i]);
  }
}

/// Springs and dampers oppose motion, so efforts must rise with it.
void add_passive(const Model& model, DynamicsDerivatives& out) {
  for (int k = 0; k < model.nv(); ++k) {
    out.all(k, k) += model.stiffness()[k];
    out.all(k, model.nv() + k) += model.damping()[k];
  }
}

}  // namespace

DerivativeWorkspace::DerivativeWorkspace(const Model& model) : mass(model) {
  const std::size_t links = model.links().size(), nv = static_cast<std::size_t>(model.nv());
  inertia.resize(links);
  gyroscopic.resize(links);
  F.assign(links, Vec6::Zero());
  for (auto* list : {&dS, &ddS, &dS_v}) list->assign(nv, Vec6::Zero());
}

void rnea_derivatives(const Model& model, const DynamicsWorkspace& work, DerivativeWorkspace& derivative,
                      DynamicsDerivatives& out) {
  const auto& links = model.links();
  const int nv = model.nv();
  out.all.setZero(nv, 3 * nv);
  update_column_rates(model, work, derivative);
  set_composites(work, derivative);
  for (std::size_t i = links.size(); i-- > 0;) {
    const Link& link = links[i];
    const RigidInertia& I = derivative.inertia[i];
    const Gyroscopic& B = derivative.gyroscopic[i];
    for (int k = link.v; k < link.v + link.nv; ++k) {
      const Vec6& S = work.S[k];
      const bool translation = link.motion == LinkMotion::free && k < link.v + 3;
      const Vec6 IS = I * S;
      const Vec3 BS = apply_transposed(B, S);
      Vec6 by_q = Vec6::Zero();
      if (!translation)
        by_q = cross_force(S, derivative.F[i]) + I * derivative.ddS[k] + apply(B, derivative.dS[k]);
      const Vec6 by_v = I * derivative.dS_v[k] + apply(B, S);
      double* row = &out.all(k, 0);

      // Coordinates of the same joint see k's column, those before it see both k's column and k's row.
      for (int j = link.v; j < link.v + link.nv; ++j) {
        double* row_j = &out.all(j, 0);
        row_j[k] = work.S[j].dot(by_q);
        row_j[nv + k] = work.S[j].dot(by_v);
        row_j[2 * nv + k] = work.S[j].dot(IS);
      }
      row[2 * nv + k] += model.armature()[k];
      for (int j = model.velocity_parent()[link.v]; j >= 0; j = model.velocity_parent()[j]) {
        double* row_j = &out.all(j, 0);
        row_j[k] = work.S[j].dot(by_q);
        row_j[nv + k] = work.S[j].dot(by_v);
        row[2 * nv + j] = row_j[2 * nv + k] = work.S[j].dot(IS);
        row[j] = IS.dot(derivative.ddS[j]) + BS.dot(derivative.dS[j].head<3>());
        row[nv + j] = IS.dot(derivative.dS_v[j]) + BS.dot(work.S[j].head<3>());
      }
    }
    if (link.parent < 0) continue;
    derivative.inertia[link.parent] += I;
    derivative.gyroscopic[link.parent].W += B.W;
    derivative.gyroscopic[link.parent].P += B.P;
    derivative.F[link.parent] += derivative.F[i];
  }
}

void inverse_dynamics_derivatives(const Model& model, const State& state, const VecX& a,
                                  DynamicsWorkspace& work, DerivativeWorkspace& derivative,
                                  DynamicsDerivatives& out) {
  update_positions(model, state.q, work);
  update_velocities(model, state.v, work);
  rnea(model, a, work, work.effort);
  rnea_derivatives(model, work, derivative, out);
  add_passive(model, out);
}

DynamicsDerivatives inverse_dynamics_derivatives(const Model& model, const State& state, const VecX& a) {
  DynamicsWorkspace work(model);
  DerivativeWorkspace derivative(model);
  DynamicsDerivatives out;
  inverse_dynamics_derivatives(model, state, a, work, derivative, out);
  return out;
}

void forward_dynamics_derivatives(const Model& model, DynamicsWorkspace& work,
                                  DerivativeWorkspace& derivative, DynamicsDerivatives& out) {
  const int nv = model.nv();
  rnea_derivatives(model, work, derivative, out);
  add_passive(model, out);
  const bool positive = derivative.mass.factor(model, out.input());
  static_cast<void>(positive);  // the mass matrix of a valid model is positive definite

  // −∂τ/∂q, −∂τ/∂v and the identity, each with zero rows for prescribed coordinates; then all three at once.
  out.all.leftCols(2 * nv) *= -1;
  out.all.rightCols(nv).setIdentity();
  for (int k = 0; k < nv; ++k)
    if (model.prescribed(k)) out.all.row(k).setZero();
  derivative.mass.solve(model, out.all);
}

DynamicsDerivatives forward_dynamics_derivatives(const Model& model, const State& state, const VecX& effort,
                                                 const VecX& prescribed) {
  DynamicsWorkspace work(model);
  DerivativeWorkspace derivative(model);
  DynamicsDerivatives out;
  VecX a = prescribed.size() > 0 ? prescribed : VecX(VecX::Zero(model.nv()));
  forward_dynamics(model, state, effort, work, a);
  forward_dynamics_derivatives(model, work, derivative, out);
  return out;
}

}  // namespace jade
