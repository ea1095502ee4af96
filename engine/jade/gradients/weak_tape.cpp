#include "jade/gradients/island_tape.h"

namespace jade {

/// Contacts that touch and neither carry nor open, as after a hit without a bounce, are at a kink: what presses them is pushed
/// back, what lifts them is not. Several smooth pieces meet there, and no linear map is right on all of them; but along one
/// direction the step has a derivative to one side, whose part at these contacts is a complementarity problem of its own,
///   0 ≤ df_n ⟂ dw_n ≥ 0,   df_t = −μ df_n along the slip,   dw = A df + J dv⁺ + …,
/// with the rows that surely hold held: A = J_n Z, Z the velocities that such forces lead to; W = diag J_n M⁻¹ J_nᵀ. Loads are
/// first order, and so is what they change of A, W and the directions: all of these are those at the kink.
/// J.-S. Pang, "Newton's method for B-differentiable equations", Mathematics of Operations Research 15(2), 1990.

/// What moves the normals besides v⁺ is looked at before it is solved for.
IslandTape::Weak IslandTape::begin_weak(const SolveTrace& trace, const Solve& slots) {
  Weak weak;
  for (std::size_t i = 0; i < trace.rows.size(); ++i)
    if (watches(trace.rows[i])) weak.rows.push_back(i);
  if (weak.rows.empty()) return weak;
  const int count = static_cast<int>(weak.rows.size());
  weak.opening = tape.slot(count);
  weak.forces = tape.slot(count);
  slots.classes->keep_forces = true;
  for (int k = 0; k < count; ++k)
    tape.add_scaled(weak.opening + k, slots.forces + trace.rows[weak.rows[static_cast<std::size_t>(k)]].first,
                    1, -1);
  return weak;
}

void IslandTape::add_weak(const SolveTrace& trace, const Solve& slots, const Weak& weak) {
  const auto count = static_cast<Eigen::Index>(weak.rows.size());
  const Eigen::Index forces = trace.forces.f.size();
  // Unit loads with their friction; then the velocities and the other contacts' forces that they lead to.
  MatX J(count, nv), loads = MatX::Zero(forces, count);
  VecX W(count);
  for (const Part& own : parts_) implicit_diagonal(*own.tree, trace.s);
  RowMatX response = RowMatX::Zero(nv + forces, count);
  VecX pushed;
  for (Eigen::Index k = 0; k < count; ++k) {
    const std::size_t i = weak.rows[static_cast<std::size_t>(k)];
    const RowsTrace& rows = trace.rows[i];
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    const Links links = links_of(contact);
    const double friction = rows.count > 1 ? contact.friction : 0;
    const Row12 normal = contacts_[i]->along(rows.directions[0]);
    add_links(weak.opening + static_cast<int>(k), normal,
              rates(links, Place::middle, slots.place, VecX(), slots.v_next, 0), 1);
    pushed.setZero(nv);
    add_generalised(links, Place::middle, normal.transpose(), pushed);
    J.row(k) = pushed.transpose();
    loads(rows.first, k) = 1;
    W[k] = pushed.dot(velocity_change(trace.rows, {}, loads.col(k), Place::middle));
    if (friction != 0) {
      add_generalised(links, Place::middle, -friction * contacts_[i]->along(rows.directions[1]).transpose(),
                      pushed);
      loads(rows.first + 1, k) = -friction;
    }
    response.col(k).head(nv) = pushed;
  }
  slots.classes->solve(response, 0, nv, -1);
  tape.add_loads(weak.forces, weak.opening, {J * response.topRows(nv), W});
  tape.add(slots.v_next, weak.forces, response.topRows(nv));
  tape.add(slots.forces, weak.forces, loads + response.bottomRows(forces));
}

}  // namespace jade
