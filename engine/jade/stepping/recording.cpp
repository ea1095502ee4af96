#include <algorithm>
#include <cmath>

#include "jade/stepping/island.h"
#include "jade/stepping/shared_load.h"

namespace jade {
namespace {

/// Tree after tree.
template <class Part>
VecX stacked(const std::vector<MovingTree*>& trees, Part&& part) {
  long size = 0;
  for (const MovingTree* tree : trees) size += part(*tree).size();
  VecX all(size);
  long first = 0;
  for (const MovingTree* tree : trees) {
    all.segment(first, part(*tree).size()) = part(*tree);
    first += part(*tree).size();
  }
  return all;
}

// Of its bound: friction that is as near as this is at it.
constexpr double kAtBound = 1e-9;

// Of the standoff: gaps that differ by less are the same. With the default 1e-12 m, some thousand roundings of a place in a world
// of metres.
constexpr double kSameGap = 1e-7;

// What turns by less than this in a segment [rad] does not feel where it is cut: that moves by a share of the turn's square
// over 24, a millionth.
constexpr double kTurnsTooLittle = 5e-3;

}  // namespace

void Island::record_start() {
  if (!trace) return;
  SubstepTrace& substep = trace->substeps.emplace_back();
  substep.q = stacked(trees, [](const MovingTree& tree) -> const VecX& { return tree.now.q; });
  substep.left = left_;
  substep.span = span_;
  substep.contacts.reserve(contacts.size());
  for (const LiveContact& contact : contacts) {
    const NearPair& pair = pairs[contact.pair];
    substep.contacts.push_back({.shape_a = pair.a,
                                .shape_b = pair.b,
                                .material = pair.material,
                                .friction = pair.friction,
                                .restitution = pair.restitution,
                                .standoff = settings_.standoff,
                                .a = contact.a,
                                .b = contact.b,
                                .now = contact.now,
                                .carried = contact.carried});
  }
  std::vector<int> first(trees.size(), 0);
  for (std::size_t t = 1; t < trees.size(); ++t) first[t] = first[t - 1] + trees[t - 1]->model.nv();
  for (const LiveLimit& limit : limits)
    substep.limits.push_back({.velocity = first[limit.tree] + limit.limit.velocity,
                              .sign = limit.limit.sign(),
                              .gap = limit.closing.gap,
                              .approach = limit.closing.approach,
                              .standoff = limit.closing.standoff,
                              .clearance = limit.closing.clearance,
                              .restitution = limit.limit.restitution,
                              .carried = limit.carried});
}

std::vector<RowsTrace> Island::rows_trace() const {
  std::vector<RowsTrace> rows;
  rows.reserve(row_contacts_.size());
  for (const int c : row_contacts_)
    rows.push_back({.contact = c,
                    .first = contacts[c].first_row,
                    .count = contacts[c].rows,
                    .directions = contacts[c].directions,
                    .along_slip = contacts[c].along_slip,
                    .from_start = contacts[c].from_start,
                    .rests = contacts[c].rests && !contacts[c].stopped,
                    .stopped = contacts[c].stopped,
                    .slides = contacts[c].slides,
                    .smooth = contacts[c].smooth});
  return rows;
}

std::vector<LimitRowTrace> Island::limit_rows_trace() const {
  std::vector<LimitRowTrace> rows;
  for (const int l : row_limits_)
    rows.push_back({.limit = l, .row = limits[l].row, .bounces = limits[l].closing.is_impact(span_)});
  return rows;
}

void Island::record_collision(ImpactLaw law) {
  if (!trace) return;
  CollisionTrace& collision = trace->substeps.back().collision;
  trace->substeps.back().collides = true;
  collision.rows = rows_trace();
  collision.v_before = stacked(trees, [](const MovingTree& tree) -> const VecX& { return tree.now.v; });
  collision.poisson = law == ImpactLaw::poisson;
  // Laws that were tried before are of no consequence.
  const std::ptrdiff_t used = collision.poisson ? 2 : 1;
  collision.stages.erase(collision.stages.begin(), collision.stages.end() - used);
  collision.solved = solution_.status == LcpStatus::solved;
  for (const int c : row_contacts_)
    collision.bounces.push_back(law != ImpactLaw::inelastic && closing(contacts[c]).is_impact(span_));
  collision.limits = limit_rows_trace();
  for (LimitRowTrace& row : collision.limits) row.bounces = row.bounces && law != ImpactLaw::inelastic;
  collision.nearest = nearest_class(collision.rows, -1, 0);
  // Where nothing closes along the smooth normal the facets' is taken instead.
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    if (contact.smooth)
      collision.nearest.nearer({Kink::Kind::grazing,
                                -contact.directions[0].dot(contact.velocity) / contact.velocity.norm(),
                                pairs[contact.pair].a, pairs[contact.pair].b});
  }
  collision.nearest.nearer(nearest_flush());
}

