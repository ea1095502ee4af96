#include "jade/dynamics/kinematics.h"

#include <cmath>
#include <limits>

namespace jade {
namespace {

Mat3 rotation_at(const VecX& q, int first) {
  return Quat(q[first], q[first + 1], q[first + 2], q[first + 3]).toRotationMatrix();
}

/// R turned about its own z axis.
[[gnu::always_inline]] inline void turn_about_z(Mat3& R, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const Vec3 x = R.col(0), y = R.col(1);
  R.col(0) = c * x + s * y;
  R.col(1) = c * y - s * x;
}

void update_pose(const Link& link, int i, const VecX& q, DynamicsWorkspace& work) {
  Mat3& R = work.R[i];
  Vec3& r = work.r[i];
  if (link.motion == LinkMotion::free) {
    R = rotation_at(q, link.q + 3);
    r = -(R * link.reference_L);
    work.origin[link.tree] = q.segment<3>(link.q) - r;
    return;
  }
  if (link.parent < 0) {
    R = link.X_PJ.R;
    r.setZero();
    work.origin[link.tree] = link.X_PJ.p;
  } else {
    R.noalias() = work.R[link.parent] * link.X_PJ.R;
    r.noalias() = work.R[link.parent] * link.X_PJ.p;
    r += work.r[link.parent];
  }
  switch (link.motion) {
    case LinkMotion::revolute:
      turn_about_z(R, q[link.q]);
      break;
    case LinkMotion::prismatic:
      r += q[link.q] * R.col(2);
      break;
    case LinkMotion::screw:
      r += link.pitch * q[link.q] * R.col(2);
      turn_about_z(R, q[link.q]);
      break;
    case LinkMotion::ball:
      R = (R * rotation_at(q, link.q)).eval();
      break;
    case LinkMotion::free:
      break;
  }
}

/// Makes the position of the tree's first massive link its origin: sliding far away loses no digits.
void move_origin(const Tree& tree, int index, DynamicsWorkspace& work) {
  const Vec3 shift = work.r[tree.origin_link];
  work.origin[index] += shift;
  for (int i = tree.first; i <= tree.origin_link; ++i) work.r[i] -= shift;
}

void set_revolute(const Vec3& axis, const Vec3& r, Vec6& S) {
  S.head<3>() = axis;
  S.tail<3>() = cross3(r, axis);
}

[[gnu::always_inline]] inline void update_columns(const Link& link, int i, DynamicsWorkspace& work) {
  const Mat3& R = work.R[i];
  const Vec3& r = work.r[i];
  Vec6* S = &work.S[link.v];
  switch (link.motion) {
    case LinkMotion::revolute:
      set_revolute(R.col(2), r, *S);
      break;
    case LinkMotion::prismatic:
      *S << Vec3::Zero(), R.col(2);
      break;
    case LinkMotion::screw:
      set_revolute(R.col(2), r, *S);
      S->tail<3>() += link.pitch * R.col(2);
      break;
    case LinkMotion::ball: {
      Mat3 R_WJ = link.X_PJ.R;
      if (link.parent >= 0) R_WJ = work.R[link.parent] * link.X_PJ.R;
      for (int k = 0; k < 3; ++k) set_revolute(R_WJ.col(k), r, S[k]);
      break;
    }
    case LinkMotion::free:
      break;  // the workspace was made with them
  }
}

/// Rotates and moves a link's ten numbers to O: c = r + R c_L, J = R I_c Rᵀ + m (|c|² 1 − c cᵀ), written without
/// the centre of mass so that massless links are no exception.
[[gnu::always_inline]] inline void update_inertia(const Link& link, int i, DynamicsWorkspace& work) {
  RigidInertia& out = work.inertia[i];
  const SpatialInertia& in = link.inertia;
  const Mat3& R = work.R[i];
  const Vec3& p = work.r[i];
  const double m = in.mass;
  const Vec3 h = R * in.moment;
  const Vec3 g = h + 0.5 * m * p;  // h pᵀ + p hᵀ + m p pᵀ = g pᵀ + p gᵀ
  const Mat3 RI = R * in.inertia;
  const auto rotated = [&](int a, int b) {
    return RI(a, 0) * R(b, 0) + RI(a, 1) * R(b, 1) + RI(a, 2) * R(b, 2);
  };
  const double gx = 2 * g[0] * p[0], gy = 2 * g[1] * p[1], gz = 2 * g[2] * p[2];
  out.m = m;
  out.h = h + m * p;
  // O is the centre of mass of a free link, unless its parameters have been changed: rounding of that ties no rotation to
  // translation.
  constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
  if (link.motion == LinkMotion::free && out.h.squaredNorm() <= kRounding * kRounding * h.squaredNorm())
    out.h.setZero();
  out.J.xx = rotated(0, 0) + (gy + gz);
  out.J.yy = rotated(1, 1) + (gx + gz);
  out.J.zz = rotated(2, 2) + (gx + gy);
  out.J.xy = rotated(0, 1) - (g[0] * p[1] + g[1] * p[0]);
  out.J.xz = rotated(0, 2) - (g[0] * p[2] + g[2] * p[0]);
  out.J.yz = rotated(1, 2) - (g[1] * p[2] + g[2] * p[1]);
}

/// Calls visit(velocity) for every velocity that moves `link`.
template <class Visit>
void for_each_velocity_below(const Model& model, int link, Visit&& visit) {
  for (; link >= 0; link = model.links()[link].parent)
    for (int k = 0; k < model.links()[link].nv; ++k) visit(model.links()[link].v + k);
}

}  // namespace

void update_poses(const Model& model, const VecX& q, DynamicsWorkspace& work) {
  const auto& links = model.links();
  for (std::size_t t = 0; t < model.trees().size(); ++t) {
    const Tree& tree = model.trees()[t];
    for (int i = tree.first; i < tree.end; ++i) {
      update_pose(links[i], i, q, work);
      if (i == tree.origin_link && links[i].motion != LinkMotion::free)
        move_origin(tree, static_cast<int>(t), work);
    }
  }
  for (std::size_t i = 0; i < links.size(); ++i) update_columns(links[i], static_cast<int>(i), work);
}

void update_inertias(const Model& model, DynamicsWorkspace& work) {
  const auto& links = model.links();
  for (std::size_t i = 0; i < links.size(); ++i) update_inertia(links[i], static_cast<int>(i), work);
}

void update_positions(const Model& model, const VecX& q, DynamicsWorkspace& work) {
  update_poses(model, q, work);
  update_inertias(model, work);
}

void update_velocities(const Model& model, const VecX& v, DynamicsWorkspace& work) {
  const auto& links = model.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    if (link.motion == LinkMotion::free) {
      const Vec3 linear = v.segment<3>(link.v), angular = v.segment<3>(link.v + 3);
      work.V[i].head<3>() = angular;
      work.V[i].tail<3>() = linear;
      work.Vx[i].head<3>().setZero();
      work.Vx[i].tail<3>() = cross3(linear, angular);
      continue;
    }
    Vec6 own = work.S[link.v] * v[link.v];
    for (int k = 1; k < link.nv; ++k) own += work.S[link.v + k] * v[link.v + k];
    if (link.parent < 0) {
      work.V[i] = own;
      work.Vx[i].setZero();
    } else {
      work.V[i] = work.V[link.parent] + own;
      work.Vx[i] = cross_motion(work.V[link.parent], own);
    }
  }
}

