#include <cmath>

#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/gradients/island_tape.h"
#include "jade/stepping/closing_rate.h"
#include "jade/stepping/midpoint.h"

namespace jade {

void IslandTape::implicit_diagonal(const Model& model, double s, VecX& E, VecX& by_s) const {
  E.setZero(model.nv());
  by_s.setZero(model.nv());
  for (int k = 0; midpoint() && k < model.nv(); ++k) {
    const ImplicitDamping damping = implicit_damping(model, k, s);
    E[k] = damping.value + 0.25 * s * s * model.stiffness()[k];
    by_s[k] = damping.by_h + 0.5 * s * model.stiffness()[k];
  }
}

void IslandTape::place_middle(const SolveTrace& trace) {
  for (const Part& part : parts_) {
    const Model& model = part.tree->model;
    VecX place = substep_->q.segment(part.q, model.nq());
    if (midpoint())
      place = integrate(model, place, (0.5 * trace.s) * substep_->v.segment(part.v, model.nv()));
    update_positions(model, place, part.tree->middle);
    q_m_.conservativeResize(substep_->q.size());
    q_m_.segment(part.q, model.nq()) = place;
  }
}

IslandTape::Solve& IslandTape::solve(int index) {
  if (solves_[static_cast<std::size_t>(index)].built) return solves_[static_cast<std::size_t>(index)];
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(index)];
  nearest.nearer(trace.nearest);
  if (!trace.solved) refuse("a segment's contact problem has no valid solution");

  Solve slots;
  slots.s = length_of(index);
  std::vector<int> bends;
  for (const BendTrace& bend : trace.bends) bends.push_back(bend_of(bend));
  place_middle(trace);
  slots.place = q_;
  if (midpoint()) {
    slots.place = tape.slot(nv);
    add_displacement(slots.place, q_, v_, 0.5 * trace.s, (0.5 * trace.s) * substep_->v);
    for (const Part& part : parts_) {
      const VecX v = substep_->v.segment(part.v, part.tree->model.nv());
      const IntegrationJacobians J = integration_jacobians(part.tree->model, (0.5 * trace.s) * v);
      tape.add(slots.place + part.v, slots.s, J.d * v, 0.5);
    }
  }
  bool slips = false;
  for (const RowsTrace& rows : trace.rows)
    slips = slips || (rows.count > 1 && rows.along_slip && !rows.from_start);
  if (slips) add_free_slip(trace, slots);

  slots.v_next = tape.slot(nv);
  slots.forces = tape.slot(static_cast<int>(trace.forces.f.size()));
  ClassSolve classes;
  add_dynamics(trace, slots, classes);
  const int shares = add_contact_rows(trace, slots, bends, classes);
  tape.solve(slots.v_next, slots.forces, shares, std::move(classes));
  slots.built = true;
  return solves_[static_cast<std::size_t>(index)] = slots;
}

void IslandTape::add_parameters(int out, int index, const DynamicsWorkspace& work, const At& at,
                                double scale) {
  const Part& part = parts_[static_cast<std::size_t>(index)];
  const Model& model = part.tree->model;
  for (const Use& use : uses_) {
    if (use.part >= 0 && use.part != index) continue;
    VecX column;
    const int k = use.id.index;
    switch (use.id.kind) {
      case ParameterKind::inertia:
        column = rnea_by_inertia(model, work, use.link, use.X_LB, use.id.component);
        break;
      case ParameterKind::gravity:
        column = rnea_by_gravity(model, work, use.id.component);
        break;
      case ParameterKind::damping: {
        const double implicit = midpoint() ? implicit_damping(model, k, at.s).by_damping : 0;
        column = (at.v[k] + implicit * at.a[k]) * VecX::Unit(model.nv(), k);
        break;
      }
      case ParameterKind::stiffness: {
        const int position = model.velocity_position()[static_cast<std::size_t>(k)];
        const double mean = q_m_[part.q + position] + (midpoint() ? 0.25 * at.s * at.s * at.a[k] : 0);
        column = (mean - model.rest_position()[k]) * VecX::Unit(model.nv(), k);
        break;
      }
      case ParameterKind::friction:
      case ParameterKind::restitution:
      case ParameterKind::step_size:
        continue;
    }
    for (int row = 0; row < model.nv(); ++row)
      if (model.prescribed(row)) column[row] = 0;
    tape.add(out, use.row, column, -scale);
  }
}