/// The sub-step so far ends without a motion; the next begins with the impulses.
void Island::record_stop(const std::vector<RowClass>& classes, const VecX& f, const Kink& nearest) {
  if (!trace) return;
  record_start();
  SubstepTrace& substep = trace->substeps.back();
  substep.collides = true;
  substep.collision = {.rows = rows_trace(),
                       .bounces = std::vector<char>(row_contacts_.size(), true),
                       .limits = limit_rows_trace(),
                       .stops = true,
                       .stages = {{classes, f, missed_by_classes(problem_, classes, f)}},
                       .v_before = (trace->substeps.end() - 2)->v,
                       .nearest = nearest};
  for (LimitRowTrace& row : substep.collision.limits) row.bounces = true;
}

/// All rows and their forces, of which those that were not solved for are none.
void Island::take_all_rows() {
  const LcpSolution solved = solution_;
  exchange_rows();
  set_b(with_gaps_);
  solution_.f.setZero(rows_.size());
  solution_.classes.assign(rows_.size(), RowClass::separate);
  const auto take = [&](int to, int from) {
    solution_.f[to] = solved.f[from];
    solution_.classes[to] = solved.classes[from];
  };
  for (std::size_t i = 0; i < row_contacts_.size(); ++i)
    for (int r = 0; r < all_.contact_rows[i].second; ++r)
      take(contacts[row_contacts_[i]].first_row + r, all_.contact_rows[i].first + r);
  for (std::size_t i = 0; i < row_limits_.size(); ++i) take(limits[row_limits_[i]].row, all_.limit_rows[i]);
  solution_.v = problem_.A * solution_.f + problem_.b;
}

/// Where a segment ends with a slip, that has neither gone on nor reversed, and friction is at its bound: whether its class says
/// that it slips or sticks is rounding. It is held back as all the way before: several slips that end together do so one after
/// the other when they are moved, and what then has not ended slips on.
void Island::hold_back_ended(ForcesTrace& forces) const {
  for (const int c : row_contacts_) {
    const int normal = contacts[c].first_row, slip = normal + 1;
    if (!contacts[c].from_start || forces.classes[slip] != RowClass::stick) continue;
    const double bound = problem_.rows[slip].mu * forces.f[normal];
    if (forces.f[slip] <= -(1 - kAtBound) * bound) forces.classes[slip] = RowClass::low;
  }
}

