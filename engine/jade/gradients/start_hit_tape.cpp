#include <cmath>

#include "jade/dynamics/forward_dynamics.h"
#include "jade/gradients/island_tape.h"

namespace jade {

/// A hit at the very start of a step: the step before ended where the bodies meet. A trajectory that comes a little later
/// meets within this step, one that comes earlier met in the step before, and to both it is one hit whose time moves. So it
/// is differentiated as a hit after no time, of which the step alone knows one side:
///   dσ = −Jₙ dq / (Jₙ v),   dq ← dq + v dσ,   dv ← dv + a dσ,   dleft ← dleft − dσ
/// a: acceleration before the hit. Without this a ball that reaches the floor at the end of a step would be told +1 and not
/// −e for the place it starts from, and optimisers stop at such boundaries.
void IslandTape::hit_at_start(const CollisionTrace& collision) {
  // Where the sweep ends is the standoff up to its tolerance; what is nearer collides at once wherever it is moved.
  constexpr double kAtStandoff = 1e-3;
  const double slow = (step_->standoff - step_->clearance) / substep_->left;
  double fastest = -slow;
  const RowsTrace* hit = nullptr;
  for (const RowsTrace& rows : collision.rows) {
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    const PlacedContact& at = start_contact(rows.contact);
    const double approach = at.n.dot(at.velocity(rates(links_of(contact), Place::start, collision.v_before)));
    if (std::abs(contact.now.gap - step_->standoff) > kAtStandoff * step_->standoff || approach >= fastest)
      continue;
    fastest = approach;
    hit = &rows;
  }
  if (hit == nullptr) return;

  const PlacedContact& at = start_contact(hit->contact);
  const int sigma = tape.slot(1), q = tape.slot(nv), v = tape.slot(nv), left = tape.slot(1);
  const Links links = links_of(substep_->contacts[static_cast<std::size_t>(hit->contact)]);
  add_links(sigma, Row12(at.n.transpose() * at.J), displacements(links, Place::start, q_), -1 / fastest);
  tape.add_scaled(q, q_, nv, 1);
  tape.add(q, sigma, collision.v_before);
  tape.add_scaled(v, v_, nv, 1);
  for (const Part& own : parts_) {
    const Model& model = own.tree->model;
    const long n = model.nv();
    const State before{substep_->q.segment(own.q, model.nq()), collision.v_before.segment(own.v, n)};
    tape.add(v + own.v, sigma,
             forward_dynamics(model, before, island_->effort.segment(own.v, n),
                              island_->prescribed.segment(own.v, n)));
  }
  tape.add_scaled(left, left_, 1, 1);
  tape.add_scaled(left, sigma, 1, -1);
  q_ = q;
  v_ = v;
  left_ = left;
}

}  // namespace jade
