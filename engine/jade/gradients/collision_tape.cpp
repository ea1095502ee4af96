#include "jade/dynamics/kinematics.h"
#include "jade/gradients/island_tape.h"

namespace jade {

void IslandTape::momentum_derivatives(GradientTree& tree, DynamicsWorkspace& work, const VecX& change) {
  const Model& model = tree.model;
  tree.one.setZero(model.nv());
  update_velocities(model, tree.one, work);
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

void IslandTape::no_implicit_diagonal() {
  for (const Part& own : parts_) {
    own.tree->E.setZero(own.tree->model.nv());
    own.tree->E_by_s.setZero(own.tree->model.nv());
  }
}

const TreeSolver& IslandTape::mass_factor(int index, Place at) {
  GradientTree& tree = *part(index).tree;
  DynamicsWorkspace& work = placed(index, at).work;
  TreeSolver& factor = tree.new_factor();
  const RigidInertia& body = work.inertia[0];
  bool factored = false;
  if (tree.bare && body.h.isZero(0)) {
    factored = factor.factor_body(body.m, body.J.matrix());
  } else {
    crba(tree.model, work, tree.M);
    tree.M.diagonal() += tree.E;
    factored = factor.factor(tree.model, tree.M);
  }
  if (!factored) refuse("a mass matrix cannot be factored");
  return factor;
}

void IslandTape::add_momentum(int out, int in, int place, int index, Place at, const VecX& change,
                              ClassSolve& classes) {
  const Part& own = part(index);
  GradientTree& tree = *own.tree;
  const Model& model = tree.model;
  const int n = model.nv();
  DynamicsWorkspace& work = placed(index, at).work;
  if (change.isZero(0)) {
    crba(model, work, tree.M);
  } else {
    momentum_derivatives(tree, work, change);
    tree.M = tree.jacobian.input();
    tree.by_q = tree.jacobian.q();
    for (int k = 0; k < n; ++k)
      if (model.prescribed(k)) tree.by_q.row(k).setZero();
    tape.add(out + own.v, place + own.v, tree.by_q, -1);
    for (const Use& use : uses_) {
      if (use.id.kind != ParameterKind::inertia || use.part != index) continue;
      VecX column = rnea_by_inertia(model, work, use.link, use.X_LB, use.id.component);
      for (int k = 0; k < n; ++k)
        if (model.prescribed(k)) column[k] = 0;
      tape.add(out + own.v, use.row, column, -1);
    }
  }
  tree.M.diagonal() += tree.E;
  tree.by_v = tree.M;
  for (int k = 0; k < n; ++k) {
    if (!model.prescribed(k)) continue;
    tree.by_v.col(k).setZero();
    tree.by_v.row(k) = VecX::Unit(n, k).transpose();
  }
  tape.add(out + own.v, in + own.v, tree.by_v);
  TreeSolver& factor = tree.new_factor();
  if (!factor.factor(model, tree.M)) refuse("a mass matrix cannot be factored");
  classes.trees.push_back({&model, own.v, &factor});
}

VecX IslandTape::velocity_change(const std::vector<RowsTrace>& rows, const std::vector<LimitRowTrace>& limits,
                                 const VecX& f, Place at) {
  VecX change = VecX::Zero(nv);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (contacts_[i] == nullptr) continue;
    Vec3 F = Vec3::Zero();
    for (int r = 0; r < rows[i].count; ++r)
      F += f[rows[i].first + r] * rows[i].directions[static_cast<std::size_t>(r)];
    add_generalised(links_of(substep_->contacts[static_cast<std::size_t>(rows[i].contact)]), at,
                    contacts_[i]->along(F).transpose(), change);
  }
  for (const LimitRowTrace& row : limits) {
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
    change[limit.velocity] += limit.sign * f[row.row];
  }
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    GradientTree& tree = *part(i).tree;
    const int n = tree.model.nv();
    tree.one = change.segment(part(i).v, n);
    for (int k = 0; k < n; ++k)
      if (tree.model.prescribed(k)) tree.one[k] = 0;
    mass_factor(i, at).solve(tree.model, tree.one);
    change.segment(part(i).v, n) = tree.one;
  }
  return change;
}

/// The rows and forces of a contact in an impulse.
void IslandTape::add_impulse_rows(const CollisionTrace& collision, std::size_t index, const Impulse& impulse,
                                  int v_before, const ClassSolve& classes, int out) {
  const RowsTrace& rows = collision.rows[index];
  const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
  const PlacedContact& at = *contacts_[index];
  const Links links = links_of(contact);
  const FrameDerivative& frame = frames_[index];
  const LinkRows q = displacements(links, Place::start, q_);
  const LinkRows before = rates(links, Place::start, q_, collision.v_before, v_before, 0);
  const bool bounces = collision.bounces[index] != 0;
  if (impulse.given) {
    // The returned impulse is e times the one before: by e it is that one.
    const Sides normal = at.along(rows.directions[0]).transpose();
    if (!bounces) return;
    add_force(links, normal, out, contact.restitution);
    for (const Use& use : uses_)
      if (use.id.kind == ParameterKind::restitution && use.id.index == contact.material)
        add_force(links, normal, use.row, collision.stages[0].f[rows.first]);
    return;
  }
  bool any = false;
  for (int r = 0; r < rows.count; ++r) any = any || classes.is_free(rows.first + r);
  if (!any) return;
  RowDerivative by;
  rows_by_position(rows, rows.count, at, frame, rates(links, Place::start, impulse.to), by);
  add_links(out, (by.w_by_q + by.w_by_place).topRows(rows.count), q, -1);
  add_links(out, by.w_by_v0.topRows(rows.count), before, -1);
  // The unknown rates are those after: they change with the place as well.
  add_links(out, by.J.topRows(rows.count), rates(links, Place::start, q_, impulse.to, -1, 1 + forces_out_),
            -1);
  if (!impulse.bounces || !bounces) return;
  const double e = collision.stops ? -1 : contact.restitution;
  const Sides v = rates(links, Place::start, collision.v_before);
  add_links(out, approach_by_position(at, v), q, -e);
  add_links(out, at.along(at.n), before, -e);
  if (collision.stops) return;
  for (const Use& use : uses_)
    if (use.id.kind == ParameterKind::restitution && use.id.index == contact.material)
      tape.add_scaled(out, use.row, 1, -at.n.dot(at.velocity(v)));
}

