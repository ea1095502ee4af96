#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/gradients/island_tape.h"
#include "jade/stepping/free_rotation.h"
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
      tree.from = tree.place;
      tree.displacement = (0.5 * trace.s) * substep_->v.segment(own.v, model.nv());
      integrate(model, tree.from, tree.displacement, tree.place);
    }
    tree.middle.move_to(model, tree.place);
    q_m_.segment(own.q, model.nq()) = tree.place;
  }
}

IslandTape::Solve& IslandTape::solve(int index) {
  if (solves_[static_cast<std::size_t>(index)].built) return solves_[static_cast<std::size_t>(index)];
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(index)];
  nearest.nearer(trace.nearest);
  if (!to_one_side_) nearest.nearer(trace.weak);
  if (!trace.solved) refuse("a segment's contact problem has no valid solution");
  if (!trace.settled) refuse("the mean velocity of a segment does not settle");

  Solve slots;
  slots.s = length_of(index);
  std::vector<int> bends;
  for (const BendTrace& bend : trace.bends) bends.push_back(bend_of(bend));
  place_middle(trace);
  slots.place = q_;
  if (midpoint()) {
    slots.place = tape.slot(nv);
    for (const Part& own : parts_) {
      GradientTree& tree = *own.tree;
      const auto v = substep_->v.segment(own.v, tree.model.nv());
      tree.displacement = (0.5 * trace.s) * v;
      tree.update_integration();
      add_displacement(own, slots.place, q_, v_, 0.5 * trace.s);
      tree.one.resize(tree.model.nv());
      tree.displace(v, tree.one);
      tape.add(slots.place + own.v, slots.s, tree.one, 0.5);
    }
  }
  place_contacts(trace);
  add_free_slip(trace, slots);

  slots.v_next = tape.slot(nv);
  slots.forces = tape.slot(static_cast<int>(trace.forces.f.size()));
  slots.classes = &tape.new_classes();
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    if (is_plain_body(i))
      add_body_dynamics(i, trace, slots, *slots.classes);
    else
      add_dynamics(i, trace, slots, *slots.classes);
  }
  const int shares = add_contact_rows(index, slots, bends, *slots.classes);
  const Weak weak = begin_weak(trace, slots);
  tape.solve(slots.v_next, slots.forces, shares, *slots.classes);
  if (!weak.rows.empty()) add_weak(trace, slots, weak);
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    if (!solves_for_change(i, trace)) continue;
    const Part& own = part(i);
    tape.add_scaled(slots.v_next + own.v, v_ + own.v, own.tree->model.nv(), 1);
    tape.add(slots.v_next + own.v, slots.s, own.tree->a);
  }
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
        if (has_free_rotation(index)) {
          const SpatialInertia change = transformed(use.X_LB, unit_inertia(use.id.component));
          const Mat3& R = work.R[0];
          const Mat3 dJ = R * central_inertia_change(model.links()[0].inertia, change) * R.transpose();
          column.tail<3>() -= free_rotation(work, 0, at.v.tail<3>(), at.s).by_inertia(dJ);
        }
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

/// Where no contact asks for velocities, mechanisms are solved for dv⁺ − dv − α ds: B⁻¹ M dv is nearly dv, and R / s, a part of
/// R_s, is zero. Of a light link in heavy company both would be rounding of the others' forces over its own inertia.
bool IslandTape::solves_for_change(int index, const SolveTrace& trace) const {
  return trace.rows.empty() && trace.limits.empty() && !is_plain_body(index);
}

