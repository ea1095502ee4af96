#include "jade/dynamics/forward_dynamics.h"

#include <algorithm>
#include <cmath>

#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"

namespace jade {
namespace {

constexpr double kNoForce[6] = {};

/// Coordinates of a free joint move along single spatial axes: first the linear ones, which stand last there.
constexpr int free_axis(int k) { return k < 3 ? k + 3 : k - 3; }

/// Eliminates the coordinates of one link from its articulated inertia and hands what is left to its parent.
[[gnu::always_inline]] inline void factor_link(const Link& link, const VecX& diagonal, Mat6& I,
                                               DynamicsWorkspace& work) {
  Mat6* parent = link.parent < 0 ? nullptr : &work.articulated[link.parent];
  if (link.prescribed) {
    work.inverse_D[link.v] = 0;
    if (parent) *parent += I;
    return;
  }
  const bool free = link.motion == LinkMotion::free;
  for (int k = link.v + link.nv; k-- > link.v;) {
    const Vec6& S = work.S[k];
    const int axis = free_axis(k - link.v);
    const Vec6 U = free ? Vec6(I.col(axis)) : Vec6(I * S);
    const double inverse_D = 1 / ((free ? U[axis] : S.dot(U)) + diagonal[k]);
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

/// Both sweeps of a body alone in the air, where S are unit vectors: u_k = τ_k − F_k, x = M⁻¹ u. Columns of U below the
/// diagonal are the factor of M, inverse_D its pivots.
[[gnu::always_inline]] inline void solve_single(const DynamicsWorkspace& work, const double* tau,
                                                const double* F, double* u, double* x) {
  double scaled[6];
  for (int k = 5; k >= 0; --k) {
    double sum = tau[k] - F[free_axis(k)];
    for (int m = k + 1; m < 6; ++m) sum -= work.U[m][free_axis(k)] * scaled[m];
    u[k] = sum;
    scaled[k] = sum * work.inverse_D[k];
  }
  for (int k = 0; k < 6; ++k) {
    double sum = u[k];
    for (int j = 0; j < k; ++j) sum -= work.U[k][free_axis(j)] * x[j];
    x[k] = sum * work.inverse_D[k];
  }
}

/// The factor of a body alone in the air whose reference is its centre of mass: m for each way, and the rotations' three
/// eliminations written out.
void factor_about_centre(const RigidInertia& I, const VecX& diagonal, DynamicsWorkspace& work) {
  const Symmetric3& J = I.J;
  const double d5 = 1 / (J.zz + diagonal[5]), x5 = J.xz * d5, y5 = J.yz * d5;
  const double xx = J.xx - J.xz * x5, xy = J.xy - J.xz * y5, yy = J.yy - J.yz * y5;
  const double d4 = 1 / (yy + diagonal[4]), x4 = xy * d4;
  const double rest = xx - xy * x4;
  work.U[5] << J.xz, J.yz, J.zz, 0, 0, 0;
  work.U[4] << xy, yy, J.yz - J.zz * y5, 0, 0, 0;
  work.U[3] << rest, xy - yy * x4, 0, 0, 0, 0;
  work.inverse_D[5] = d5;
  work.inverse_D[4] = d4;
  work.inverse_D[3] = 1 / (rest + diagonal[3]);
  for (int k = 0; k < 3; ++k) {
    work.U[k] = I.m * Vec6::Unit(3 + k);
    work.inverse_D[k] = 1 / (I.m + diagonal[k]);
  }
}

/// aba of such a body: gravity pulls at its centre, and only rotation knows of velocities.
void aba_about_centre(const Vec3& gravity, const VecX& tau, DynamicsWorkspace& work, VecX& a) {
  const RigidInertia& I = work.inertia[0];
  const Vec3 w = work.V[0].head<3>(), gyroscopic = cross3(w, I.J * w);
  const double *d = work.inverse_D.data(), l43 = work.U[4][0], l53 = work.U[5][0], l54 = work.U[5][1];
  for (int k = 0; k < 3; ++k) a[k] = (tau[k] + I.m * gravity[k]) * d[k];
  const double u5 = tau[5] - gyroscopic[2], s5 = u5 * d[5];
  const double u4 = tau[4] - gyroscopic[1] - l54 * s5;
  const double u3 = tau[3] - gyroscopic[0] - l43 * (u4 * d[4]) - l53 * s5;
  a[3] = u3 * d[3];
  a[4] = (u4 - l43 * a[3]) * d[4];
  a[5] = (u5 - l53 * a[3] - l54 * a[4]) * d[5];
  work.A[0] << a.segment<3>(3), a.segment<3>(0) - gravity + work.Vx[0].tail<3>();
}

bool is_single_body(const Model& model) {
  return model.links().size() == 1 && model.links()[0].motion == LinkMotion::free;
}

/// Whether that is all there is, and its factor keeps translation and rotation apart.
bool is_about_centre(const Model& model, const DynamicsWorkspace& work) {
  return is_single_body(model) && !model.links()[0].prescribed && work.inertia[0].h.isZero(0);
}

/// Column k of M⁻¹ down to its diagonal, and its mirror. The unit force reaches the links below alone, and what they do
/// to later coordinates is known from the columns of those.
void inverse_column(const Model& model, int k, DynamicsWorkspace& work, double* inverse) {
  const auto& links = model.links();
  const int nv = model.nv(), last = model.velocity_link()[k];
  if (links[last].prescribed) return;
  work.u.head(k + 1).setZero();
  Vec6 F = Vec6::Zero();
  for (int i = last; i >= 0; i = links[i].parent) {
    if (links[i].prescribed) continue;
    for (int j = i == last ? k : links[i].v + links[i].nv - 1; j >= links[i].v; --j) {
      work.u[j] = (j == k ? 1 : 0) - work.S[j].dot(F);
      F += work.U[j] * (work.u[j] * work.inverse_D[j]);
    }
  }
  for (int i = 0; i <= last; ++i) {
    Vec6& A = work.dA[i];
    if (links[i].parent < 0)
      A.setZero();
    else
      A = work.dA[links[i].parent];
    if (links[i].prescribed) continue;
    for (int j = links[i].v; j < std::min(links[i].v + links[i].nv, k + 1); ++j) {
      const double x = (work.u[j] - work.U[j].dot(A)) * work.inverse_D[j];
      A += work.S[j] * x;
      inverse[k * nv + j] = inverse[j * nv + k] = x;
    }
  }
}

}  // namespace

void factor_articulated(const Model& model, const VecX& diagonal, DynamicsWorkspace& work) {
  const auto& links = model.links();
  if (is_about_centre(model, work)) return factor_about_centre(work.inertia[0], diagonal, work);
  for (std::size_t i = 0; i < links.size(); ++i) work.articulated[i] = work.inertia[i].matrix();
  for (std::size_t i = links.size(); i-- > 0;) factor_link(links[i], diagonal, work.articulated[i], work);
}

void solve_articulated(const Model& model, DynamicsWorkspace& work, const VecX& y, VecX& x) {
  x.resize(model.nv());
  if (is_single_body(model)) return solve_single(work, y.data(), kNoForce, work.u.data(), x.data());
  for (Vec6& F : work.F) F.setZero();
  sweep_up(model, y, work);
  sweep_down(model, work, x);
  for (const Link& link : model.links())
    if (link.prescribed) x[link.v] = 0;
}

void solve_articulated_rows(const Model& model, DynamicsWorkspace& work, const double* rows, int count,
                            double* out) {
  const int nv = model.nv();
  if (is_single_body(model)) {
    for (int r = 0; r < count; ++r) solve_single(work, rows + 6 * r, kNoForce, work.u.data(), out + 6 * r);
    return;
  }
  for (int r = 0; r < count; ++r) {
    work.effort = Eigen::Map<const VecX>(rows + r * nv, nv);
    solve_articulated(model, work, work.effort, work.effort);
    Eigen::Map<VecX>(out + r * nv, nv) = work.effort;
  }
}

void inverse_articulated(const Model& model, DynamicsWorkspace& work, double* inverse) {
  const int nv = model.nv();
  std::fill(inverse, inverse + nv * nv, 0.0);
  if (is_about_centre(model, work)) {
    // L D Lᵀ of the rotations, from the last coordinate to the first: three numbers below the diagonal.
    const double l43 = work.U[4][0] * work.inverse_D[4], l53 = work.U[5][0] * work.inverse_D[5],
                 l54 = work.U[5][1] * work.inverse_D[5];
    const double d3 = work.inverse_D[3], d4 = work.inverse_D[4], d5 = work.inverse_D[5];
    const double m53 = l54 * l43 - l53;  // of the inverse of L
    for (int k = 0; k < 3; ++k) inverse[7 * k] = work.inverse_D[k];
    inverse[21] = d3;
    inverse[22] = inverse[27] = -l43 * d3;
    inverse[23] = inverse[33] = m53 * d3;
    inverse[28] = d4 + l43 * l43 * d3;
    inverse[29] = inverse[34] = -l54 * d4 - l43 * m53 * d3;
    inverse[35] = d5 + l54 * l54 * d4 + m53 * m53 * d3;
    return;
  }
  for (int k = 0; k < nv; ++k) inverse_column(model, k, work, inverse);
}

void link_response(const Model& model, int link, DynamicsWorkspace& work, Vec6* by_velocity, Mat6& on_link) {
  const auto& links = model.links();
  for (int k = 0; k < model.nv(); ++k) by_velocity[k].setZero();
  // Rows of `force` are forces, entries of `by_velocity` what they leave of efforts on the way to the world.
  Mat6 force = -Mat6::Identity();
  for (int i = link; i >= 0; i = links[i].parent) {
    if (links[i].prescribed) continue;
    for (int k = links[i].v + links[i].nv; k-- > links[i].v;) {
      by_velocity[k].noalias() = -(force * work.S[k]);
      const Vec6 scaled = by_velocity[k] * work.inverse_D[k];
      for (int c = 0; c < 6; ++c) force.col(c) += scaled * work.U[k][c];
    }
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    Mat6& answer = work.answer[i];
    if (links[i].parent < 0)
      answer.setZero();
    else
      answer = work.answer[links[i].parent];
    if (links[i].prescribed) continue;
    for (int k = links[i].v; k < links[i].v + links[i].nv; ++k) {
      by_velocity[k].noalias() -= answer * work.U[k];
      by_velocity[k] *= work.inverse_D[k];
      for (int c = 0; c < 6; ++c) answer.col(c) += by_velocity[k] * work.S[k][c];
    }
  }
  on_link = work.answer[link].transpose();
}

void aba(const Model& model, const VecX& tau, DynamicsWorkspace& work, VecX& a) {
  if (is_about_centre(model, work)) return aba_about_centre(model.gravity(), tau, work, a);
  forces_at_rest(model, work, a);
  if (is_single_body(model)) {
    solve_single(work, tau.data(), work.F[0].data(), work.u.data(), a.data());
    Vec6& A = work.A[0];
    for (int k = 0; k < 6; ++k) A[free_axis(k)] += a[k];
    return;
  }
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
