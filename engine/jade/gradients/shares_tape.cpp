#include <algorithm>
#include <cmath>

#include "jade/dynamics/kinematics.h"
#include "jade/gradients/island_tape.h"
#include "jade/math/rotation.h"
#include "jade/stepping/midpoint.h"

namespace jade {
namespace {

// As in the step: slip that is slower counts as none [m/s].
constexpr double kNoSlip = 1e-9;

}  // namespace

/// Where contacts are redundant and slip in different directions, how they share their load decides. The shares are those
/// of a vanishing compliance W = diag A, A = J M⁻¹ Jᵀ:  zᵀ W x = 0 for all z with zᵀ S J = 0. With S J y₁ = −W x,
///   zᵀ W dx = −zᵀ (S dJ y₁ + dW x),   dA_ii = 2 dJ_i z_i − z_iᵀ dM z_i,   z_i = M⁻¹ J_iᵀ
int IslandTape::add_shares(const Shares& at, ClassSolve& classes) {
  if (!no_derivative.empty() || !classes.shares_matter()) return -1;
  const std::vector<int>& free = classes.free_rows();
  const int out = tape.slot(static_cast<int>(at.f.size()));

  // z_i and the exact W.
  std::vector<VecX> E(parts_.size()), E_by_s(parts_.size());
  MatX Z = MatX::Zero(nv, static_cast<long>(free.size()));
  std::vector<std::pair<std::size_t, int>> contact_of;  // of each free row, and which of its rows
  RowDerivative by;
  for (const int row : free)
    for (std::size_t c = 0; c < at.rows.size(); ++c) {
      const int r = row - at.rows[c].first;
      if (r < 0 || r >= at.rows[c].count) continue;
      const ContactMotion& motion = at.contacts[c]->motion;
      const VecX J = motion.J().transpose() * at.rows[c].directions[static_cast<std::size_t>(r)];
      for (int p = 0; p < motion.parts(); ++p)
        Z.col(static_cast<long>(contact_of.size()))
            .segment(parts_[static_cast<std::size_t>(motion.part(p).tree)].v, motion.part(p).count) +=
            J.segment(motion.part(p).first, motion.part(p).count);
      contact_of.push_back({c, r});
    }
  if (contact_of.size() != free.size()) {
    // Limits come after all contacts; their rows do not move.
    for (const LimitRowTrace& row : at.limits) {
      if (std::find(free.begin(), free.end(), row.row) == free.end()) continue;
      const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
      Z(limit.velocity, static_cast<long>(contact_of.size())) = limit.sign;
      contact_of.push_back({at.rows.size(), 0});
    }
  }
  const MatX J = Z.transpose();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    GradientTree& tree = *parts_[i].tree;
    const int n = tree.model.nv();
    E[i].setZero(n);
    E_by_s[i].setZero(n);
    if (at.s >= 0) implicit_diagonal(tree.model, at.length, E[i], E_by_s[i]);
    momentum_derivatives(tree, at.middle ? tree.middle : tree.start, VecX::Zero(n));
    TreeFactorization factor(tree.model);
    if (!factor.factor(tree.model, MatX(tree.jacobian.input()) + MatX(E[i].asDiagonal())))
      refuse("a mass matrix cannot be factored");
    RowMatX own = Z.middleRows(parts_[i].v, n);
    for (int k = 0; k < n; ++k)
      if (tree.model.prescribed(k)) own.row(k).setZero();
    factor.solve(tree.model, own);
    Z.middleRows(parts_[i].v, n) = own;
  }
  VecX W(static_cast<long>(free.size()));
  for (long i = 0; i < W.size(); ++i) W[i] = J.row(i) * Z.col(i);
  if (!classes.set_weights(W)) refuse("the shares of redundant contacts cannot be found");

  // −S dJ y₁
  const auto add_row = [&](const RowDerivative& derivative, std::size_t contact, int r, int to,
                           double scale) {
    const ContactMotion& motion = at.contacts[contact]->motion;
    add_columns(to, q_, motion, derivative.w_by_q.row(r), scale);
    add_columns(to, at.place, motion, derivative.w_by_place.row(r), scale);
    if (const int v_slip = slip_slot(at.rows[contact], at.v0, at.v_free); v_slip >= 0)
      add_columns(to, v_slip, motion, derivative.w_by_v0.row(r), scale);
  };
  const VecX rates = classes.rates_of_shares(at.f);
  for (std::size_t i = 0; i < free.size(); ++i) {
    const auto [c, r] = contact_of[i];
    const double x = at.f[free[i]];
    const VecX z = Z.col(static_cast<long>(i));
    if (c < at.rows.size()) {
      rows_by_position(at.rows[c], *at.contacts[c], at.frames[c], local(at.contacts[c]->motion, rates), by);
      add_row(by, c, r, out + free[i], -1);
      rows_by_position(at.rows[c], *at.contacts[c], at.frames[c], local(at.contacts[c]->motion, z), by);
      add_row(by, c, r, out + free[i], -2 * x);  // of −dA_ii x_i, and what follows
    }
    for (std::size_t t = 0; t < parts_.size(); ++t) {
      GradientTree& tree = *parts_[t].tree;
      const VecX own = z.segment(parts_[t].v, tree.model.nv());
      if (own.isZero(0)) continue;
      DynamicsWorkspace& work = at.middle ? tree.middle : tree.start;
      momentum_derivatives(tree, work, own);
      tape.add(out + free[i], at.place + parts_[t].v, own.transpose() * tree.jacobian.q(), x);
      if (at.s >= 0) tape.add_scaled(out + free[i], at.s, 1, x * own.dot(E_by_s[t].cwiseProduct(own)));
      for (const Use& use : uses_) {
        if (use.part != static_cast<int>(t)) continue;
        double change = 0;
        const int k = use.id.index;
        if (use.id.kind == ParameterKind::inertia)
          change = own.dot(rnea_by_inertia(tree.model, work, use.link, use.X_LB, use.id.component));
        if (at.s >= 0 && midpoint() && use.id.kind == ParameterKind::damping)
          change = own[k] * own[k] * implicit_damping(tree.model, k, at.length).by_damping;
        if (at.s >= 0 && midpoint() && use.id.kind == ParameterKind::stiffness)
          change = 0.25 * at.length * at.length * own[k] * own[k];
        if (change != 0) tape.add_scaled(out + free[i], use.row, 1, x * change);
      }
    }
  }
  return out;
}

