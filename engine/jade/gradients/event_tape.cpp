#include "jade/dynamics/kinematics.h"
#include "jade/gradients/island_tape.h"
#include "jade/stepping/midpoint.h"

namespace jade {

/// The end of a slip, s* = s u₀ / (u₀ − w):  ds* = (s*/s) ds + s (u₀ dw − w du₀) / (u₀ − w)².
/// w is the slip at the end had it gone on: velocities v̂ with forces f̂ of the forced classes on the same linear problem,
///   M̃ (v̂ − v⁺) = J_mᵀ (f̂ − f),   S (J_m (v + v̂) − J v − k) = 0,   w = the slip's row of it
int IslandTape::event_of(int index) {
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(index)];
  const EventTrace& event = trace.event;
  const Solve slots = solve(index);
  const double s = trace.s;
  std::vector<int> bends;
  for (const BendTrace& bend : trace.bends) bends.push_back(bend_of(bend));
  place_middle(trace);

  std::vector<PlacedContact> at(trace.rows.size());
  std::vector<const ContactMotion*> motions;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const RowsTrace& rows = trace.rows[i];
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    place_contact(contact, collision_, row_trees_middle_, anchor(contact.shape_a), anchor(contact.shape_b),
                  poses(contact.shape_a, contact.shape_b, row_trees_middle_), &start_contact(rows.contact),
                  at[i]);
    motions.push_back(&at[i].motion);
  }
  std::vector<VecX> E(parts_.size()), E_by_s(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i)
    implicit_diagonal(parts_[i].tree->model, s, E[i], E_by_s[i]);
  const VecX change =
      velocity_change(trace.rows, trace.limits, event.forced.f - trace.forces.f, motions, E, true);
  const VecX x = (trace.with_gaps ? substep_->v : VecX(VecX::Zero(nv))) + trace.v_next + change;

  const int velocity = tape.slot(nv), forces = tape.slot(static_cast<int>(event.forced.f.size()));
  ClassSolve classes;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const Model& model = part.tree->model;
    const VecX own = change.segment(part.v, model.nv());
    add_momentum(velocity, slots.v_next, slots.place, i, part.tree->middle, own, E[i], classes);
    tape.add(velocity + part.v, slots.s, E_by_s[i].cwiseProduct(own), -1);
    for (const Use& use : uses_) {
      const int k = use.id.index;
      if (use.part != static_cast<int>(i)) continue;
      if (use.id.kind == ParameterKind::damping)
        tape.add_scaled(velocity + part.v + k, use.row, 1,
                        -implicit_damping(model, k, s).by_damping * own[k]);
      if (use.id.kind == ParameterKind::stiffness)
        tape.add_scaled(velocity + part.v + k, use.row, 1, -0.25 * s * s * own[k]);
    }
  }
  classes.rows.resize(event.forced.classes.size());
  std::vector<FrameDerivative> frames(trace.rows.size());
  std::vector<const PlacedContact*> placed;
  RowDerivative by;
  const int slip_at_end = tape.slot(1), slip_at_start = tape.slot(1);
  std::size_t ending = 0;
  MatX ending_J;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const RowsTrace& rows = trace.rows[i];
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    const ContactMotion& motion = at[i].motion;
    FrameDerivative& frame = frames[i];
    placed.push_back(&at[i]);
    frame_by_position(rows, start_contact(rows.contact), at[i], local(motion, slip_rates(trace, rows)),
                      frame);
    rows_by_position(rows, at[i], frame, local(motion, x), by);
    Vec3 F = Vec3::Zero();
    for (int r = 0; r < rows.count; ++r) {
      const std::size_t row = static_cast<std::size_t>(rows.first + r);
      F += (event.forced.f - trace.forces.f)[rows.first + r] * rows.directions[static_cast<std::size_t>(r)];
      classes.rows[row] = {event.forced.classes[row], rows.first, contact.friction};
    }
    force_by_position(F, at[i], frame, by);
    MatX J_transposed = by.J.transpose();
    for (MatX* g : {&by.g_by_q, &by.g_by_place, &by.g_by_v0, &J_transposed}) clear_prescribed(motion, *g);
    const int out = forces + rows.first;
    add_columns(out, q_, motion, by.w_by_q, -1);
    add_columns(out, slots.place, motion, by.w_by_place, -1);
    if (trace.with_gaps) add_columns(out, v_, motion, by.J, -1);
    add_both(velocity, q_, motion, by.g_by_q, 1);
    add_both(velocity, slots.place, motion, by.g_by_place, 1);
    const int v_slip = slip_slot(rows, slots.v0, slots.v_free);
    if (v_slip >= 0) {
      add_columns(out, v_slip, motion, by.w_by_v0, -1);
      add_both(velocity, v_slip, motion, by.g_by_v0, 1);
    }
    for (int p = 0; p < motion.parts(); ++p) {
      const ContactMotion::Part& part = motion.part(p);
      const int first = parts_[static_cast<std::size_t>(part.tree)].v;
      tape.add(velocity + first, slots.forces + rows.first, J_transposed.middleRows(part.first, part.count),
               -1);
      classes.blocks.push_back({rows.first, first, by.J.middleCols(part.first, part.count)});
    }
    add_friction(rows, motion, trace.forces, velocity, -1);
    add_friction(rows, motion, event.forced, velocity, 1);
    if (trace.with_gaps) add_bias(trace, rows, slots, bends, frame, out);
    if (event.row != rows.first + 1) continue;
    ending = i;
    ending_J = by.J.row(1);
    SlipDerivative slip;
    const PlacedContact& start = start_contact(rows.contact);
    slip_at_start_by_position(rows, start, frame, local(start.motion, substep_->v), slip);
    add_columns(slip_at_start, q_, motion, slip.by_q.row(0), 1);
    add_columns(slip_at_start, slots.place, motion, slip.by_place.row(0), 1);
    add_columns(slip_at_start, v_, motion, slip.by_v.row(0), 1);
    if (v_slip >= 0) add_columns(slip_at_start, v_slip, motion, slip.by_v0.row(0), 1);
  }
  add_limit_rows(trace, slots, event.forced, forces, classes);
  for (const LimitRowTrace& row : trace.limits) {
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
    tape.add_scaled(velocity + limit.velocity, slots.forces + row.row, 1, -limit.sign);
  }
  tape.add_scaled(slip_at_end, forces + event.row, 1, -1);  // what moves the row besides v̂
  if (!classes.factor()) refuse("the forecast of a slip's end cannot be solved");
  const int shares = add_shares({.rows = trace.rows,
                                 .contacts = placed,
                                 .frames = frames,
                                 .limits = trace.limits,
                                 .f = event.forced.f,
                                 .middle = true,
                                 .place = slots.place,
                                 .v0 = slots.v0,
                                 .v_free = slots.v_free,
                                 .s = slots.s,
                                 .length = s},
                                classes);
  tape.solve(velocity, forces, shares, std::move(classes));
  add_columns(slip_at_end, velocity, at[ending].motion, ending_J, 1);

  const int end = tape.slot(1);
  const double u0 = event.u0, w = event.w, per = s / ((u0 - w) * (u0 - w));
  tape.add_scaled(end, slots.s, 1, u0 / (u0 - w));
  tape.add_scaled(end, slip_at_end, 1, u0 * per);
  tape.add_scaled(end, slip_at_start, 1, -w * per);
  return end;
}

