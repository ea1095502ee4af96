#include <algorithm>
#include <limits>
#include <utility>

#include "jade/gradients/island_tape.h"

namespace jade {

Vec3 IslandTape::force_by_friction(const RowsTrace& rows, const ForcesTrace& forces) {
  Vec3 by_mu = Vec3::Zero();
  for (int r = 1; r < rows.count; ++r) {
    const RowClass row_class = forces.classes[static_cast<std::size_t>(rows.first + r)];
    const double sign = row_class == RowClass::high ? 1 : row_class == RowClass::low ? -1 : 0;
    by_mu += sign * forces.f[rows.first] * rows.directions[static_cast<std::size_t>(r)];
  }
  return by_mu;
}

void IslandTape::add_friction(const RowsTrace& rows, const PlacedContact& contact, const ForcesTrace& forces,
                              double scale) {
  if (uses_.empty()) return;
  const ContactTrace& trace = substep_->contacts[static_cast<std::size_t>(rows.contact)];
  const Vec3 by_mu = force_by_friction(rows, forces);
  if (by_mu.isZero(0)) return;
  for (const Use& use : uses_)
    if (use.id.kind == ParameterKind::friction && use.id.index == trace.material)
      add_force(links_of(trace), Sides(contact.along(by_mu).transpose()), use.row, scale);
}

Sides IslandTape::slip_rates(const SolveTrace& trace, const RowsTrace& rows, const Links& links) {
  if (rows.from_start) return rates(links, Place::start, substep_->v);
  return rates(links, Place::middle, rows.count == 2 ? v0_ : trace.u_first);
}

IslandTape::LinkRows IslandTape::slip_rows(const SolveTrace& trace, const RowsTrace& rows, const Links& links,
                                           const Solve& slots) {
  if (rows.from_start) return rates(links, Place::start, q_, substep_->v, v_, 0);
  if (rows.count == 2 && slots.v0 >= 0) return rates(links, Place::middle, slots.place, v0_, slots.v0, 0);
  if (rows.count == 3 && slots.v_free >= 0)
    return rates(links, Place::middle, slots.place, trace.u_first, slots.v_free, 0);
  return {};
}

/// For the end of a slip, or for the levers of a part.
bool IslandTape::asks_for_forces(const SolveTrace& trace) const {
  const bool is_cut =
      &trace == &substep_->solves.back() && substep_->sigma != 0 && substep_->sigma != trace.s;
  return trace.event.row >= 0 || (midpoint() && is_cut);
}

bool IslandTape::is_idle(const RowsTrace& rows, const ForcesTrace& forces) {
  for (int row = rows.first; row < rows.first + rows.count; ++row) {
    const RowClass c = forces.classes[static_cast<std::size_t>(row)];
    if (c == RowClass::clamped || c == RowClass::stick || forces.f[row] != 0) return false;
  }
  return true;
}

/// A contact that sticks has two tangents: when they turn about the normal, their two equations turn into each other, and
/// their forces make up for it. Where nothing slips (and nobody asks for the forces) no velocity depends on it, as long as
/// the slip at the start is looked at along the same tangents.
bool IslandTape::turns_for_nothing(const RowsTrace& rows, const PlacedContact& start, const PlacedContact& at,
                                   const ForcesTrace& forces) {
  const auto row_class = [&](int r) { return forces.classes[static_cast<std::size_t>(rows.first + r)]; };
  return rows.count == 3 && row_class(1) == RowClass::stick && row_class(2) == RowClass::stick &&
         start.n == at.n;
}

/// The contacts of a solve's rows where these are, and how their frames turn.
void IslandTape::place_contacts(const SolveTrace& trace) {
  v0_ = 0.5 * (substep_->v + trace.u_first);
  if (moved_.size() < trace.rows.size()) moved_.resize(trace.rows.size());
  if (frames_.size() < trace.rows.size()) frames_.resize(trace.rows.size());
  contacts_.clear();
  const bool no_slip = !asks_for_forces(trace) &&
                       std::none_of(trace.forces.classes.begin(), trace.forces.classes.end(),
                                    [](RowClass c) { return c == RowClass::high || c == RowClass::low; });
  // Contacts of the same two shapes follow each other.
  const ContactTrace* before = nullptr;
  SidePoses shapes;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const RowsTrace& rows = trace.rows[i];
    const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    // What pushes nobody and holds nobody may still matter to the forecast of a slip's end, and to where a pair touches.
    if (!asks_for_forces(trace) && is_idle(rows, trace.forces) && !watches(rows)) {
      contacts_.push_back(nullptr);
      continue;
    }
    const PlacedContact& start = start_contact(rows.contact);
    if (midpoint() &&
        (before == nullptr || before->shape_a != contact.shape_a || before->shape_b != contact.shape_b))
      shapes = poses(contact.shape_a, contact.shape_b, Place::middle);
    before = &contact;
    if (midpoint()) place_contact(contact, collision_, shapes, &start, moved_[i]);
    contacts_.push_back(midpoint() ? &moved_[i] : &start);
    if (no_slip && turns_for_nothing(rows, start, *contacts_[i], trace.forces))
      frame_by_normal(rows, *contacts_[i], frames_[i]);
    else
      frame_by_position(rows, start, *contacts_[i], slip_rates(trace, rows, links_of(contact)), frames_[i]);
  }
}

