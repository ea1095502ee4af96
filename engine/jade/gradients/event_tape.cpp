#include "jade/dynamics/kinematics.h"
#include "jade/gradients/island_tape.h"
#include "jade/stepping/midpoint.h"

namespace jade {

/// r₁ of the forecast: M̃ dv⁺ − ∂(M̃ Δ), Δ = v̂ − v⁺.
void IslandTape::add_event_dynamics(const SolveTrace& trace, const Solve& slots, const VecX& change,
                                    int velocity, ClassSolve& classes) {
  const double s = trace.s;
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    const Part& own = part(i);
    const Model& model = own.tree->model;
    own.tree->gained = change.segment(own.v, model.nv());
    add_momentum(velocity, slots.v_next, slots.place, i, Place::middle, own.tree->gained, classes);
    tape.add(velocity + own.v, slots.s, own.tree->E_by_s.cwiseProduct(own.tree->gained), -1);
    for (const Use& use : uses_) {
      const int k = use.id.index;
      if (use.part != i) continue;
      if (use.id.kind == ParameterKind::damping)
        tape.add_scaled(velocity + own.v + k, use.row, 1,
                        -implicit_damping(model, k, s).by_damping * own.tree->gained[k]);
      if (use.id.kind == ParameterKind::stiffness)
        tape.add_scaled(velocity + own.v + k, use.row, 1, -0.25 * s * s * own.tree->gained[k]);
    }
  }
}

/// The end of a slip, s* = s u₀ / (u₀ − w):  ds* = (s*/s) ds + s (u₀ dw − w du₀) / (u₀ − w)².
/// w is the slip at the end had it gone on: velocities v̂ with forces f̂ of the forced classes on the same linear problem,
///   M̃ (v̂ − v⁺) = J_mᵀ (f̂ − f),   S (J_m (v + v̂) − J v − k) = 0,   w = the slip's row of it
int IslandTape::event_of(int index) {
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(index)];
  const EventTrace& event = trace.event;
  solve(index).classes->keep_forces = true;
  const Solve slots = solve(index);
  const double s = trace.s;
  std::vector<int> bends;
  for (const BendTrace& bend : trace.bends) bends.push_back(bend_of(bend));
  place_middle(trace);
  place_contacts(trace);
  for (const Part& own : parts_) implicit_diagonal(*own.tree, s);
  const VecX pushed = event.forced.f - trace.forces.f;
  const VecX change = velocity_change(trace.rows, trace.limits, pushed, Place::middle);
  const VecX x = (trace.with_gaps ? substep_->v : VecX(VecX::Zero(nv))) + trace.v_next + change;

  const int velocity = tape.slot(nv), forces = tape.slot(static_cast<int>(event.forced.f.size()));
  ClassSolve& classes = tape.new_classes();
  add_event_dynamics(trace, slots, change, velocity, classes);
  add_problem(trace.rows, trace.limits, event.forced.classes, &event.forced.f, Place::middle, classes);
  if (!classes.factor()) refuse("the forecast of a slip's end cannot be solved");

  const int slip_at_end = tape.slot(1), slip_at_start = tape.slot(1);
  std::size_t ending = 0;
  SegmentRows segment{.trace = trace,
                      .slots = slots,
                      .bends = bends,
                      .x = x,
                      .classes = classes,
                      .use = 2 * index + 2,
                      .out = forces,
                      .also = event.row};
  begin_forces(velocity, slots.place, Place::middle);
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const RowsTrace& rows = trace.rows[i];
    const Links links = links_of(substep_->contacts[static_cast<std::size_t>(rows.contact)]);
    add_segment_rows(segment, i);
    const LinkRows q = displacements(links, Place::start, q_);
    const LinkRows place = displacements(links, Place::middle, slots.place);
    const LinkRows v0 = slip_rows(trace, rows, links, slots);
    Vec3 F = Vec3::Zero();
    Eigen::Matrix<double, 12, 3> by_forces;
    for (int r = 0; r < rows.count; ++r) {
      const Vec3& d = rows.directions[static_cast<std::size_t>(r)];
      F += pushed[rows.first + r] * d;
      by_forces.col(r) = contacts_[i]->along(d).transpose();
    }
    force_.clear();
    add_force_by_position(F, *contacts_[i], frames_[i], force_);
    add_force_by(links, force_, q, place, v0);
    note_force(links, contacts_[i]->along(F).transpose(), 1);
    add_force(links, by_forces.leftCols(rows.count), slots.forces + rows.first, -1);
    add_friction(rows, *contacts_[i], trace.forces, -1);
    add_friction(rows, *contacts_[i], event.forced, 1);
    if (event.row != rows.first + 1) continue;
    ending = i;
    SlipDerivative slip;
    slip_at_start_by_position(rows, start_contact(rows.contact), *contacts_[i], frames_[i],
                              rates(links, Place::start, substep_->v), slip);
    add_links(slip_at_start, slip.by_q.row(1), q, 1);
    add_links(slip_at_start, slip.by_place.row(1), place, 1);
    add_links(slip_at_start, slip.by_v.row(1), rates(links, Place::start, q_, substep_->v, v_, 0), 1);
    add_links(slip_at_start, slip.by_v0.row(1), v0, 1);
  }
  end_forces();
  add_limit_rows(trace, slots, forces);
  for (const LimitRowTrace& row : trace.limits) {
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
    tape.add_scaled(velocity + limit.velocity, slots.forces + row.row, 1, -limit.sign);
  }
  tape.add_scaled(slip_at_end, forces + event.row, 1, -1);  // what moves the row besides v̂
  const int shares = add_shares({.rows = trace.rows,
                                 .limits = trace.limits,
                                 .forces = event.forced,
                                 .place = slots.place,
                                 .rows_out = forces,
                                 .segment = &trace,
                                 .slots = &slots},
                                classes);
  tape.solve(velocity, forces, shares, classes);
  const RowsTrace& rows = trace.rows[ending];
  const Links links = links_of(substep_->contacts[static_cast<std::size_t>(rows.contact)]);
  // v̂ alone: where the links are was looked at above.
  add_links(slip_at_end, contacts_[ending]->along(rows.directions[1]),
            rates(links, Place::middle, slots.place, VecX(), velocity, 0), 1);

  const int end = tape.slot(1);
  const double u0 = event.u0, w = event.w, per = s / ((u0 - w) * (u0 - w));
  tape.add_scaled(end, slots.s, 1, u0 / (u0 - w));
  tape.add_scaled(end, slip_at_end, 1, u0 * per);
  tape.add_scaled(end, slip_at_start, 1, -w * per);
  return end;
}