/// bend = gap(end) − (gap + n_m·Δ_m(d)), d the displacement of the whole segment; −1: it does not move.
int IslandTape::bend_of(const BendTrace& bend) {
  if (bend.capped || bend.contact < 0) return -1;
  const SolveTrace& from = substep_->solves[static_cast<std::size_t>(bend.from)];
  const PathEnd end = path_end(bend.from, from.s);
  const Solve slots = solve(bend.from);
  tape.add(end.q, slots.s, end.rate);
  tape.add(end.displacement, slots.s, end.w);
  ContactMotion motion;
  motion.place(row_trees_end_, anchor(bend.shape_a), anchor(bend.shape_b), 0.5 * (bend.p_A + bend.p_B));
  const int out = tape.slot(1);
  add_columns(out, end.q, motion, gap_row(motion, bend.normal), 1);

  const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(bend.contact)];
  const PlacedContact& start = start_contact(bend.contact);
  add_columns(out, q_, start.motion, gap_row(start.motion, start.n), -1);
  PlacedContact moved;
  place_middle(from);
  if (midpoint())
    place_contact(contact, collision_, row_trees_middle_, anchor(contact.shape_a), anchor(contact.shape_b),
                  poses(contact.shape_a, contact.shape_b, row_trees_middle_), &start, moved);
  const PlacedContact& at = midpoint() ? moved : start;
  const VecX d = local(at.motion, end.value);
  Eigen::RowVectorXd by_place, by_d;
  approach_by_position(at, d, by_place, by_d);
  add_columns(out, slots.place, at.motion, by_place, -1);
  add_columns(out, end.displacement, at.motion, by_d, -1);
  if (at.N0.cols() > 0)
    add_columns(
        out, q_, at.motion,
        at.motion.velocity(d).transpose() * at.N0 - (at.motion.spin(d).cross(at.n)).transpose() * at.P0, -1);
  return out;
}

}  // namespace jade