void Island::record_solve(double s, SolveTrace::Length rule) {
  if (!trace) return;
  SubstepTrace& substep = trace->substeps.back();
  const int from = static_cast<int>(substep.solves.size()) - 1;
  if (from < 0) {
    substep.v = stacked(trees, [](const MovingTree& tree) -> const VecX& { return tree.now.v; });
    for (std::size_t c = 0; c < contacts.size(); ++c) substep.contacts[c].approach = contacts[c].approach;
    for (std::size_t l = 0; l < limits.size(); ++l) substep.limits[l].approach = limits[l].closing.approach;
  }
  SolveTrace solve{.rule = rule, .from = from, .s = s};
  switch (rule) {
    case SolveTrace::Length::rest:
      solve.factor = s / substep.left;
      break;
    case SolveTrace::Length::same:
      solve.factor = s / substep.solves[from].s;
      break;
    case SolveTrace::Length::swept:
      solve.factor = s / substep.solves[from].hit.time;
      break;
    case SolveTrace::Length::stopped:
      solve.factor = s / (trace->substeps.end() - 2)->solves.back().s;
      break;
    case SolveTrace::Length::event:
      break;
  }
  // The tape has all rows and classes of the shared load, the step goes on with its own.
  LcpSolution own = solution_;
  const bool fewer = without_load_;
  if (fewer) take_all_rows();
  solve.rows = rows_trace();
  solve.limits = limit_rows_trace();
  solve.with_gaps = with_gaps_;
  solve.settled = settled_;
  if (rows_.size() > 0) {
    solve.solved = solution_.status == LcpStatus::solved;
    // Classes that a nudge leaves as they are, but forces that were: how they push moves with each contact's own normal, and
    // those of the next nudge are like them and not like what others could carry as well.
    const VecX f = solution_.f;
    // Where gaps contradict each other so do those who could share it: as soon as anything moves some of them let go.
    const bool shared = solve.solved && with_gaps_ && share_load(problem_, solution_, gap_rounding(s));
    solve.forces = {solution_.classes, f, missed_by_classes(problem_, solution_.classes, f)};
    release_what_carries_nothing(problem_, solution_, solve.forces.classes);
    hold_what_rests(problem_, solution_, solve.forces.classes);
    if (rule == SolveTrace::Length::event) hold_back_ended(solve.forces);
    int ended = -1;
    if (rule == SolveTrace::Length::event)
      for (const RowsTrace& rows : substep.solves[from].rows)
        if (substep.solves[from].event.row == rows.first + 1) ended = rows.contact;
    mark_weak(solve);
    solve.nearest.nearer(nearest_class(solve.rows, ended, gap_rounding(s)));
    solve.nearest.nearer(nearest_choice(s));
    if (with_gaps_) solve.nearest.nearer(nearest_strain(solve.forces.classes));
    if (shared || fewer) solution_ = std::move(own);
  } else {
    solve.nearest.nearer(nearest_choice(s));
  }
  if (fewer) exchange_rows();
  solve.u_first = stacked(trees, [](const MovingTree& tree) -> const VecX& { return tree.u_first; });
  solve.v_next = stacked(trees, [](const MovingTree& tree) -> const VecX& { return tree.v_next; });
  for (const BendTrace& bend : bends_)
    if (std::any_of(pairs.begin(), pairs.end(), [&](const NearPair& pair) {
          return pair.bend != 0 && pair.a == bend.shape_a && pair.b == bend.shape_b;
        }))
      solve.bends.push_back(bend);
  substep.solves.push_back(std::move(solve));
}

/// The last solve is followed by one that ends where a slip of it does.
void Island::record_event(int contact, const SlipForecast& forecast) {
  if (!trace) return;
  const int row = contacts[contact].first_row + 1;
  trace->substeps.back().solves.back().event = {
      .forced = forecast.forced, .row = row, .u0 = contacts[contact].start_slip[0], .w = forecast.w[row]};
}

/// Slips of the last solve, forecast from its start, that end with that of a contact: which of them is the first changes with
/// a nudge. What slides is stopped either way; what turns within the whole segment is cut elsewhere, and its second order feels
/// that. `next`: how much later another one was to end at the last look, as a share; all there is where the part is too short for
/// any to be pressed.
void Island::record_ends_together(int ended, const SlipForecast& forecast, double whole, double next) {
  if (!trace || turning_ * whole < kTurnsTooLittle) return;
  const auto is_pressed = [&](int c) {
    return forecast.forced.classes[contacts[c].first_row] == RowClass::clamped;
  };
  // Of its slip: where looks come near to the end slowly all that end with it have the same left.
  const auto left = [&](int c) { return forecast.w[contacts[c].first_row + 1] / contacts[c].start_slip[0]; };
  const auto record = [&](int c, double distance) {
    const NearPair& pair = pairs[contacts[c].pair];
    trace->substeps.back().solves.back().nearest.nearer(
        {.kind = Kink::Kind::together, .distance = distance, .shape_a = pair.a, .shape_b = pair.b});
  };
  if (!is_pressed(ended)) return record(ended, next);
  for (const int c : row_contacts_)
    if (c != ended && contacts[c].slides && is_pressed(c)) record(c, std::abs(left(c) - left(ended)));
}