/// bend = gap(end) − (gap + n_m·Δ_m(d)), d the displacement of the whole segment; −1: it does not move.
/// Where the shapes overlap at the end gap = n·(x_B − x_A) along the contact's normal n, and the lowest points are not
/// opposite each other: dgap = n·(dx_B − dx_A) + (x_B − x_A)·dn.
int IslandTape::bend_of(const BendTrace& bend) {
  // Rows know the length of that solve whether the bend moves or not, and must not put it on the tape amid their own.
  static_cast<void>(length_of(bend.from));
  if (bend.capped || bend.contact < 0) return -1;
  nearest.nearer(
      {.kind = Kink::Kind::lowest, .distance = bend.apart, .shape_a = bend.shape_a, .shape_b = bend.shape_b});
  const SolveTrace& from = substep_->solves[static_cast<std::size_t>(bend.from)];
  const PathEnd& end = path_end(bend.from, from.s);
  place_end();
  const Solve slots = solve(bend.from);
  tape.add(end.q, slots.s, end.rate);
  tape.add(end.displacement, slots.s, end.w);
  const Links links = links_of(bend.shape_a, bend.shape_b);
  const int out = tape.slot(1);
  const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(bend.contact)];
  const PlacedContact& start = start_contact(bend.contact);
  const LinkRows q = displacements(links, Place::start, q_), at_end = displacements(links, Place::end, end.q);
  Row12 gap;
  gap << point_between(links, bend.p_A, Place::end).along(bend.normal).head<6>(),
      point_between(links, bend.p_B, Place::end).along(bend.normal).tail<6>();
  PlacedContact moved;
  if (bend.along_contact) {
    place_contact(contact, collision_, poses(contact.shape_a, contact.shape_b, Place::end), &start, moved);
    if (moved.turns) moved.add_along(bend.p_B - bend.p_A, moved.N, gap);
    if (moved.travels) add_links(out, Row12((bend.p_B - bend.p_A).transpose() * moved.N0), q, 1);
    // Of convex shapes the lowest places are measured.
    const auto is_mesh = [&](int shape) {
      return collision_.shapes()[static_cast<std::size_t>(shape)].geometry.tree() != nullptr;
    };
    if (moved.travels && (is_mesh(bend.shape_a) || is_mesh(bend.shape_b))) {
      gap += moved.climb;
      add_links(out, moved.climb0, q, 1);
    }
  }
  add_links(out, gap, at_end, 1);

  add_links(out, start.along(start.n), q, -1);
  place_middle(from);
  if (midpoint())
    place_contact(contact, collision_, poses(contact.shape_a, contact.shape_b, Place::middle), &start, moved);
  const PlacedContact& at = midpoint() ? moved : start;
  const Sides d = rates(links, Place::middle, end.value);
  add_links(out, approach_by_position(at, d), displacements(links, Place::middle, slots.place), -1);
  add_links(out, at.along(at.n), rates(links, Place::middle, slots.place, end.value, end.displacement, 0),
            -1);
  if (at.travels)
    add_links(
        out,
        Row12(at.velocity(d).transpose() * at.N0 + cross3(at.n, PlacedContact::spin(d)).transpose() * at.P0),
        q, -1);
  return out;
}

}  // namespace jade