IslandTape::PairMotion IslandTape::pair_motion(const SegmentRows& segment, const Links& links) {
  const bool with_start = midpoint() && segment.trace.with_gaps;  // rows of v + v⁺, or of v⁺ alone
  const int place = segment.slots.place;
  PairMotion out{.links = links,
                 .x = rates(links, Place::middle, segment.x),
                 .v = rates(links, Place::start, substep_->v),
                 .start = displacements(links, Place::start, q_)};
  out.place = midpoint() ? displacements(links, Place::middle, place) : out.start;
  out.by_x = rates(links, Place::middle, place, segment.x, with_start ? v_ : -1, segment.use);
  out.by_v = rates(links, Place::start, q_, substep_->v, v_, 0);
  return out;
}

void IslandTape::add_segment_rows(SegmentRows& segment, std::size_t index) {
  const SolveTrace& trace = segment.trace;
  const RowsTrace& rows = trace.rows[index];
  const int out = segment.out + rows.first;
  bool wanted[3] = {false, false, false};
  int count = 0;  // up to the last one that is wanted
  for (int r = 0; r < rows.count; ++r) {
    wanted[r] = segment.classes.is_free(rows.first + r) || rows.first + r == segment.also;
    if (wanted[r]) count = r + 1;
  }
  if (count == 0) return;

  const Links links = links_of(substep_->contacts[static_cast<std::size_t>(rows.contact)]);
  if (!segment.pair || !(segment.pair->links == links)) segment.pair = pair_motion(segment, links);
  const PairMotion& pair = *segment.pair;
  RowMaps maps;
  rows_by_position(rows, count, *contacts_[index], frames_[index], pair.x, maps);
  maps.w_by_v.topRows(count).setZero();
  if (trace.with_gaps) add_bias(segment, index, count, maps);

  const bool follows_slip = count > 1 && frames_[index].v0;
  const LinkRows v0 = follows_slip ? slip_rows(trace, rows, links, segment.slots) : LinkRows{};
  const auto add = [&](const Rows12& M, int side, int in) {
    if (in < 0) return;
    for (int r = 0, end = 0; r < count; r = end + 1) {
      for (end = r; end < count && wanted[end];) ++end;
      if (end > r) tape.add(out + r, in, M.middleCols<6>(6 * side).middleRows(r, end - r), -1);
    }
  };
  for (int side = 0; side < 2; ++side) {
    if (links.on[side].tree < 0) continue;
    // Bodies that are alone have their velocities in one place.
    const bool same_v = pair.by_x.row[side] == pair.by_v.row[side],
               same_q = pair.place.row[side] == pair.start.row[side];
    for (int r = 0; r < count; ++r) {
      if (same_q) maps.w_by_q.block<1, 6>(r, 6 * side) += maps.w_by_place.block<1, 6>(r, 6 * side);
      if (same_v) maps.w_by_v.block<1, 6>(r, 6 * side) += maps.J.block<1, 6>(r, 6 * side);
    }
    add(maps.w_by_q, side, pair.start.row[side]);
    if (!same_q) add(maps.w_by_place, side, pair.place.row[side]);
    add(maps.w_by_v, side, pair.by_v.row[side]);
    if (!same_v) add(maps.J, side, pair.by_x.row[side]);
    add(maps.w_by_v0, side, v0.row[side]);
  }
}

