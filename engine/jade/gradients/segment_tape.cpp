#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/gradients/island_tape.h"
#include "jade/stepping/midpoint.h"

namespace jade {

void IslandTape::implicit_diagonal(GradientTree& tree, double s) const {
  const Model& model = tree.model;
  tree.E.setZero(model.nv());
  tree.E_by_s.setZero(model.nv());
  for (int k = 0; midpoint() && k < model.nv(); ++k) {
    const ImplicitDamping damping = implicit_damping(model, k, s);
    tree.E[k] = damping.value + 0.25 * s * s * model.stiffness()[k];
    tree.E_by_s[k] = damping.by_h + 0.5 * s * model.stiffness()[k];
  }
}

void IslandTape::place_middle(const SolveTrace& trace) {
  q_m_.resize(substep_->q.size());
  for (const Part& own : parts_) {
    GradientTree& tree = *own.tree;
    const Model& model = tree.model;
    tree.place = substep_->q.segment(own.q, model.nq());
    if (midpoint()) {
      tree.one = tree.place;
      tree.displacement = (0.5 * trace.s) * substep_->v.segment(own.v, model.nv());
      integrate(model, tree.one, tree.displacement, tree.place);
    }
    tree.middle.move_to(model, tree.place);
    q_m_.segment(own.q, model.nq()) = tree.place;
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
    sum_ = (0.5 * trace.s) * substep_->v;
    add_displacement(slots.place, q_, v_, 0.5 * trace.s, sum_);
    for (const Part& own : parts_) {
      GradientTree& tree = *own.tree;
      const auto v = substep_->v.segment(own.v, tree.model.nv());
      tree.displacement = (0.5 * trace.s) * v;
      integration_jacobians(tree.model, tree.displacement, tree.integration);
      tree.one.noalias() = tree.integration.d * v;
      tape.add(slots.place + own.v, slots.s, tree.one, 0.5);
    }
  }
  bool slips = false;
  for (const RowsTrace& rows : trace.rows)
    slips = slips || (rows.count > 1 && rows.along_slip && !rows.from_start);
  if (slips) add_free_slip(trace, slots);

  slots.v_next = tape.slot(nv);
  slots.forces = tape.slot(static_cast<int>(trace.forces.f.size()));
  slots.classes = &tape.new_classes();
  add_dynamics(trace, slots, *slots.classes);
  const int shares = add_contact_rows(index, slots, bends, *slots.classes);
  tape.solve(slots.v_next, slots.forces, shares, *slots.classes);
  slots.built = true;
  return solves_[static_cast<std::size_t>(index)] = slots;
}

void IslandTape::add_parameters(int out, int index, const DynamicsWorkspace& work, const At& at,
                                double scale) {
  const Model& model = part(index).tree->model;
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
        const double mean = q_m_[part(index).q + position] + (midpoint() ? 0.25 * at.s * at.s * at.a[k] : 0);
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

void IslandTape::add_dynamics(const SolveTrace& trace, const Solve& slots, ClassSolve& classes) {
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) add_dynamics(i, trace, slots, classes);
}

/// r₁ of the dynamics of a tree: −R_v dv − R_q dq_m − R_s ds + s dτ − s Y dp, and B.
void IslandTape::add_dynamics(int index, const SolveTrace& trace, const Solve& slots, ClassSolve& classes) {
  const double s = trace.s, kappa = midpoint() ? 0.5 : 0;
  const Part& own = part(index);
  GradientTree& tree = *own.tree;
  const Model& model = tree.model;
  const int n = model.nv();
  DynamicsWorkspace& work = tree.middle.work;
  tree.own_v = substep_->v.segment(own.v, n);
  tree.gained = trace.v_next.segment(own.v, n) - tree.own_v;
  tree.a = tree.gained / s;
  tree.v_bar = tree.own_v + kappa * tree.gained;
  tree.tau.resize(n);
  implicit_diagonal(tree, s);
  update_velocities(model, tree.v_bar, work);
  rnea(model, tree.a, work, tree.tau);
  rnea_derivatives(model, work, tree.derivative, tree.jacobian);

  tree.M = tree.jacobian.input();
  tree.M.diagonal() += tree.E;
  tree.B = tree.M + (kappa * s) * tree.jacobian.v();
  tree.by_v = (1 - kappa) * s * tree.jacobian.v() - tree.M;
  tree.by_q = s * tree.jacobian.q();
  tree.by_s.noalias() = -(tree.M * tree.a);
  tree.by_s += tree.tau + (tree.E + s * tree.E_by_s).cwiseProduct(tree.a) - island_->effort.segment(own.v, n);
  bool prescribed = false;
  for (int k = 0; k < n; ++k) {
    tree.by_v(k, k) += s * model.damping()[k];
    tree.by_q(k, k) += s * model.stiffness()[k];
    tree.by_s[k] += model.damping()[k] * tree.own_v[k];
    const int position = model.velocity_position()[static_cast<std::size_t>(k)];
    if (position >= 0)
      tree.by_s[k] += model.stiffness()[k] * (q_m_[own.q + position] - model.rest_position()[k]);
    // Prescribed coordinates: dv⁺ = dv + a ds, moved to the right of the other rows.
    if (!model.prescribed(k)) continue;
    prescribed = true;
    tree.by_v.col(k) += tree.B.col(k);
    tree.by_s += tree.B.col(k) * tree.a[k];
  }
  for (int k = 0; prescribed && k < n; ++k) {
    if (!model.prescribed(k)) continue;
    tree.by_v.row(k) = -VecX::Unit(n, k).transpose();
    tree.by_q.row(k).setZero();
    tree.by_s[k] = -tree.a[k];
  }
  tape.add(slots.v_next + own.v, v_ + own.v, tree.by_v, -1);
  tape.add(slots.v_next + own.v, slots.place + own.v, tree.by_q, -1);
  tape.add(slots.v_next + own.v, slots.s, tree.by_s, -1);
  for (int k = 0; prescribed && k < n; ++k)
    if (!model.prescribed(k)) tape.add_scaled(slots.v_next + own.v + k, effort_row(own) + k, 1, s);
  if (!prescribed) tape.add_scaled(slots.v_next + own.v, effort_row(own), n, s);
  add_parameters(slots.v_next + own.v, index, work, {tree.own_v, tree.a, s}, s);
  TreeFactorization& factor = tree.new_factor();
  if (!factor.factor(model, tree.B))
    refuse("the mean velocity of a segment is not settled by Newton's matrix");
  classes.trees.push_back({&model, own.v, &factor});
}

/// The velocity at the end without contact forces from forces at v:  M̃ a₀ = τ − c(q_m, v) − …,  v + s a₀,  and the mean
/// v₀ = v + ½ s a₀.
void IslandTape::add_free_slip(const SolveTrace& trace, Solve& slots) {
  const double s = trace.s;
  const int a0 = tape.slot(nv);
  slots.v0 = tape.slot(nv);
  slots.v_free = tape.slot(nv);
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    const Part& own = part(i);
    GradientTree& tree = *own.tree;
    const Model& model = tree.model;
    const int n = model.nv();
    DynamicsWorkspace& work = tree.middle.work;
    tree.own_v = substep_->v.segment(own.v, n);
    tree.a = (trace.u_first.segment(own.v, n) - tree.own_v) / s;
    tree.tau.resize(n);
    implicit_diagonal(tree, s);
    update_velocities(model, tree.own_v, work);
    rnea(model, tree.a, work, tree.tau);
    rnea_derivatives(model, work, tree.derivative, tree.jacobian);
    tree.by_q = tree.jacobian.q();
    tree.by_v = tree.jacobian.v();
    tree.by_s = tree.E_by_s.cwiseProduct(tree.a);
    for (int k = 0; k < n; ++k) {
      tree.by_q(k, k) += model.stiffness()[k];
      tree.by_v(k, k) += model.damping()[k];
      if (!model.prescribed(k)) {
        tape.add_scaled(a0 + own.v + k, effort_row(own) + k, 1, 1);
        continue;
      }
      tree.by_q.row(k).setZero();
      tree.by_v.row(k).setZero();
      tree.by_s[k] = 0;
    }
    tape.add(a0 + own.v, slots.place + own.v, tree.by_q, -1);
    tape.add(a0 + own.v, v_ + own.v, tree.by_v, -1);
    tape.add(a0 + own.v, slots.s, tree.by_s, -1);
    add_parameters(a0 + own.v, i, work, {tree.own_v, tree.a, s}, 1);
    tree.M = tree.jacobian.input();
    tree.M.diagonal() += tree.E;
    TreeFactorization& factor = tree.new_factor();
    if (!factor.factor(model, tree.M)) refuse("a mass matrix cannot be factored");
    tape.solve(a0 + own.v, model, factor);
    tape.add(slots.v0 + own.v, slots.s, tree.a, 0.5);
    tape.add(slots.v_free + own.v, slots.s, tree.a, 1);
  }
  tape.add_scaled(slots.v0, v_, nv, 1);
  tape.add_scaled(slots.v0, a0, nv, 0.5 * s);
  tape.add_scaled(slots.v_free, v_, nv, 1);
  tape.add_scaled(slots.v_free, a0, nv, s);
}

}  // namespace jade