/// Between faces that are parallel at the end many places are nearest, and which of them was found says nothing. If that of the
/// contact with the lowest forecast is one of them, both are measured there: all gaps of a face move by much more than the bend
/// does, and those of two places do not cancel.
/// `apart`: how much higher the next lowest one is, as a share of the room that contacts have.
void Island::record_bend(const NearPair& pair, double bend, DistanceResult end, int contact, double apart) {
  if (!trace) return;
  if (end.separated) {
    const FeatureContact at = at_middle(contacts[contact]);
    // Less than the distance is what lies beyond the end of an edge or a face.
    if (std::abs(at.gap - end.lower_bound) <= kSameGap * settings_.standoff) {
      end.point_A = at.p_A;
      end.point_B = at.p_B;
      end.normal = at.normal;
    }
  }
  bends_.push_back({.shape_a = pair.a,
                    .shape_b = pair.b,
                    .from = static_cast<int>(trace->substeps.back().solves.size()) - 1,
                    .span = bend_span_,
                    .contact = contact,
                    .value = pair.bend,
                    .capped = pair.bend > bend,
                    .p_A = end.point_A,
                    .p_B = end.point_B,
                    .normal = end.normal,
                    .along_contact = !end.separated,
                    .apart = apart});
}

/// Keeps the earliest hit of the sweep at hand, and how much later the second one would have been.
void Island::record_hit(const NearPair& pair, const TimeOfImpactResult& toi, const Target& goal) {
  if (!trace) return;
  SolveTrace& solve = trace->substeps.back().solves.back();
  HitTrace& first = solve.hit;
  if (first.hit) solve.nearest.nearer({Kink::Kind::grazing, apart(toi.time, first.time), pair.a, pair.b});
  if (first.hit && toi.time >= first.time) return;
  first = {.hit = true,
           .time = toi.time,
           .shape_a = pair.a,
           .shape_b = pair.b,
           .target_by_gap = goal.by_separation,
           .p_A = toi.point_A,
           .p_B = toi.point_B,
           .normal = toi.normal,
           .gap_error = toi.gap - goal.gap,
           .unsettled = toi.status != TimeOfImpactResult::Status::hit};
  // The sweep measures from any point of a plane; the gap moves with the one below the other shape.
  if (collision_.shapes()[pair.a].geometry.is_half_space()) first.p_A = first.p_B;
  if (collision_.shapes()[pair.b].geometry.is_half_space()) first.p_B = first.p_A;
  if (first.target_by_gap != 0) record_start_of_gap(pair, first);
}

/// Where two shapes are nearest at the start: at a contact, as a rule, whose places have all digits. Features of a contact have no
/// ends, and just beyond that of a face an edge may be nearer than the face would be.
void Island::record_start_of_gap(const NearPair& pair, HitTrace& hit) const {
  const PlacedShape a = placed_at_start(pair.a), b = placed_at_start(pair.b);
  DistanceResult nearest = distance(a, b, pair.direction);
  const bool on_a = a.shape.is_half_space(), on_b = b.shape.is_half_space();
  if (!on_a && !on_b) settle_nearest(a, b, a.shape.core().extent + b.shape.core().extent, nearest);
  // Of a plane any point: the gap moves with the one below the other shape.
  hit.from_A = on_a ? nearest.point_B : nearest.point_A;
  hit.from_B = on_b ? nearest.point_A : nearest.point_B;
  hit.from_normal = nearest.normal;
  double closest = kSameGap * settings_.standoff;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double away = std::abs(contacts[c].now.gap - nearest.lower_bound);
    if (&pairs[contacts[c].pair] != &pair || away > closest) continue;
    closest = away;
    hit.gap_of = static_cast<int>(c);
  }
}

void Island::record_limit_hit(std::size_t limit, double time, double target_by_gap) {
  if (!trace) return;
  trace->substeps.back().solves.back().hit = {
      .hit = true, .time = time, .limit = static_cast<int>(limit), .target_by_gap = target_by_gap};
}

void Island::record_move(double sigma) {
  if (trace) trace->substeps.back().sigma = sigma;
}

}  // namespace jade