std::pair<int, int> IslandTape::add_impulse(const CollisionTrace& collision, const Impulse& impulse,
                                            int v_before, int forces_before) {
  const int velocity = tape.slot(nv), forces = tape.slot(static_cast<int>(impulse.forces.f.size()));
  ClassSolve& classes = tape.new_classes();
  classes.keep_forces = impulse.returned;
  // Rows that follow from others may contradict them as soon as anything moves: normals of several faces of what slides, friction
  // of what is held from both sides, or places of a foot that has begun to tip. Where they agree their mean is what they ask for.
  classes.takes_mean = !impulse.given;
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    GradientTree& tree = *part(i).tree;
    tree.gained = (impulse.to - impulse.from).segment(part(i).v, tree.model.nv());
    add_momentum(velocity, impulse.v, q_, i, Place::start, tree.gained, classes);
  }
  if (impulse.given) {
    classes.rows.resize(impulse.forces.classes.size());
    classes.choose_free_rows();
  } else {
    add_problem(collision.rows, collision.limits, impulse.forces.classes,
                collision.stops ? nullptr : &impulse.forces.f, Place::start, classes);
  }
  if (!classes.factor()) refuse("the equations of an impact cannot be solved");

  begin_forces(velocity, q_, Place::start);
  for (std::size_t i = 0; i < collision.rows.size(); ++i) {
    const RowsTrace& rows = collision.rows[i];
    const Links links = links_of(substep_->contacts[static_cast<std::size_t>(rows.contact)]);
    Vec3 F = Vec3::Zero();
    for (int r = 0; r < rows.count; ++r)
      F += impulse.forces.f[rows.first + r] * rows.directions[static_cast<std::size_t>(r)];
    const LinkRows q = displacements(links, Place::start, q_);
    force_.clear();
    add_force_by_position(F, *contacts_[i], frames_[i], force_);
    add_force_by(links, force_, q, q, rates(links, Place::start, q_, collision.v_before, v_before, 0));
    note_force(links, contacts_[i]->along(F).transpose(), 1);
    if (!impulse.given) add_friction(rows, *contacts_[i], impulse.forces, 1);
    add_impulse_rows(collision, i, impulse, v_before, classes,
                     (impulse.given ? forces_before : forces) + rows.first);
  }
  end_forces();
  for (const LimitRowTrace& row : collision.limits) {
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
    const double e = collision.stops ? -1 : row.bounces ? limit.restitution : 0;
    if (impulse.given)
      tape.add_scaled(velocity + limit.velocity, forces_before + row.row, 1, e * limit.sign);
    else if (impulse.bounces)
      tape.add_scaled(forces + row.row, v_before + limit.velocity, 1, -e * limit.sign);
  }
  const int shares = add_shares({.rows = collision.rows,
                                 .limits = collision.limits,
                                 .forces = impulse.forces,
                                 .place = q_,
                                 .rows_out = forces,
                                 .v_before = &collision.v_before,
                                 .v_before_row = v_before},
                                classes);
  tape.solve(velocity, forces, shares, classes);
  return {velocity, forces};
}

void IslandTape::collide(const CollisionTrace& collision) {
  nearest.nearer(collision.nearest);
  if (!collision.solved) return refuse("an impact has no valid solution");
  const int before = v_;
  no_implicit_diagonal();
  contacts_.clear();
  if (frames_.size() < collision.rows.size()) frames_.resize(collision.rows.size());
  if (moved_.size() < collision.rows.size()) moved_.resize(collision.rows.size());
  for (std::size_t i = 0; i < collision.rows.size(); ++i) {
    const RowsTrace& rows = collision.rows[i];
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    const PlacedContact& start = start_contact(rows.contact);
    if (rows.smooth)
      place_smooth_contact(contact, collision_, poses(contact.shape_a, contact.shape_b, Place::start), start,
                           moved_[i]);
    const PlacedContact& at = rows.smooth ? moved_[i] : start;
    const Links links = links_of(contact);
    contacts_.push_back(&at);
    frame_by_position(rows, at, at, rates(links, Place::start, collision.v_before), frames_[i]);
  }
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
  const VecX pressed =
      collision.v_before + velocity_change(collision.rows, collision.limits, compression.f, Place::start);
  const VecX returned = pressed + velocity_change(collision.rows, collision.limits, back.f, Place::start);
  const auto [v_pressed, f_pressed] = add_impulse(
      collision,
      {.from = collision.v_before, .to = pressed, .v = before, .forces = compression, .returned = true},
      before, -1);
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
