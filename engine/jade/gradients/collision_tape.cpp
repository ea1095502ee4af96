#include "jade/dynamics/kinematics.h"
#include "jade/gradients/island_tape.h"

namespace jade {

void IslandTape::momentum_derivatives(GradientTree& tree, DynamicsWorkspace& work, const VecX& change) {
  const Model& model = tree.model;
  update_velocities(model, VecX::Zero(model.nv()), work);
  // Accelerations without gravity: inverse dynamics is M Δ then.
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    work.A[i].setZero();
    if (link.parent >= 0) work.A[i] = work.A[static_cast<std::size_t>(link.parent)];
    for (int k = link.v; k < link.v + link.nv; ++k)
      work.A[i] += work.S[static_cast<std::size_t>(k)] * change[k];
  }
  rnea_derivatives(model, work, tree.derivative, tree.jacobian);
}

void IslandTape::add_momentum(int out, int in, int place, std::size_t index, DynamicsWorkspace& work,
                              const VecX& change, const VecX& diagonal, ClassSolve& classes) {
  const Part& part = parts_[index];
  GradientTree& tree = *part.tree;
  const Model& model = tree.model;
  const int n = model.nv();
  momentum_derivatives(tree, work, change);
  const MatX M = MatX(tree.jacobian.input()) + MatX(diagonal.asDiagonal());
  MatX by_v = M, by_q = tree.jacobian.q();
  for (int k = 0; k < n; ++k) {
    if (!model.prescribed(k)) continue;
    by_v.col(k).setZero();
    by_v.row(k) = VecX::Unit(n, k).transpose();
    by_q.row(k).setZero();
  }
  tape.add(out + part.v, in + part.v, by_v);
  tape.add(out + part.v, place + part.v, by_q, -1);
  for (const Use& use : uses_) {
    if (use.id.kind != ParameterKind::inertia || use.part != static_cast<int>(index)) continue;
    VecX column = rnea_by_inertia(model, work, use.link, use.X_LB, use.id.component);
    for (int k = 0; k < n; ++k)
      if (model.prescribed(k)) column[k] = 0;
    tape.add(out + part.v, use.row, column, -1);
  }
  TreeFactorization factor(model);
  if (!factor.factor(model, M)) refuse("a mass matrix cannot be factored");
  classes.trees.push_back({&model, part.v, std::move(factor)});
}

/// Jacobians of a collision's or solve's rows, and M⁻¹ Jᵀ f with the given factors.
VecX IslandTape::velocity_change(const std::vector<RowsTrace>& rows, const std::vector<LimitRowTrace>& limits,
                                 const VecX& f, const std::vector<const ContactMotion*>& motions,
                                 const std::vector<VecX>& diagonals, bool middle) {
  VecX change = VecX::Zero(nv);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Vec3 F = Vec3::Zero();
    for (int r = 0; r < rows[i].count; ++r)
      F += f[rows[i].first + r] * rows[i].directions[static_cast<std::size_t>(r)];
    const VecX g = motions[i]->J().transpose() * F;
    for (int p = 0; p < motions[i]->parts(); ++p) {
      const ContactMotion::Part& part = motions[i]->part(p);
      change.segment(parts_[static_cast<std::size_t>(part.tree)].v, part.count) +=
          g.segment(part.first, part.count);
    }
  }
  for (const LimitRowTrace& row : limits) {
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
    change[limit.velocity] += limit.sign * f[row.row];
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    GradientTree& tree = *parts_[i].tree;
    const int n = tree.model.nv();
    VecX x = change.segment(parts_[i].v, n);
    for (int k = 0; k < n; ++k)
      if (tree.model.prescribed(k)) x[k] = 0;
    momentum_derivatives(tree, middle ? tree.middle : tree.start, VecX::Zero(n));
    TreeFactorization factor(tree.model);
    if (!factor.factor(tree.model, MatX(tree.jacobian.input()) + MatX(diagonals[i].asDiagonal())))
      refuse("a mass matrix cannot be factored");
    factor.solve(tree.model, x);
    change.segment(parts_[i].v, n) = x;
  }
  return change;
}