Transform body_pose(const Model& model, const DynamicsWorkspace& work, int body) {
  const Body& b = model.bodies()[body];
  if (b.link < 0) return b.X_LB;
  const Vec3 from_origin = work.r[b.link] + work.R[b.link] * b.X_LB.p;
  return {work.R[b.link] * b.X_LB.R, work.origin[model.links()[b.link].tree] + from_origin};
}

BodyVelocity body_velocity(const Model& model, const DynamicsWorkspace& work, int body) {
  const Body& b = model.bodies()[body];
  if (b.link < 0) return {Vec3::Zero(), Vec3::Zero()};
  const Vec3 from_origin = work.r[b.link] + work.R[b.link] * b.X_LB.p;
  const Vec3 w = work.V[b.link].head<3>();
  return {w, work.V[b.link].tail<3>() + cross3(w, from_origin)};
}

void body_jacobian(const Model& model, const DynamicsWorkspace& work, int body, Eigen::Ref<Mat6X> jacobian) {
  const Body& b = model.bodies()[body];
  jacobian.setZero();
  if (b.link < 0) return;
  const Vec3 from_origin = work.r[b.link] + work.R[b.link] * b.X_LB.p;
  for_each_velocity_below(model, b.link, [&](int k) {
    const Vec3 w = work.S[k].head<3>();
    jacobian.col(k) << w, work.S[k].tail<3>() + cross3(w, from_origin);
  });
}

void point_jacobian(const Model& model, const DynamicsWorkspace& work, int body, const Vec3& p_W,
                    Eigen::Ref<Mat3X> jacobian) {
  const Body& b = model.bodies()[body];
  jacobian.setZero();
  if (b.link < 0) return;
  const Vec3 from_origin = p_W - work.origin[model.links()[b.link].tree];
  for_each_velocity_below(model, b.link, [&](int k) {
    jacobian.col(k) = work.S[k].tail<3>() + cross3(work.S[k].head<3>(), from_origin);
  });
}

}  // namespace jade
