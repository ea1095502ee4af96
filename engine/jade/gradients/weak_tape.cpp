#include <limits>

#include "jade/gradients/island_tape.h"

namespace jade {

/// Contacts that touch and neither carry nor open, as after a hit without a bounce, are at a kink: what presses them is pushed
/// back, what lifts them is not. Several smooth pieces meet there, and no linear map is right on all of them; but along one
/// direction the step has a derivative to one side, whose part at these contacts is a complementarity problem of its own,
///   0 ≤ df_n ⟂ dw_n ≥ 0,   |df_t| ≤ μ df_n as for any contact,   dw = A df + J dv⁺ + …,
/// with the rows that surely hold held: A = J_w Z_w, Z_w the velocities that forces at weak contacts lead to. What slips keeps
/// its direction: df_t = ∓ μ df_n. J.-S. Pang, "Newton's method for B-differentiable equations", Mathematics of Operations
/// Research 15(2), 1990.

/// What moves the rows besides v⁺ is looked at before it is solved for.
IslandTape::Weak IslandTape::begin_weak(const SolveTrace& trace, const Solve& slots) {
  Weak weak;
  for (const RowsTrace& rows : trace.rows)
    if (watches(rows)) weak.count += rows.count;
  if (weak.count == 0) return weak;
  weak.opening = tape.slot(weak.count);
  weak.forces = tape.slot(weak.count);
  slots.classes->keep_forces = true;
  int k = weak.opening;
  for (const RowsTrace& rows : trace.rows) {
    if (!watches(rows)) continue;
    tape.add_scaled(k, slots.forces + rows.first, rows.count, -1);
    k += rows.count;
  }
  return weak;
}

void IslandTape::add_weak(const SolveTrace& trace, const Solve& slots, const Weak& weak) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  const auto forces = static_cast<Eigen::Index>(trace.forces.f.size());
  LcpProblem problem{.form = LcpForm::boxed,
                     .b = VecX::Zero(weak.count),
                     .lo = VecX::Zero(weak.count),
                     .hi = VecX::Constant(weak.count, kUnbounded),
                     .findex = std::vector<int>(static_cast<std::size_t>(weak.count), -1)};
  // Velocities and the other contacts' forces for unit forces at the weak ones.
  RowMatX response = RowMatX::Zero(nv + forces, weak.count);
  int k = 0;
  VecX pushed;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const RowsTrace& rows = trace.rows[i];
    if (!watches(rows)) continue;
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    const Links links = links_of(contact);
    const LinkRows v_next = rates(links, Place::middle, slots.place, VecX(), slots.v_next, 0);
    const int normal = k;
    for (int r = 0; r < rows.count; ++r, ++k) {
      const Row12 along = contacts_[i]->along(rows.directions[static_cast<std::size_t>(r)]);
      add_links(weak.opening + k, along, v_next, 1);
      pushed.setZero(nv);
      add_generalised(links, Place::middle, along.transpose(), pushed);
      response.col(k).head(nv) = pushed;
      if (r == 0) continue;
      const RowClass row_class = rows.if_pressed[static_cast<std::size_t>(r)];
      problem.findex[static_cast<std::size_t>(k)] = normal;
      problem.lo[k] = row_class == RowClass::high ? contact.friction : -contact.friction;
      problem.hi[k] = row_class == RowClass::low ? -contact.friction : contact.friction;
    }
  }
  const MatX J = response.topRows(nv).transpose();
  slots.classes->solve(response, 0, nv, -1);
  problem.A = J * response.topRows(nv);
  tape.complement(weak.forces, weak.opening, std::move(problem));
  tape.add(slots.v_next, weak.forces, response.topRows(nv));
  tape.add(slots.forces, weak.forces, response.bottomRows(forces));
  k = 0;
  for (const RowsTrace& rows : trace.rows) {
    if (!watches(rows)) continue;
    tape.add_scaled(slots.forces + rows.first, weak.forces + k, rows.count, 1);
    k += rows.count;
  }
}

}  // namespace jade