/// r₁ of the dynamics: −R_v dv − R_q dq_m − R_s ds + s dτ − s Y dp, and B.
void IslandTape::add_dynamics(const SolveTrace& trace, const Solve& slots, ClassSolve& classes) {
  const double s = trace.s, kappa = midpoint() ? 0.5 : 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    GradientTree& tree = *part.tree;
    const Model& model = tree.model;
    const int n = model.nv();
    const VecX v = substep_->v.segment(part.v, n), gained = trace.v_next.segment(part.v, n) - v;
    const VecX alpha = gained / s, v_bar = v + kappa * gained;
    VecX tau, E, E_by_s;
    implicit_diagonal(model, s, E, E_by_s);
    update_velocities(model, v_bar, tree.middle);
    rnea(model, alpha, tree.middle, tau);
    rnea_derivatives(model, tree.middle, tree.derivative, tree.jacobian);

    const MatX M = MatX(tree.jacobian.input()) + MatX(E.asDiagonal());
    const MatX B = M + (kappa * s) * tree.jacobian.v();
    MatX by_v = (1 - kappa) * s * tree.jacobian.v() - M, by_q = s * tree.jacobian.q();
    VecX by_s = tau + E.cwiseProduct(alpha) - island_.effort.segment(part.v, n) - M * alpha +
                s * E_by_s.cwiseProduct(alpha);
    MatX by_effort = s * MatX::Identity(n, n);
    for (int k = 0; k < n; ++k) {
      by_v(k, k) += s * model.damping()[k];
      by_q(k, k) += s * model.stiffness()[k];
      by_s[k] += model.damping()[k] * v[k];
      const int position = model.velocity_position()[static_cast<std::size_t>(k)];
      if (position >= 0)
        by_s[k] += model.stiffness()[k] * (q_m_[part.q + position] - model.rest_position()[k]);
    }
    // Prescribed coordinates: dv⁺ = dv + a ds, moved to the right of the other rows.
    for (int k = 0; k < n; ++k) {
      if (!model.prescribed(k)) continue;
      by_v.col(k) += B.col(k);
      by_s += B.col(k) * alpha[k];
    }
    for (int k = 0; k < n; ++k) {
      if (!model.prescribed(k)) continue;
      by_v.row(k) = -VecX::Unit(n, k).transpose();
      by_q.row(k).setZero();
      by_s[k] = -alpha[k];
      by_effort(k, k) = 0;
    }
    tape.add(slots.v_next + part.v, v_ + part.v, by_v, -1);
    tape.add(slots.v_next + part.v, slots.place + part.v, by_q, -1);
    tape.add(slots.v_next + part.v, slots.s, by_s, -1);
    tape.add(slots.v_next + part.v, effort_row(part), by_effort);
    add_parameters(slots.v_next + part.v, static_cast<int>(i), tree.middle, {v, alpha, s}, s);
    TreeFactorization factor(model);
    if (!factor.factor(model, B)) refuse("the mean velocity of a segment is not settled by Newton's matrix");
    classes.trees.push_back({&model, part.v, std::move(factor)});
  }
}

VecX IslandTape::slip_rates(const SolveTrace& trace, const RowsTrace& rows) const {
  if (rows.from_start) return substep_->v;
  return rows.count == 2 ? VecX(0.5 * (substep_->v + trace.u_first)) : trace.u_first;
}

/// The velocity at the end without contact forces from forces at v:  M̃ a₀ = τ − c(q_m, v) − …,  v + s a₀,  and the mean
/// v₀ = v + ½ s a₀.
void IslandTape::add_free_slip(const SolveTrace& trace, Solve& slots) {
  const double s = trace.s;
  const int a0 = tape.slot(nv);
  slots.v0 = tape.slot(nv);
  slots.v_free = tape.slot(nv);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    GradientTree& tree = *part.tree;
    const Model& model = tree.model;
    const int n = model.nv();
    const VecX v = substep_->v.segment(part.v, n);
    const VecX a = (trace.u_first.segment(part.v, n) - v) / s;
    VecX tau, E, E_by_s;
    implicit_diagonal(model, s, E, E_by_s);
    update_velocities(model, v, tree.middle);
    rnea(model, a, tree.middle, tau);
    rnea_derivatives(model, tree.middle, tree.derivative, tree.jacobian);
    MatX by_q = tree.jacobian.q(), by_v = tree.jacobian.v(), by_effort = MatX::Identity(n, n);
    VecX by_s = E_by_s.cwiseProduct(a);
    for (int k = 0; k < n; ++k) {
      by_q(k, k) += model.stiffness()[k];
      by_v(k, k) += model.damping()[k];
      if (!model.prescribed(k)) continue;
      by_q.row(k).setZero();
      by_v.row(k).setZero();
      by_s[k] = by_effort(k, k) = 0;
    }
    tape.add(a0 + part.v, slots.place + part.v, by_q, -1);
    tape.add(a0 + part.v, v_ + part.v, by_v, -1);
    tape.add(a0 + part.v, slots.s, by_s, -1);
    tape.add(a0 + part.v, effort_row(part), by_effort);
    add_parameters(a0 + part.v, static_cast<int>(i), tree.middle, {v, a, s}, 1);
    TreeFactorization factor(model);
    if (!factor.factor(model, MatX(tree.jacobian.input()) + MatX(E.asDiagonal())))
      refuse("a mass matrix cannot be factored");
    tape.solve(a0 + part.v, model, std::move(factor));
    tape.add(slots.v0 + part.v, slots.s, a, 0.5);
    tape.add(slots.v_free + part.v, slots.s, a, 1);
  }
  tape.add_scaled(slots.v0, v_, nv, 1);
  tape.add_scaled(slots.v0, a0, nv, 0.5 * s);
  tape.add_scaled(slots.v_free, v_, nv, 1);
  tape.add_scaled(slots.v_free, a0, nv, s);
}