/// r₁ of the dynamics of a tree: −R_v dv − R_q dq_m − R_s ds + s dτ − s Y dp, and B; less B (dv + α ds) where that is not asked
/// for.
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

  tree.B.resize(n, n);
  tree.by_v.resize(n, n);
  tree.by_q.resize(n, n);
  tree.by_s.resize(n);
  const bool change = solves_for_change(index, trace);
  for (int k = 0; k < n; ++k) {
    const double *q = &tree.jacobian.all(k, 0), *v = q + n, *M = v + n;
    double by_acceleration = 0;
    for (int j = 0; j < n; ++j) {
      const double mass = M[j] + (j == k ? tree.E[k] : 0);
      tree.B(k, j) = mass + (kappa * s) * v[j];
      tree.by_v(k, j) = change ? s * v[j] : (1 - kappa) * s * v[j] - mass;
      tree.by_q(k, j) = s * q[j];
      by_acceleration += (change ? (kappa * s) * v[j] : -mass) * tree.a[j];
    }
    tree.by_s[k] = s * tree.E_by_s[k] * tree.a[k] + by_acceleration;
    if (!change) tree.by_s[k] += tree.tau[k] + tree.E[k] * tree.a[k] - island_->effort[own.v + k];
  }
  if (has_free_rotation(index)) {
    const FreeRotation rotation = free_rotation(work, 0, tree.own_v.tail<3>(), s);
    const FreeRotation::Derivatives moment = rotation.derivatives();
    tree.by_v.bottomRightCorner<3, 3>() -= s * moment.by_spin;
    tree.by_q.bottomRightCorner<3, 3>() -= s * moment.by_rotation;
    tree.by_s.tail<3>() -= s * moment.by_length;
    if (!change) tree.by_s.tail<3>() -= rotation.moment();
  }
  bool prescribed = false;
  for (int k = 0; k < n; ++k) {
    tree.by_v(k, k) += s * model.damping()[k];
    tree.by_q(k, k) += s * model.stiffness()[k];
    const int position = model.velocity_position()[static_cast<std::size_t>(k)];
    if (!change) tree.by_s[k] += model.damping()[k] * tree.own_v[k];
    if (!change && position >= 0)
      tree.by_s[k] += model.stiffness()[k] * (q_m_[own.q + position] - model.rest_position()[k]);
    // Prescribed coordinates: dv⁺ = dv + a ds, moved to the right of the other rows.
    if (!model.prescribed(k)) continue;
    prescribed = true;
    if (change) continue;
    tree.by_v.col(k) += tree.B.col(k);
    tree.by_s += tree.B.col(k) * tree.a[k];
  }
  for (int k = 0; prescribed && k < n; ++k) {
    if (!model.prescribed(k)) continue;
    tree.by_v.row(k).setZero();
    if (!change) tree.by_v(k, k) = -1;
    tree.by_q.row(k).setZero();
    tree.by_s[k] = change ? 0 : -tree.a[k];
  }
  tape.add(slots.v_next + own.v, v_ + own.v, tree.by_v, -1);
  tape.add(slots.v_next + own.v, slots.place + own.v, tree.by_q, -1);
  tape.add(slots.v_next + own.v, slots.s, tree.by_s, -1);
  for (int k = 0; prescribed && k < n; ++k)
    if (!model.prescribed(k)) tape.add_scaled(slots.v_next + own.v + k, effort_row(own) + k, 1, s);
  if (!prescribed) tape.add_scaled(slots.v_next + own.v, effort_row(own), n, s);
  add_parameters(slots.v_next + own.v, index, work, {tree.own_v, tree.a, s}, s);
  TreeSolver& factor = tree.new_factor();
  if (!factor.factor(model, tree.B))
    refuse("the mean velocity of a segment is not settled by Newton's matrix");
  classes.trees.push_back({&model, own.v, &factor});
}

/// The velocity at the end without contact forces from forces at v:  M̃ a₀ = τ − c(q_m, v) − …,  v + s a₀,  and the mean
/// v₀ = v + ½ s a₀; those that tangents follow.
void IslandTape::add_free_slip(const SolveTrace& trace, Solve& slots) {
  bool mean = false, end = false;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const RowsTrace& rows = trace.rows[i];
    if (contacts_[i] == nullptr || !frames_[i].v0 || rows.from_start) continue;
    mean = mean || rows.count == 2;
    end = end || rows.count == 3;
  }
  if (!mean && !end) return;
  if (mean) slots.v0 = tape.slot(nv);
  if (end) slots.v_free = tape.slot(nv);
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    if (is_plain_body(i))
      add_body_free_slip(i, trace, slots);
    else
      add_free_slip(i, trace, slots);
  }
}

void IslandTape::add_free_slip(int index, const SolveTrace& trace, const Solve& slots) {
  const double s = trace.s;
  const Part& own = part(index);
  GradientTree& tree = *own.tree;
  const Model& model = tree.model;
  const int n = model.nv(), a0 = tape.slot(n);
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
  if (has_free_rotation(index)) {
    const FreeRotation::Derivatives moment = free_rotation(work, 0, tree.own_v.tail<3>(), s).derivatives();
    tree.by_v.bottomRightCorner<3, 3>() -= moment.by_spin;
    tree.by_q.bottomRightCorner<3, 3>() -= moment.by_rotation;
    tree.by_s.tail<3>() -= moment.by_length;
  }
  for (int k = 0; k < n; ++k) {
    tree.by_q(k, k) += model.stiffness()[k];
    tree.by_v(k, k) += model.damping()[k];
    if (!model.prescribed(k)) {
      tape.add_scaled(a0 + k, effort_row(own) + k, 1, 1);
      continue;
    }
    tree.by_q.row(k).setZero();
    tree.by_v.row(k).setZero();
    tree.by_s[k] = 0;
  }
  tape.add(a0, slots.place + own.v, tree.by_q, -1);
  tape.add(a0, v_ + own.v, tree.by_v, -1);
  tape.add(a0, slots.s, tree.by_s, -1);
  add_parameters(a0, index, work, {tree.own_v, tree.a, s}, 1);
  tree.M = tree.jacobian.input();
  tree.M.diagonal() += tree.E;
  TreeSolver& factor = tree.new_factor();
  if (!factor.factor(model, tree.M)) refuse("a mass matrix cannot be factored");
  tape.solve(a0, model, factor);
  const auto add = [&](int row, double weight) {
    if (row < 0) return;
    tape.add_scaled(row + own.v, v_ + own.v, n, 1);
    tape.add_scaled(row + own.v, a0, n, weight * s);
    tape.add(row + own.v, slots.s, tree.a, weight);
  };
  add(slots.v0, 0.5);
  add(slots.v_free, 1);
}

}  // namespace jade