int IslandTape::add_contact_rows(int index, const Solve& slots, const std::vector<int>& bends,
                                 ClassSolve& classes) {
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(index)];
  const bool with_start = midpoint() && trace.with_gaps;
  if (with_start)
    sum_ = substep_->v + trace.v_next;
  else
    sum_ = trace.v_next;
  classes.takes_mean = gaps_contradict(trace) || slips_contradict(trace) || normals_contradict(trace);
  add_problem(trace.rows, trace.limits, trace.forces.classes, &trace.forces.f, Place::middle, classes);
  if (!classes.factor()) refuse("a segment's equations cannot be solved");

  SegmentRows segment{.trace = trace,
                      .slots = slots,
                      .bends = bends,
                      .x = sum_,
                      .classes = classes,
                      .use = 2 * index + 1,
                      .out = slots.forces};
  begin_forces(slots.v_next, slots.place, Place::middle);
  force_.clear();
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    if (contacts_[i] == nullptr) continue;
    const RowsTrace& rows = trace.rows[i];
    const Links links = links_of(substep_->contacts[static_cast<std::size_t>(rows.contact)]);
    segment.also = watches(rows) ? rows.first : -1;
    add_segment_rows(segment, i);
    Vec3 F = Vec3::Zero();
    for (int r = 0; r < rows.count; ++r)
      F += trace.forces.f[rows.first + r] * rows.directions[static_cast<std::size_t>(r)];
    add_force_by_position(F, *contacts_[i], frames_[i], force_);
    note_force(links, contacts_[i]->along(F).transpose(), 1);
    add_friction(rows, *contacts_[i], trace.forces, 1);
    // Contacts between the same two links follow each other: their sum is put on the tape.
    std::size_t follower = i + 1;
    while (follower < trace.rows.size() && contacts_[follower] == nullptr) ++follower;
    if (follower < trace.rows.size()) {
      const RowsTrace& next = trace.rows[follower];
      const bool alike = next.from_start == rows.from_start && next.count == rows.count;
      if (alike && links == links_of(substep_->contacts[static_cast<std::size_t>(next.contact)])) continue;
    }
    add_force_by(links, force_, displacements(links, Place::start, q_),
                 displacements(links, Place::middle, slots.place), slip_rows(trace, rows, links, slots));
    force_.clear();
  }
  end_forces();
  add_limit_rows(trace, slots, slots.forces);
  return add_shares({.rows = trace.rows,
                     .limits = trace.limits,
                     .forces = trace.forces,
                     .place = slots.place,
                     .rows_out = slots.forces,
                     .segment = &trace,
                     .slots = &slots},
                    classes);
}