void IslandTape::add_friction(const RowsTrace& rows, const ContactMotion& motion, const ForcesTrace& forces,
                              int out, double scale) {
  const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
  Vec3 by_mu = Vec3::Zero();
  for (int r = 1; r < rows.count; ++r) {
    const RowClass row_class = forces.classes[static_cast<std::size_t>(rows.first + r)];
    const double sign = row_class == RowClass::high ? 1 : row_class == RowClass::low ? -1 : 0;
    by_mu += sign * forces.f[rows.first] * rows.directions[static_cast<std::size_t>(r)];
  }
  if (by_mu.isZero(0)) return;
  MatX column = motion.J().transpose() * by_mu;
  clear_prescribed(motion, column);
  for (const Use& use : uses_)
    if (use.id.kind == ParameterKind::friction && use.id.index == contact.material)
      add_rows(out, motion, column, use.row, scale);
}

int IslandTape::add_contact_rows(const SolveTrace& trace, const Solve& slots, const std::vector<int>& bends,
                                 ClassSolve& classes) {
  const bool with_start = midpoint() && trace.with_gaps;  // rows of v + v⁺, or of v⁺ alone
  const VecX x = with_start ? VecX(substep_->v + trace.v_next) : trace.v_next;
  classes.rows.resize(trace.forces.classes.size());
  moved_.resize(std::max(moved_.size(), trace.rows.size()));
  std::vector<const PlacedContact*> placed;
  std::vector<FrameDerivative> frames(trace.rows.size());
  RowDerivative by;
  for (std::size_t index = 0; index < trace.rows.size(); ++index) {
    const RowsTrace& rows = trace.rows[index];
    FrameDerivative& frame = frames[index];
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    const PlacedContact& start = start_contact(rows.contact);
    if (midpoint())
      place_contact(contact, collision_, row_trees_middle_, anchor(contact.shape_a), anchor(contact.shape_b),
                    poses(contact.shape_a, contact.shape_b, row_trees_middle_), &start, moved_[index]);
    const PlacedContact& at = midpoint() ? moved_[index] : start;
    placed.push_back(&at);
    frame_by_position(rows, start, at, local(at.motion, slip_rates(trace, rows)), frame);
    rows_by_position(rows, at, frame, local(at.motion, x), by);
    Vec3 F = Vec3::Zero();
    for (int r = 0; r < rows.count; ++r) {
      F += trace.forces.f[rows.first + r] * rows.directions[static_cast<std::size_t>(r)];
      classes.rows[static_cast<std::size_t>(rows.first + r)] = {
          trace.forces.classes[static_cast<std::size_t>(rows.first + r)], rows.first, contact.friction};
    }
    force_by_position(F, at, frame, by);
    for (MatX* g : {&by.g_by_q, &by.g_by_place, &by.g_by_v0}) clear_prescribed(at.motion, *g);

    const int out = slots.forces + rows.first;
    add_columns(out, q_, at.motion, by.w_by_q, -1);
    add_columns(out, slots.place, at.motion, by.w_by_place, -1);
    if (with_start) add_columns(out, v_, at.motion, by.J, -1);
    add_both(slots.v_next, q_, at.motion, by.g_by_q, 1);
    add_both(slots.v_next, slots.place, at.motion, by.g_by_place, 1);
    if (const int v_slip = slip_slot(rows, slots.v0, slots.v_free); v_slip >= 0) {
      add_columns(out, v_slip, at.motion, by.w_by_v0, -1);
      add_both(slots.v_next, v_slip, at.motion, by.g_by_v0, 1);
    }
    add_friction(rows, at.motion, trace.forces, slots.v_next, 1);
    if (trace.with_gaps) add_bias(trace, rows, slots, bends, frame, out);
    for (int i = 0; i < at.motion.parts(); ++i) {
      const ContactMotion::Part& part = at.motion.part(i);
      classes.blocks.push_back({rows.first, parts_[static_cast<std::size_t>(part.tree)].v,
                                by.J.middleCols(part.first, part.count)});
    }
  }
  add_limit_rows(trace, slots, trace.forces, slots.forces, classes);
  if (!classes.factor()) refuse("a segment's equations cannot be solved");
  return add_shares({.rows = trace.rows,
                     .contacts = placed,
                     .frames = frames,
                     .limits = trace.limits,
                     .f = trace.forces.f,
                     .middle = true,
                     .place = slots.place,
                     .v0 = slots.v0,
                     .v_free = slots.v_free,
                     .s = slots.s,
                     .length = trace.s},
                    classes);
}

