#include <cmath>

#include "jade/dynamics/forward_dynamics.h"
#include "jade/gradients/island_tape.h"

namespace jade {

/// A hit at the very start of a step: the step before ended where the bodies meet. A trajectory that comes a little later
/// meets within this step, one that comes earlier met in the step before, and to both it is one hit whose time moves. So it
/// is differentiated as a hit after no time, of which the step alone knows one side:
///   dσ = −Jₙ dq / (Jₙ v),   dq ← dq + v dσ,   dv ← dv + a dσ,   dleft ← dleft − dσ
/// a: acceleration before the hit. Without this a ball that reaches the floor at the end of a step would be told +1 and not
/// −e for the place it starts from, and optimisers stop at such boundaries. What carried a load before is not met: it is
/// pressed on, and at once wherever it is moved to.
/// Limits of coordinates are met in the same way.
void IslandTape::hit_at_start(const CollisionTrace& collision) {
  // Where the sweep ends is the standoff up to its tolerance; what is nearer collides at once wherever it is moved.
  constexpr double kAtStandoff = 1e-3;
  const auto at_standoff = [](double gap, double standoff) {
    return std::abs(gap - standoff) <= kAtStandoff * standoff;
  };
  // Closing speeds in units of what counts: metres are not radians.
  double fastest = -1, closing = 0;
  const RowsTrace* hit = nullptr;
  const LimitTrace* hit_limit = nullptr;
  for (const RowsTrace& rows : collision.rows) {
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    const PlacedContact& at = start_contact(rows.contact);
    const double approach = at.n.dot(at.velocity(rates(links_of(contact), Place::start, collision.v_before)));
    const double speed = approach * substep_->left / (step_->standoff - step_->clearance);
    if (contact.carried || !at_standoff(contact.now.gap, step_->standoff) || speed >= fastest) continue;
    fastest = speed;
    closing = approach;
    hit = &rows;
  }
  for (const LimitRowTrace& row : collision.limits) {
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
    const double approach = limit.sign * collision.v_before[limit.velocity];
    const double speed = approach * substep_->left / (limit.standoff - limit.clearance);
    if (limit.carried || !at_standoff(limit.gap, limit.standoff) || speed >= fastest) continue;
    fastest = speed;
    closing = approach;
    hit_limit = &limit;
  }
  if (hit == nullptr && hit_limit == nullptr) return;

  const int sigma = tape.slot(1), q = tape.slot(nv), v = tape.slot(nv);
  if (hit_limit != nullptr) {
    tape.add_scaled(sigma, q_ + hit_limit->velocity, 1, -hit_limit->sign / closing);
  } else {
    const PlacedContact& at = start_contact(hit->contact);
    const Links links = links_of(substep_->contacts[static_cast<std::size_t>(hit->contact)]);
    add_links(sigma, at.along(at.n), displacements(links, Place::start, q_), -1 / closing);
  }
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
  q_ = q;
  v_ = v;
  pass_time(sigma);
}

}  // namespace jade