void IslandTape::add_limit_rows(const SolveTrace& trace, const Solve& slots, int out) {
  for (const LimitRowTrace& row : trace.limits) {
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
    if (!trace.with_gaps) continue;
    const bool explicit_euler = step_->integrator == Integrator::explicit_euler;
    double excess = limit.gap - limit.standoff;
    if (explicit_euler) excess += trace.s * limit.approach;
    const ClosingRate closing =
        closing_rate(excess, trace.s, whole(), push_out_length(limit.standoff, limit.clearance));
    const double by_v = explicit_euler ? closing.by_excess * trace.s : midpoint() ? 0.5 : 0;  // ½ = 1 − ½
    tape.add_scaled(out + row.row, q_ + limit.velocity, 1, -closing.by_excess * limit.sign);
    tape.add_scaled(out + row.row, v_ + limit.velocity, 1, -by_v * limit.sign);
    tape.add_scaled(out + row.row, slots.s, 1,
                    -closing.by_s - (explicit_euler ? closing.by_excess * limit.approach : 0));
    tape.add_scaled(out + row.row, step_size_in, 1, -closing.by_h * whole() / step_->h);
  }
}

double IslandTape::excess_of(const RowsTrace& rows) const {
  return substep_->contacts[static_cast<std::size_t>(rows.contact)].now.gap - step_->standoff;
}

/// The rows of other contacts between the same two shapes.
template <class Visit>
void IslandTape::for_each_other(const SolveTrace& trace, const RowsTrace& rows, Visit&& visit) const {
  const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
  for (const RowsTrace& other : trace.rows) {
    const ContactTrace& at = substep_->contacts[static_cast<std::size_t>(other.contact)];
    if (&other != &rows && at.shape_a == contact.shape_a && at.shape_b == contact.shape_b) visit(other);
  }
}

ClosingRate IslandTape::closing_of(const SolveTrace& trace, const RowsTrace& rows) const {
  double excess = excess_of(rows), others = 0;
  if (step_->integrator == Integrator::explicit_euler)
    excess += trace.s * substep_->contacts[static_cast<std::size_t>(rows.contact)].approach;
  if (midpoint())
    for_each_other(trace, rows, [&](const RowsTrace& other) { others += squared_depth(excess_of(other)); });
  return closing_rate(excess, trace.s, whole(), push_out_length(step_->standoff, step_->clearance), others);
}

/// Whether places travel along their shapes, or contacts are pushed apart by other than the same multiple of their gaps: then the gaps of a face that is held at more
/// places than it needs ask for what no motion gives, as soon as they move.
bool IslandTape::gaps_contradict(const SolveTrace& trace) const {
  constexpr double kSame = 1e-12;
  if (!trace.with_gaps) return false;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const RowsTrace& rows = trace.rows[i];
    if (trace.forces.classes[static_cast<std::size_t>(rows.first)] != RowClass::clamped) continue;
    if (contacts_[i] != nullptr && contacts_[i]->travels) return true;
    const ClosingRate closing = closing_of(trace, rows);
    least = std::min(least, closing.by_excess);
    most = std::max(most, closing.by_excess);
    if (closing.by_others * trace.s != 0) return true;
  }
  return most > (1 + kSame) * least;
}

/// Whether slips are held across at more places than two. What slides turns about a point, and all these rows look at it from their
/// places: two of them determine where it is, and others follow. As soon as anything moves they do so but for what a segment turns
/// by, and a mean of them is met.
bool IslandTape::slips_contradict(const SolveTrace& trace) const {
  int held = 0;
  for (const RowsTrace& rows : trace.rows) {
    const bool across = rows.count == 3 && rows.along_slip &&
                        trace.forces.classes[static_cast<std::size_t>(rows.first + 2)] == RowClass::stick;
    if (across && ++held > 2) return true;
  }
  return false;
}