void IslandTape::add_limit_block(const LimitRowTrace& row, RowClass row_class, ClassSolve& classes) const {
  const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
  classes.rows[static_cast<std::size_t>(row.row)] = {row_class, -1, 0};
  classes.blocks.push_back({row.row, limit.velocity, MatX::Constant(1, 1, limit.sign)});
}

void IslandTape::add_limit_rows(const SolveTrace& trace, const Solve& slots, const ForcesTrace& forces,
                                int out, ClassSolve& classes) {
  for (const LimitRowTrace& row : trace.limits) {
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
    add_limit_block(row, forces.classes[static_cast<std::size_t>(row.row)], classes);
    if (!trace.with_gaps) continue;
    const bool explicit_euler = step_.integrator == Integrator::explicit_euler;
    double excess = limit.gap - limit.standoff;
    if (explicit_euler) excess += trace.s * limit.approach;
    const ClosingRate closing =
        closing_rate(excess, trace.s, step_.h, push_out_length(limit.standoff, limit.clearance));
    const double by_v = explicit_euler ? closing.by_excess * trace.s : midpoint() ? 0.5 : 0;  // ½ = 1 − ½
    tape.add_scaled(out + row.row, q_ + limit.velocity, 1, -closing.by_excess * limit.sign);
    tape.add_scaled(out + row.row, v_ + limit.velocity, 1, -by_v * limit.sign);
    tape.add_scaled(out + row.row, slots.s, 1,
                    -closing.by_s - (explicit_euler ? closing.by_excess * limit.approach : 0));
    tape.add_scaled(out + row.row, step_size_in, 1, -closing.by_h);
  }
}

/// r₂ of the bias: see Island::set_bias.
void IslandTape::add_bias(const SolveTrace& trace, const RowsTrace& rows, const Solve& slots,
                          const std::vector<int>& bends, const FrameDerivative& frame, int out) {
  const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
  const PlacedContact& start = start_contact(rows.contact);
  const VecX v = local(start.motion, substep_->v);
  const double s = trace.s;
  Eigen::RowVectorXd approach_q, approach_v;
  approach_by_position(start, v, approach_q, approach_v);
  const bool explicit_euler = step_.integrator == Integrator::explicit_euler;
  double excess = contact.now.gap - step_.standoff;
  if (explicit_euler) excess += s * contact.approach;
  const ClosingRate closing =
      closing_rate(excess, s, step_.h, push_out_length(step_.standoff, step_.clearance));
  // What of the closing speed is in the bias: of the gap that explicit Euler looks ahead to, or half of it.
  const double of_approach = explicit_euler ? closing.by_excess * s : midpoint() ? -0.5 : 0;
  add_columns(out, q_, start.motion,
              closing.by_excess * gap_row(start.motion, start.n) + of_approach * approach_q, -1);
  if (of_approach != 0) add_columns(out, v_, start.motion, of_approach * approach_v, -1);
  const double by_s = closing.by_s + (explicit_euler ? closing.by_excess * contact.approach : 0);
  tape.add_scaled(out, slots.s, 1, -by_s);
  if (closing.by_h != 0) tape.add_scaled(out, step_size_in, 1, -closing.by_h);
  for (std::size_t b = 0; b < trace.bends.size(); ++b) {
    const BendTrace& bend = trace.bends[b];
    if (bend.shape_a != contact.shape_a || bend.shape_b != contact.shape_b) continue;
    const double weight = midpoint() ? 2 : 1, span = bend.span;
    if (bends[b] >= 0) tape.add_scaled(out, bends[b], 1, -weight * s / (span * span));
    tape.add_scaled(out, slots.s, 1, -weight * bend.value / (span * span));
    tape.add_scaled(out, solve(bend.from).s, 1, 2 * weight * bend.value * s / (span * span * span));
  }
  if (!midpoint() || rows.count < 2) return;
  SlipDerivative slip;
  slip_at_start_by_position(rows, start, frame, v, slip);
  add_columns(out + 1, q_, start.motion, slip.by_q, 1);
  add_columns(out + 1, slots.place, start.motion, slip.by_place, 1);
  add_columns(out + 1, v_, start.motion, slip.by_v, 1);
  if (const int v_slip = slip_slot(rows, slots.v0, slots.v_free); v_slip >= 0)
    add_columns(out + 1, v_slip, start.motion, slip.by_v0, 1);
}

}  // namespace jade