/// A contact that sticks at no slip: any slip that counts would end within the segment, after a time and a way of second
/// order, so that to first order it ends at once and the segment starts from
///   M (v' − v) = Jᵀ P x,   S_t J v' = 0 of such contacts,   S_n J (v' − v) = 0
/// Slip below what counts is carried on by the step as if it were none; the derivative is that of all slip that counts.
void IslandTape::stop_slip(const SolveTrace& trace) {
  if (!midpoint()) return;
  ForcesTrace forces{std::vector<RowClass>(trace.forces.classes.size(), RowClass::separate),
                     VecX::Zero(trace.forces.f.size())};
  std::vector<RowsTrace> at_start = trace.rows;
  bool any = false;
  for (RowsTrace& rows : at_start) {
    const auto row_class = [&](int r) {
      return trace.forces.classes[static_cast<std::size_t>(rows.first + r)];
    };
    if (row_class(0) != RowClass::clamped) continue;
    const PlacedContact& start = start_contact(rows.contact);
    const Vec3 velocity = start.motion.velocity(local(start.motion, substep_->v));
    const Vec3 n = start.n, in_plane = rows.directions[1] - n.dot(rows.directions[1]) * n;
    rows.directions = {n, Vec3::Zero(), Vec3::Zero()};
    forces.classes[static_cast<std::size_t>(rows.first)] = RowClass::clamped;
    if (rows.count < 2) continue;
    rows.directions[1] = in_plane.normalized();
    rows.directions[2] = n.cross(rows.directions[1]);
    const bool none = (velocity - n.dot(velocity) * n).norm() <= kNoSlip;
    for (int r = 1; r < rows.count; ++r) {
      const bool sticks = row_class(r) == RowClass::stick;
      forces.classes[static_cast<std::size_t>(rows.first + r)] =
          sticks && !none ? RowClass::separate : row_class(r);
      any = any || (sticks && none);
    }
  }
  if (!any) return;

  const int velocity = tape.slot(nv), unused = tape.slot(static_cast<int>(forces.f.size()));
  ClassSolve classes;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const long n = parts_[i].tree->model.nv();
    add_momentum(velocity, v_, q_, i, parts_[i].tree->start, VecX::Zero(n), VecX::Zero(n), classes);
  }
  classes.rows.resize(forces.classes.size());
  for (const RowsTrace& rows : at_start) {
    if (forces.classes[static_cast<std::size_t>(rows.first)] != RowClass::clamped) continue;
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    const PlacedContact& start = start_contact(rows.contact);
    const ContactMotion& motion = start.motion;
    const VecX v = local(motion, substep_->v);
    const Vec3 relative = motion.velocity(v);
    Mat3X turned;
    motion.velocity_by_position(v, start.P, turned);
    MatX J(rows.count, motion.size());
    for (int r = 0; r < rows.count; ++r) {
      const Vec3& d = rows.directions[static_cast<std::size_t>(r)];
      J.row(r) = d.transpose() * motion.J();
      classes.rows[static_cast<std::size_t>(rows.first + r)] = {
          forces.classes[static_cast<std::size_t>(rows.first + r)], rows.first, contact.friction};
      const int out = unused + rows.first + r;
      if (r == 0)
        add_columns(out, v_, motion, J.row(0), 1);
      else  // the frame turns with the normal; turning about it makes no slip of none
        add_columns(out, q_, motion,
                    d.cross(relative).transpose() * skew(start.n) * start.N + d.transpose() * turned, -1);
    }
    for (int p = 0; p < motion.parts(); ++p) {
      const ContactMotion::Part& part = motion.part(p);
      classes.blocks.push_back(
          {rows.first, parts_[static_cast<std::size_t>(part.tree)].v, J.middleCols(part.first, part.count)});
    }
  }
  for (const LimitRowTrace& row : trace.limits) {
    if (trace.forces.classes[static_cast<std::size_t>(row.row)] != RowClass::clamped) continue;
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
    add_limit_block(row, RowClass::clamped, classes);
    tape.add_scaled(unused + row.row, v_ + limit.velocity, 1, limit.sign);
  }
  if (!classes.factor()) refuse("a slip that ends at once cannot be solved");
  tape.solve(velocity, unused, -1, std::move(classes));
  v_ = velocity;
}

}  // namespace jade