/// Whether a pair that moves against each other is held along normals of several faces or edges. As soon as the two bodies lean
/// against each other these point different ways: what slides along one face lifts off another, and what comes nearer to one
/// slides along another, where friction holds it. More of them than a motion can meet ask for what none gives.
bool IslandTape::normals_contradict(const SolveTrace& trace) {
  const RowsTrace* before = nullptr;
  for (const RowsTrace& rows : trace.rows) {
    if (trace.forces.classes[static_cast<std::size_t>(rows.first)] != RowClass::clamped) continue;
    const RowsTrace* other = std::exchange(before, &rows);
    if (other == nullptr) continue;
    const ContactTrace &a = substep_->contacts[static_cast<std::size_t>(other->contact)],
                       &b = substep_->contacts[static_cast<std::size_t>(rows.contact)];
    if (a.shape_a != b.shape_a || a.shape_b != b.shape_b) continue;
    const auto is_same_face = [](const Feature& f, const Feature& g) {
      return f.kind == Feature::Kind::plane && g.kind == Feature::Kind::plane && f.id == g.id;
    };
    if (is_same_face(a.a, b.a) || is_same_face(a.b, b.b)) continue;
    const PlacedContact& at = start_contact(rows.contact);
    const Vec3 velocity = at.velocity(rates(links_of(b), Place::start, substep_->v));
    const double speed = rows.count > 1 ? velocity.norm() : cross3(at.n, velocity).norm();
    if (speed > kNoSlip) return true;
  }
  return false;
}

/// Less the bias of the rows, whose r₂ it is: see Island::set_bias.
void IslandTape::add_bias(const SegmentRows& segment, std::size_t index, int count, RowMaps& maps) {
  const SolveTrace& trace = segment.trace;
  const RowsTrace& rows = trace.rows[index];
  const int out = segment.out + rows.first, length = segment.slots.s;
  const ContactTrace& contact = substep_->contacts[static_cast<std::size_t>(rows.contact)];
  const PlacedContact& start = start_contact(rows.contact);
  const Sides& v = segment.pair->v;
  const double s = trace.s;
  const bool explicit_euler = step_->integrator == Integrator::explicit_euler;
  const ClosingRate closing = closing_of(trace, rows);
  // What of the closing speed is in the bias: of the gap that explicit Euler looks ahead to, or half of it.
  const double of_approach = explicit_euler ? closing.by_excess * s : midpoint() ? -0.5 : 0;
  const Row12 gap = start.along(start.n);  // and the closing speed by rates
  maps.w_by_q.row(0) += closing.by_excess * gap;
  if (closing.by_others != 0)
    for_each_other(trace, rows, [&](const RowsTrace& other) {
      const PlacedContact& at = start_contact(other.contact);
      maps.w_by_q.row(0) += closing.by_others * 2 * std::min(excess_of(other), 0.0) * at.along(at.n);
    });
  if (of_approach != 0) {
    maps.w_by_q.row(0) += of_approach * approach_by_position(start, v);
    maps.w_by_v.row(0) += of_approach * gap;
  }
  const double by_s = closing.by_s + (explicit_euler ? closing.by_excess * contact.approach : 0);
  tape.add_scaled(out, length, 1, -by_s);
  if (closing.by_h != 0) tape.add_scaled(out, step_size_in, 1, -closing.by_h * whole() / step_->h);
  for (std::size_t b = 0; b < trace.bends.size(); ++b) {
    const BendTrace& bend = trace.bends[b];
    if (bend.shape_a != contact.shape_a || bend.shape_b != contact.shape_b) continue;
    const double weight = midpoint() ? 2 : 1, span = bend.span;
    if (segment.bends[b] >= 0) tape.add_scaled(out, segment.bends[b], 1, -weight * s / (span * span));
    tape.add_scaled(out, length, 1, -weight * bend.value / (span * span));
    tape.add_scaled(out, length_of(bend.from), 1, 2 * weight * bend.value * s / (span * span * span));
  }
  if (!midpoint() || count < 2) return;
  SlipDerivative slip;
  slip_at_start_by_position(rows, start, *contacts_[index], frames_[index], v, slip);
  for (int r = 1; r < count; ++r) {
    maps.w_by_q.row(r) -= slip.by_q.row(r);
    maps.w_by_place.row(r) -= slip.by_place.row(r);
    maps.w_by_v0.row(r) -= slip.by_v0.row(r);
    maps.w_by_v.row(r) -= slip.by_v.row(r);
  }
}

}  // namespace jade
