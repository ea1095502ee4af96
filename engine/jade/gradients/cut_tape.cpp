#include "jade/geometry/contact_features.h"
#include "jade/gradients/island_tape.h"
#include "jade/math/rotation.h"

namespace jade {

std::optional<int> IslandTape::carrier(const ContactTrace& contact) const {
  const auto shape = [&](int number) -> const PreparedShape& {
    return collision_.shapes()[static_cast<std::size_t>(number)].geometry;
  };
  const bool on_a = is_lowest_of_rim(contact.a, shape(contact.shape_a));
  if (!on_a && !is_lowest_of_rim(contact.b, shape(contact.shape_b))) return std::nullopt;
  const Links links = links_of(contact);
  const int rim = links.on[on_a ? 0 : 1].tree, other = links.on[on_a ? 1 : 0].tree;
  if (rim < 0 || part(rim).tree->alone) return rim;
  return other >= 0 && part(other).tree->alone ? other : -1;
}

IslandTape::PairRows IslandTape::pair_rows(const SolveTrace& trace, std::size_t first) const {
  const auto contact = [&](std::size_t i) -> const ContactTrace& {
    return substep_->contacts[static_cast<std::size_t>(trace.rows[i].contact)];
  };
  PairRows pair{.first = first, .end = first};
  for (; pair.end < trace.rows.size() && contact(pair.end).shape_a == contact(first).shape_a &&
         contact(pair.end).shape_b == contact(first).shape_b;
       ++pair.end) {
    const RowsTrace& rows = trace.rows[pair.end];
    for (int r = 0; r < rows.count; ++r)
      pair.F += trace.forces.f[rows.first + r] * rows.directions[static_cast<std::size_t>(r)];
    const std::optional<int> with = carrier(contact(pair.end));
    if (with.value_or(-1) >= 0) pair.travelled += (0.5 * trace.s) * substep_->v.segment<3>(part(*with).v);
    if (!with)
      pair.travelled += contacts_[pair.end]->p - start_contacts_[static_cast<std::size_t>(rows.contact)].p;
  }
  pair.travelled /= static_cast<double>(pair.end - pair.first);
  return pair;
}

/// dF = Σ (d_r df_r + ρ × F_i),   d(c_m − c) = mean of dp_m − dp
void IslandTape::add_pair_rows(const SolveTrace& trace, const Solve& slots, PairRows& pair) {
  pair.force = tape.slot(3);
  pair.travel = tape.slot(3);
  const double share = 1 / static_cast<double>(pair.end - pair.first);
  for (std::size_t i = pair.first; i < pair.end; ++i) {
    const RowsTrace& rows = trace.rows[i];
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    const PlacedContact &start = start_contact(rows.contact), &at = *contacts_[i];
    const FrameDerivative& frame = frames_[i];
    const Links links = links_of(contact);
    const LinkRows q = displacements(links, Place::start, q_);
    const LinkRows place = displacements(links, Place::middle, slots.place);
    Vec3 F = Vec3::Zero();
    for (int r = 0; r < rows.count; ++r) {
      const Vec3& d = rows.directions[static_cast<std::size_t>(r)];
      F += trace.forces.f[rows.first + r] * d;
      tape.add(pair.force, slots.forces + rows.first + r, d);
    }
    for (const Use& use : uses_)
      if (use.id.kind == ParameterKind::friction && use.id.index == contact.material)
        tape.add(pair.force, use.row, force_by_friction(rows, trace.forces));
    Rows12 by_place, by_start, by_v0;
    for (int k = 0; k < 3; ++k) {
      const Vec3 u = F.cross(Vec3::Unit(k));  // e_k·(ρ × F) = u·ρ
      by_place.row(k) = frame.turn_by_place(u, at);
      by_start.row(k) = frame.turn_by_start(u, at);
      by_v0.row(k) = u.dot(frame.n) * frame.by_v0;
    }
    add_links(pair.force, by_place, place, 1);
    if (frame.q) add_links(pair.force, by_start, q, 1);
    if (frame.v0) add_links(pair.force, by_v0, slip_rows(trace, rows, links, slots), 1);
    const std::optional<int> with = carrier(contact);
    if (with.value_or(-1) >= 0) {
      tape.add_scaled(pair.travel, v_ + part(*with).v, 3, 0.5 * trace.s * share);
      tape.add(pair.travel, slots.s, substep_->v.segment<3>(part(*with).v), 0.5 * share);
    }
    if (with) continue;
    add_links(pair.travel, at.P, place, share);
    if (at.travels) add_links(pair.travel, at.P0, q, share);
    add_links(pair.travel, start.P, q, -share);
  }
}

/// M̃ z = (0; ± F × a),   a = (c_m − c) − ½ s v, of every body that is alone.
IslandTape::LeverChange IslandTape::lever_change(int index) {
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(index)];
  solve(index).classes->keep_forces = true;
  const Solve slots = solve(index);
  const double s = trace.s;
  place_middle(trace);
  place_contacts(trace);
  for (const Part& own : parts_) implicit_diagonal(*own.tree, s);
  LeverChange out{.v = tape.slot(nv), .value = VecX::Zero(nv)};
  const int v = out.v;
  for (PairRows pair; pair.end < trace.rows.size();) {
    pair = pair_rows(trace, pair.end);
    add_pair_rows(trace, slots, pair);
    const Links links =
        links_of(substep_->contacts[static_cast<std::size_t>(trace.rows[pair.first].contact)]);
    for (int side = 0; side < 2; ++side) {
      const Anchor& on = links.on[side];
      if (on.tree < 0 || !part(on.tree).tree->alone) continue;
      const int own = part(on.tree).v;
      const double sign = side == 0 ? -1 : 1;
      const Vec3 velocity = substep_->v.segment<3>(own), a = pair.travelled - 0.5 * s * velocity;
      const Mat3 by_a = sign * skew(pair.F);
      out.value.segment<3>(own + 3) += by_a * a;
      tape.add(v + own + 3, pair.force, skew(a), -sign);
      tape.add(v + own + 3, pair.travel, by_a);
      tape.add(v + own + 3, v_ + own, by_a, -0.5 * s);
      tape.add(v + own + 3, slots.s, Vec3(by_a * velocity), -0.5);
    }
  }
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    GradientTree& tree = *part(i).tree;
    if (!tree.alone) continue;
    tree.one = out.value.segment(part(i).v, tree.model.nv());
    mass_factor(i, Place::middle).solve(tree.model, tree.one);
    out.value.segment(part(i).v, tree.model.nv()) = tree.one;
  }
  ClassSolve& classes = tape.new_classes();
  add_event_dynamics(trace, slots, out.value, v, classes);
  classes.choose_free_rows();  // none
  if (!classes.factor()) refuse("a mass matrix cannot be factored");
  tape.solve(v, tape.slot(0), -1, classes);
  return out;
}

}  // namespace jade