std::pair<int, int> IslandTape::add_impulse(const CollisionTrace& collision, const Impulse& impulse,
                                            int v_before, int forces_before) {
  const int velocity = tape.slot(nv), forces = tape.slot(static_cast<int>(impulse.forces.f.size()));
  ClassSolve classes;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const long n = parts_[i].tree->model.nv();
    const VecX change = (impulse.to - impulse.from).segment(parts_[i].v, n);
    add_momentum(velocity, impulse.v, q_, i, parts_[i].tree->start, change, VecX::Zero(n), classes);
  }
  classes.rows.resize(impulse.forces.classes.size());
  std::vector<FrameDerivative> frames(collision.rows.size());
  std::vector<const PlacedContact*> placed;
  RowDerivative by;
  for (std::size_t i = 0; i < collision.rows.size(); ++i) {
    const RowsTrace& rows = collision.rows[i];
    FrameDerivative& frame = frames[i];
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    const PlacedContact& at = start_contact(rows.contact);
    const ContactMotion& motion = at.motion;
    placed.push_back(&at);
    const VecX before = local(motion, collision.v_before);
    frame_by_position(rows, at, at, before, frame);
    rows_by_position(rows, at, frame, local(motion, impulse.to), by);
    Vec3 F = Vec3::Zero();
    for (int r = 0; r < rows.count; ++r) {
      const std::size_t row = static_cast<std::size_t>(rows.first + r);
      F += impulse.forces.f[rows.first + r] * rows.directions[static_cast<std::size_t>(r)];
      if (!impulse.given) classes.rows[row] = {impulse.forces.classes[row], rows.first, contact.friction};
    }
    force_by_position(F, at, frame, by);
    MatX g_by_q = by.g_by_q + by.g_by_place;
    clear_prescribed(motion, g_by_q);
    clear_prescribed(motion, by.g_by_v0);
    add_both(velocity, q_, motion, g_by_q, 1);
    add_both(velocity, v_before, motion, by.g_by_v0, 1);
    const bool bounces = collision.bounces[i] != 0;
    if (impulse.given) {
      MatX column = by.J.row(0).transpose();
      clear_prescribed(motion, column);
      if (!bounces) continue;
      add_rows(velocity, motion, column, forces_before + rows.first, contact.restitution);
      // The returned impulse is e times the one before: by e it is that one.
      for (const Use& use : uses_)
        if (use.id.kind == ParameterKind::restitution && use.id.index == contact.material)
          add_rows(velocity, motion, column, use.row, collision.stages[0].f[rows.first]);
      continue;
    }
    const int out = forces + rows.first;
    add_columns(out, q_, motion, by.w_by_q + by.w_by_place, -1);
    add_columns(out, v_before, motion, by.w_by_v0, -1);
    add_friction(rows, motion, impulse.forces, velocity, 1);
    for (int p = 0; p < motion.parts(); ++p) {
      const ContactMotion::Part& part = motion.part(p);
      classes.blocks.push_back({rows.first, parts_[static_cast<std::size_t>(part.tree)].v,
                                by.J.middleCols(part.first, part.count)});
    }
    if (!impulse.bounces || !bounces) continue;
    Eigen::RowVectorXd approach_q, approach_v;
    approach_by_position(at, before, approach_q, approach_v);
    add_columns(out, q_, motion, approach_q, -contact.restitution);
    add_columns(out, v_before, motion, approach_v, -contact.restitution);
    const double approach = at.n.dot(motion.velocity(before));
    for (const Use& use : uses_)
      if (use.id.kind == ParameterKind::restitution && use.id.index == contact.material)
        tape.add_scaled(out, use.row, 1, -approach);
  }
  for (const LimitRowTrace& row : collision.limits) {
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
    const double e = row.bounces ? limit.restitution : 0;
    if (impulse.given) {
      tape.add_scaled(velocity + limit.velocity, forces_before + row.row, 1, e * limit.sign);
      continue;
    }
    add_limit_block(row, impulse.forces.classes[static_cast<std::size_t>(row.row)], classes);
    if (impulse.bounces) tape.add_scaled(forces + row.row, v_before + limit.velocity, 1, -e * limit.sign);
  }
  if (!classes.factor()) refuse("the equations of an impact cannot be solved");
  const int shares = add_shares({.rows = collision.rows,
                                 .contacts = placed,
                                 .frames = frames,
                                 .limits = collision.limits,
                                 .f = impulse.forces.f,
                                 .place = q_,
                                 .v0 = v_before,
                                 .v_free = v_before},
                                classes);
  tape.solve(velocity, forces, shares, std::move(classes));
  return {velocity, forces};
}

void IslandTape::collide(const CollisionTrace& collision) {
  nearest.nearer(collision.nearest);
  if (!collision.solved) return refuse("an impact has no valid solution");
  const int before = v_;
  if (!collision.poisson) {
    const Impulse only{.from = collision.v_before,
                       .to = substep_->v,
                       .v = before,
                       .forces = collision.stages[0],
                       .bounces = true};
    v_ = add_impulse(collision, only, before, -1).first;
    return;
  }
  // Compression, return, and what that pushes together again.
  std::vector<const ContactMotion*> motions;
  for (const RowsTrace& rows : collision.rows) motions.push_back(&start_contact(rows.contact).motion);
  std::vector<VecX> none;
  for (const Part& part : parts_) none.push_back(VecX::Zero(part.tree->model.nv()));
  const ForcesTrace& compression = collision.stages[0];
  ForcesTrace back{compression.classes, VecX::Zero(compression.f.size())};
  for (std::size_t i = 0; i < collision.rows.size(); ++i) {
    const RowsTrace& rows = collision.rows[i];
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    if (collision.bounces[i] != 0) back.f[rows.first] = contact.restitution * compression.f[rows.first];
  }
  for (const LimitRowTrace& row : collision.limits)
    if (row.bounces)
      back.f[row.row] =
          substep_->limits[static_cast<std::size_t>(row.limit)].restitution * compression.f[row.row];
  const VecX pressed = collision.v_before +
                       velocity_change(collision.rows, collision.limits, compression.f, motions, none, false);
  const VecX returned =
      pressed + velocity_change(collision.rows, collision.limits, back.f, motions, none, false);
  const auto [v_pressed, f_pressed] = add_impulse(
      collision, {.from = collision.v_before, .to = pressed, .v = before, .forces = compression}, before, -1);
  const auto [v_returned, unused] =
      add_impulse(collision, {.from = pressed, .to = returned, .v = v_pressed, .forces = back, .given = true},
                  before, f_pressed);
  static_cast<void>(unused);
  v_ = add_impulse(collision,
                   {.from = returned, .to = substep_->v, .v = v_returned, .forces = collision.stages[1]},
                   before, -1)
           .first;
}

}  // namespace jade
