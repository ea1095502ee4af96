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

// Of coordinates, when a gap is measured.
constexpr double kGapRounding = 1e-15;

// Of its bound: friction that is as near as this is at it.
constexpr double kAtBound = 1e-9;

// Of the standoff: gaps that differ by less are the same. With the default 1e-12 m, some thousand roundings of a place in a world
// of metres.
constexpr double kSameGap = 1e-7;

// What turns by less than this in a segment [rad] does not feel where it is cut: that moves by a share of the turn's square
// over 24, a millionth.
constexpr double kTurnsTooLittle = 5e-3;

/// How far two numbers are from being equal, as a share of their size.
double apart(double x, double y) {
  const double size = std::abs(x) + std::abs(y);
  return size > 0 ? std::abs(x - y) / size : 0;
}

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
                    .smooth = contacts[c].smooth});
  return rows;
}

std::vector<LimitRowTrace> Island::limit_rows_trace() const {
  std::vector<LimitRowTrace> rows;
  for (const int l : row_limits_)
    rows.push_back({.limit = l, .row = limits[l].row, .bounces = limits[l].closing.is_impact(span_)});
  return rows;
}

/// What rounding of the places of a segment's contacts makes of the speed at which their gaps are to close.
double Island::gap_rounding(double s) const {
  double farthest = 0;
  for (const int c : row_contacts_) farthest = std::max(farthest, contacts[c].now.p_B.squaredNorm());
  return kGapRounding * std::sqrt(farthest) / s;
}

/// The row of the problem at hand that is nearest to another class, as LcpDerivative measures it; but a row that weighs
/// nothing is not measured by its own rounding, but by how fast the bodies pass each other there. Weak contacts are left out. `ended`:
/// one whose slip ends with the segment, between slipping and sticking wherever that end moves to; −1: none. `rounding`: what is not
/// known of normal velocities [m/s].
Kink Island::nearest_class(const std::vector<RowsTrace>& rows, int ended, double rounding) const {
  Kink nearest;
  const LcpProblem& p = problem_;
  const LcpSolution& s = solution_;
  const VecX sigma = p.beta + p.A.cwiseAbs() * s.f.cwiseAbs();
  for (const RowsTrace& row : rows) {
    const int c = row.contact;
    const LiveContact& contact = contacts[c];
    for (int i = row.first; row.weak == RowsTrace::Weak::no && i < row.first + row.count; ++i) {
      const bool tangent = i > contact.first_row;
      if (tangent && (c == ended || s.classes[i] == RowClass::separate)) continue;
      const double force = p.A(i, i) * s.f[i];
      double margin = std::abs(s.v[i]) - (tangent ? 0 : rounding);
      if (s.classes[i] == RowClass::clamped) margin = std::abs(force) - rounding;
      if (s.classes[i] == RowClass::stick)
        margin = p.A(i, i) * p.rows[i].mu * s.f[contact.first_row] - std::abs(force);
      const double size = std::max({sigma[i], contact.velocity.norm(), kNoSpeed});
      const double distance = margin > 0 ? margin / size : 0;
      if (distance < 1e-9 && is_redundant(p, s, sigma, i)) continue;
      nearest.nearer({.kind = Kink::Kind::row_class,
                      .distance = distance,
                      .shape_a = pairs[contact.pair].a,
                      .shape_b = pairs[contact.pair].b,
                      .side = s.classes[i]});
    }
  }
  for (const int l : row_limits_) {
    const int i = limits[l].row;
    const double margin = s.classes[i] == RowClass::clamped ? p.A(i, i) * s.f[i] : s.v[i];
    nearest.nearer({.kind = Kink::Kind::row_class,
                    .distance = std::abs(margin) / std::max(sigma[i], kNoSpeed),
                    .side = s.classes[i]});
  }
  return nearest;
}

/// The contacts that touch and neither carry nor open, unless others that do carry hold the same: a box that stands on three of
/// its corners may as well stand on the fourth. On the tape all of them leave, in every segment: one smooth piece of those that
/// meet there.
void Island::mark_weak(SolveTrace& solve) const {
  const VecX sigma = problem_.beta + problem_.A.cwiseAbs() * solution_.f.cwiseAbs();
  const auto share = [&](const RowsTrace& rows, int r, double x) {
    return std::abs(x) / std::max({sigma[rows.first + r], contacts[rows.contact].velocity.norm(), kNoSpeed});
  };
  const double rounding = gap_rounding(solve.s);
  // The larger of what it is pushed and opened by.
  const auto distance = [&](const RowsTrace& rows) {
    const int i = rows.first;
    const double speed = std::max(problem_.A(i, i) * std::abs(solution_.f[i]), std::abs(solution_.v[i]));
    return share(rows, 0, std::max(0.0, speed - rounding));
  };
  const auto touches_only = [&](const RowsTrace& rows) { return distance(rows) <= kAtKink; };
  if (std::none_of(solve.rows.begin(), solve.rows.end(), touches_only)) return;
  LcpSolution loaded = solution_;
  for (const RowsTrace& rows : solve.rows)
    if (touches_only(rows)) std::fill_n(loaded.classes.begin() + rows.first, rows.count, RowClass::separate);
  for (RowsTrace& rows : solve.rows) {
    if (!touches_only(rows) || is_redundant(problem_, loaded, sigma, rows.first)) continue;
    const bool slips =
        rows.count == 2 && !rows.rests && share(rows, 1, solution_.v[rows.first + 1]) > kAtKink;
    rows.weak = rows.count == 1 || slips ? RowsTrace::Weak::slips : RowsTrace::Weak::rests;
    const NearPair& pair = pairs[contacts[rows.contact].pair];
    Kink& kink = rows.weak == RowsTrace::Weak::slips ? solve.weak : solve.nearest;
    kink.nearer({.kind = Kink::Kind::row_class,
                 .distance = distance(rows),
                 .shape_a = pair.a,
                 .shape_b = pair.b,
                 .side = RowClass::separate});
    std::fill_n(solve.forces.classes.begin() + rows.first, rows.count, RowClass::separate);
    solve.forces.f.segment(rows.first, rows.count).setZero();
  }
}

/// The contact that is nearest to being treated in another way. Rows that carry no force do not count: without them the
/// segment is the same.
Kink Island::nearest_choice(double s) const {
  Kink nearest;
  const double slack = 1.5 * (settings_.standoff - settings_.clearance);
  for (const LiveContact& contact : contacts) {
    if (contact.first_row >= 0 && solution_.f[contact.first_row] == 0) continue;
    const double excess = contact.now.gap - settings_.standoff, y = s * contact.approach;
    const double active = 2 * span_ * span_ * std::abs(contact.free_pull);
    const double away = settings_.integrator == Integrator::semi_implicit_euler
                            ? y + s * s * std::min(0.0, contact.free_pull)
                            : y;
    double distance = 0;
    const double limit = closing(contact).impact_speed(span_);
    const double impact = -contact.approach - limit, size = std::abs(contact.approach) + limit;
    const auto share = [](double margin, double of) { return of > 0 ? margin / of : 0; };
    const double far = share(excess - active - slack, std::abs(excess) + active + slack);
    const double low =
        share(-2 * std::max(excess, 0.0) - slack - y, std::abs(y) + 2 * std::abs(excess) + slack);
    const double high = share(away - slack, std::abs(away) + slack);
    // Negative: the condition for being a row holds by so much.
    const double worst = std::max({far, low, high, share(impact, size)});
    distance = std::abs(worst);
    nearest.nearer({.kind = Kink::Kind::row_choice,
                    .distance = distance,
                    .shape_a = pairs[contact.pair].a,
                    .shape_b = pairs[contact.pair].b});
  }
  return nearest;
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

/// A face that hits flush does so with several corners at once, and every nudge that its joints allow makes one of them the
/// first: how much later the next one is.
Kink Island::nearest_flush() const {
  Kink nearest;
  if (trace->substeps.size() < 2) return nearest;
  const SubstepTrace& before = trace->substeps[trace->substeps.size() - 2];
  if (before.solves.empty() || !before.solves.back().hit.hit || before.sigma == before.solves.back().s)
    return nearest;
  const HitTrace& hit = before.solves.back().hit;
  const LiveContact* first = nullptr;
  const auto met = [&](const LiveContact& contact) {
    const NearPair& pair = pairs[contact.pair];
    return pair.a == hit.shape_a && pair.b == hit.shape_b && closing(contact).is_impact(span_);
  };
  for (const int c : row_contacts_)
    if (met(contacts[c]) && (first == nullptr || contacts[c].now.gap < first->now.gap)) first = &contacts[c];
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    if (!met(contact) || &contact == first) continue;
    const int i = contact.first_row, j = first->first_row;
    const MatX& A = problem_.A;
    constexpr double kSame = 1e-10;  // what no joint lets move against each other
    if (A(i, i) + A(j, j) - 2 * A(i, j) <= kSame * (A(i, i) + A(j, j))) continue;
    const double later = (contact.now.gap - first->now.gap) / -contact.approach;
    nearest.nearer({Kink::Kind::grazing, apart(hit.time + later, hit.time), hit.shape_a, hit.shape_b});
  }
  return nearest;
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
    const bool shared = solve.solved && share_load(problem_, solution_, gap_rounding(s));
    solve.forces = {solution_.classes, f, missed_by_classes(problem_, solution_.classes, f)};
    if (rule == SolveTrace::Length::event) hold_back_ended(solve.forces);
    int ended = -1;
    if (rule == SolveTrace::Length::event)
      for (const RowsTrace& rows : substep.solves[from].rows)
        if (substep.solves[from].event.row == rows.first + 1) ended = rows.contact;
    mark_weak(solve);
    solve.nearest.nearer(nearest_class(solve.rows, ended, gap_rounding(s)));
    solve.nearest.nearer(nearest_choice(s));
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
/// a nudge. What slides is stopped either way; what turns meanwhile is cut elsewhere, and its second order feels that.
void Island::record_ends_together(int ended, const SlipForecast& forecast, double s) {
  if (!trace || turning_ * s < kTurnsTooLittle) return;
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    const int row = contact.first_row + 1;
    if (c == ended || !contact.slides || forecast.forced.classes[contact.first_row] != RowClass::clamped)
      continue;
    trace->substeps.back().solves.back().nearest.nearer(
        {.kind = Kink::Kind::together,
         .distance = std::abs(forecast.w[row]) / contact.start_slip[0],
         .shape_a = pairs[contact.pair].a,
         .shape_b = pairs[contact.pair].b});
  }
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
  for (std::size_t c = 0; first.target_by_gap != 0 && c < contacts.size(); ++c)
    if (&pairs[contacts[c].pair] == &pair &&
        (first.gap_of < 0 || contacts[c].now.gap < contacts[first.gap_of].now.gap))
      first.gap_of = static_cast<int>(c);
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
