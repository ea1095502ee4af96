#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/stepping/class_forces.h"
#include "jade/stepping/island.h"

/// Friction of a contact that slides acts against its slip and not across it. Its direction is that of the mean slip over the
/// segment, which turns as the slip does: of second order as long as the slip goes on. A tangent across it would hold the
/// slip from turning, whatever the step size. Where the slip ends within the segment there is no mean direction: friction
/// then follows the slip of the start, the segment is cut where that has come to rest, and from there the LCP decides
/// between sticking and slipping on. Contacts whose slip ends are held across it as well, so that they do come to rest;
/// that is wrong for less than one step of each slip, and leaves the order.
/// A slip that would end almost at once is stopped by an impulse instead: a cut so short that a gap of nanometres closes in it
/// has no normal forces and thus no friction, and a body at rest that is nudged would be cut once for each of its contacts.

namespace jade {
namespace {

// A contact that pivots has slip from the turning of its features alone; only what is well above that is motion. What touches
// at one place, or along a line, and turns slower than this [m/s] does not pivot: beside a ball that rolls slip and turning are
// of one order, and its derivative would hang on their ratio. The places of a face pivot together, and no impulse stops them
// all.
constexpr double kPivoting = 0.1;
constexpr double kNoTurning = 1e-5;
constexpr std::size_t kFewPlaces = 2;
// Slip that does not count and sticks ends at once, as all slip that is a little faster: carried on, it would be a kink of its
// own about every state of rest. Below this it is rounding, and what rests is not stopped in every step [m/s].
constexpr double kStill = 1e-12;
// What would pivot by no more than this rests, and is stopped as what slides beside it is [m/s]: a nudge that is nothing to the
// segment would else decide.
constexpr double kHardlyPivots = 1e-7;
// A slip that ends within this share of the segment ends at its start: what it would still move is below the square of
// this, of what a body falls in the segment.
constexpr double kAtOnce = 1e-3;
// An event this near to the start of the segment is that start: cuts so short would divide by their length what is rounding.
constexpr double kAtStart = 1e-7;
// Each end is located from a linear forecast; later looks settle what the first left of the slip, to rounding: what is left
// of it is stopped at the start of the next segment, on one side of the end alone.
constexpr double kAtEnd = 1e-13;
constexpr int kMostLooks = 12;
// Of the slip at the start: less of it is left at an end that is located. A forecast that comes too early leaves more.
constexpr double kLocated = 1e-9;
// Of the slip at the start: a forecast that leaves no more of it is as near to the end from before as a late one from behind.
constexpr double kNearEnd = 1e-3;
// In one step; what wobbles could stick and slip without end.
constexpr int kMostSlipEvents = 8;

}  // namespace

/// J v along tangent 1 or 2 at the start of the segment, where the normal is another one: the middle's first tangent is
/// turned into the start's tangent plane.
double Island::slip_at_start(const LiveContact& contact, int tangent) const {
  // On a face that stands still there is nothing to turn.
  if (contact.now.normal == contact.directions[0]) return contact.directions[tangent].dot(contact.velocity);
  const Vec3 &n = contact.now.normal, &t = contact.directions[1];
  const Vec3 first = (t - n.dot(t) * n).normalized();
  return tangent == 1 ? first.dot(contact.velocity) : contact.hand * n.cross(first).dot(contact.velocity);
}

/// Whether the pair of a row contact touches at few places; its rows follow each other.
bool Island::touches_at_few_places(std::size_t row_contact) const {
  const int pair = contacts[row_contacts_[row_contact]].pair;
  const auto is_of_pair = [&](std::size_t i) {
    return i < row_contacts_.size() && contacts[row_contacts_[i]].pair == pair;
  };
  std::size_t first = row_contact, end = row_contact + 1;
  while (end - first <= kFewPlaces && is_of_pair(end)) ++end;
  while (end - first <= kFewPlaces && first > 0 && is_of_pair(first - 1)) --first;
  return end - first <= kFewPlaces;
}

/// Which rows of the segment slide at its start. The trees' middle has the velocities of the start.
void Island::find_slides() {
  for (std::size_t i = 0; i < row_contacts_.size(); ++i) {
    LiveContact& contact = contacts[row_contacts_[i]];
    if (!trace && is_normal_alone(contact)) continue;
    contact.slides = contact.rests = false;
    contact.carried_on = relative_velocity(contact, true);
    if (settings_.integrator != Integrator::midpoint || pairs[contact.pair].friction == 0) continue;
    const Vec3& n = contact.now.normal;
    const double slip = (contact.velocity - n.dot(contact.velocity) * n).norm();
    const Vec3 turning = contact.carried_on - contact.velocity;
    contact.rests = contact.stopped;
    if (contact.rests) continue;
    // No more than the sum of its coordinates is left of it along the face.
    contact.slides = slip > kNoSlip + kPivoting * turning.lpNorm<1>();
    if (contact.slides) continue;
    double turned = (turning - n.dot(turning) * n).norm();
    if (touches_at_few_places(i)) turned = std::max(0.0, turned - kNoTurning);
    contact.slides = slip > kNoSlip + kPivoting * turned;
    // What hardly turns does not pivot either: whoever is nudged slides, and is stopped. What does pivot is not, though it has no
    // slip at all.
    contact.rests = !contact.slides && kPivoting * turned <= kHardlyPivots;
  }
}

/// Whether friction held the slip back from the start of the segment to its end: then it never vanished.
bool Island::slip_goes_on(const LiveContact& contact) const {
  return (contact.rows == 2 || contact.slow) && solution_.classes[contact.first_row + 1] == RowClass::low &&
         contact.start_slip[0] > 0;
}

/// A slip that turns by itself feels friction across it as a damper of rate μ f_n A_tt / |slip| a segment. Beyond 1 a
/// direction that is known beforehand overshoots, and with several contacts the slip would start to whirl: then the contact
/// is held across the slip as well, and the slip is that of the end, which is stable and of first order. A slip is as slow
/// as that only for some steps after it starts and before it ends. True: there are some that were not known.
bool Island::find_slow_slides() {
  turning_rates_.assign(pairs.size(), 0);
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    if (contact.rows != 2) continue;
    const int row = contact.first_row + 1;
    const double slip = 0.5 * (contact.start_slip[0] + solution_.v[row]);
    turning_rates_[contact.pair] +=
        std::abs(solution_.f[row]) * problem_.A(row, row) / std::max(slip, kNoSlip);
  }
  bool found = false;
  for (const int c : row_contacts_)
    if (contacts[c].rows == 2 && turning_rates_[contacts[c].pair] > 1) found = contacts[c].slow = true;
  return found;
}

/// When slips end: with u₀ the slip at the start and w the one at the end if all that slide went on the same way,
/// s* = s u₀ / (u₀ − w). `ended`: a contact whose slip ends with the segment, or a little later; −1: none.
Island::SlipForecast Island::forecast_slips(double s, int ended) const {
  SlipForecast forecast{.forced = {solution_.classes, {}}};
  std::vector<RowClass>& classes = forecast.forced.classes;
  std::vector<int> sliding;
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    if (!contact.slides || classes[contact.first_row] != RowClass::clamped) continue;
    classes[contact.first_row + 1] = RowClass::low;
    if (contact.rows == 3) classes[contact.first_row + 2] = RowClass::separate;
    sliding.push_back(c);
  }
  forecast.forced.f = forces_of_classes(problem_, classes);
  forecast.w = problem_.A * forecast.forced.f + problem_.b;
  for (const int c : sliding) {
    const double at_end = forecast.w[contacts[c].first_row + 1], u0 = contacts[c].start_slip[0];
    if (at_end < (c == ended ? kNearEnd * u0 : 0)) forecast.ends.push_back({c, s * u0 / (u0 - at_end)});
  }
  return forecast;
}

/// In the segment just solved.
bool Island::sticks(const LiveContact& contact) const {
  return contact.rows == 3 && solution_.classes[contact.first_row] == RowClass::clamped &&
         solution_.classes[contact.first_row + 1] == RowClass::stick;
}

/// Where slips end in the segment just solved, it is solved again with friction along the slip of the start. If some of
/// them end at once, or do not count, they are stopped, each once in a sub-step; true: the segment starts from other velocities
/// then.
bool Island::stop_slips(double s) {
  const auto goes_on = [&](int c) {
    const LiveContact& contact = contacts[c];
    return !contact.slides || solution_.classes[contact.first_row] != RowClass::clamped ||
           slip_goes_on(contact);
  };
  const auto creeps = [&](int c) {
    const LiveContact& contact = contacts[c];
    return contact.rests && !contact.stopped && sticks(contact) &&
           Vec2(contact.start_slip.data()).norm() > kStill;
  };
  slips_end_ = !std::all_of(row_contacts_.begin(), row_contacts_.end(), goes_on);
  if (slips_end_) {
    solve_segment(s);
    record_solve(s, SolveTrace::Length::same);
  }
  if (trace) trace->substeps.back().solves.back().judged = true;
  const bool any = std::any_of(row_contacts_.begin(), row_contacts_.end(), creeps);
  if (!any && !slips_end_) return false;
  return stop_ended(slips_end_ ? forecast_slips(s, -1) : SlipForecast{}, s, any);
}

/// Stops the slips of a forecast that end at once, and what creeps. False: there is nothing to stop.
bool Island::stop_ended(const SlipForecast& forecast, double s, bool any) {
  std::vector<char> at_once(contacts.size(), false);
  Kink nearest;  // to being the end of the segment instead
  for (const auto& [c, end] : forecast.ends) {
    any = (at_once[c] = end <= kAtOnce * s) || any;
    nearest.nearer({.kind = Kink::Kind::event,
                    .distance = std::abs(end / (kAtOnce * s) - 1),
                    .shape_a = pairs[contacts[c].pair].a,
                    .shape_b = pairs[contacts[c].pair].b});
  }
  if (any) stop(at_once, nearest);
  return any;
}

/// Impulses that stop the slips of some contacts, and of those that stick, and leave all normal velocities as they are:
///   M (v' − v) = Jᵀ P x,   S_t J v' = 0,   S_n J (v' − v) = 0
/// Infinitesimal ones, as those of friction during a time that is too short to matter: they are within its cone as the
/// forecast was that they end the slip, and pull at no normal.
void Island::stop(const std::vector<char>& at_once, const Kink& nearest) {
  std::vector<RowClass> normals;
  std::vector<char> held;
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    normals.push_back(solution_.classes[contact.first_row]);
    held.push_back(at_once[c] || (!contact.slides && sticks(contact)));
  }
  // What is held in both directions needs none of its own.
  for (std::size_t i = 0; i < row_contacts_.size(); ++i) {
    LiveContact& contact = contacts[row_contacts_[i]];
    set_directions(contact, contact.now, contact.velocity,
                   held[i] ? std::numeric_limits<double>::infinity() : kNoSlip);
    contact.stopped = contact.stopped || held[i];
    contact.from_start = false;  // these impulses are at the start
  }
  const std::vector<RowClass> limit_classes(solution_.classes.end() - static_cast<long>(row_limits_.size()),
                                            solution_.classes.end());
  add_rows(false);
  std::vector<RowClass> classes(problem_.rows.size(), RowClass::separate);
  std::copy(limit_classes.begin(), limit_classes.end(),
            classes.end() - static_cast<long>(limit_classes.size()));
  problem_.b.setZero(rows_.size());
  rows_.add_product([&](int tree) -> const VecX& { return trees[tree]->now.v; }, problem_.b);
  for (std::size_t i = 0; i < row_contacts_.size(); ++i) {
    const LiveContact& contact = contacts[row_contacts_[i]];
    classes[contact.first_row] = normals[i];
    problem_.b[contact.first_row] = 0;
    if (contact.rows < 3 || normals[i] != RowClass::clamped) continue;
    if (held[i])
      classes[contact.first_row + 1] = classes[contact.first_row + 2] = RowClass::stick;
    else if (contact.slides)
      classes[contact.first_row + 1] = RowClass::low;
  }
  for (const int l : row_limits_) problem_.b[limits[l].row] = 0;
  const VecX f = forces_of_classes(problem_, classes);
  record_stop(classes, f, nearest);
  rows_.add_impulses(f, [&](int tree) -> VecX& { return trees[tree]->now.v; });
  as_expected_ = false;
  for (NearPair& pair : pairs) pair.bend = 0;  // forecast for paths that began with other velocities
  update_start();
  forecast_free_motion();
  update_contact_speeds();
  update_limit_speeds();
}

/// Cuts a segment in which slips end where the first of them does. True: in the part that is left others end at once; they are
/// stopped, and it starts from other velocities.
/// Each look comes nearer to the end by some factor, and how its length moves comes nearer by the same. A look that is early
/// by little is followed by another one as if it were late: left so, it would end elsewhere than its late neighbours, with a kink
/// between them, and what the segment moves with would be short of that of the end by a factor. One that is early by more
/// is left: where looks do not converge they would swing about the end.
bool Island::cut_where_slip_ends(double& s) {
  const double whole = s;
  int ended = -1;      // the contact at whose end it is cut
  bool uncut = false;  // a slip ends in it and is not located: there were too many
  double next = std::numeric_limits<double>::infinity();  // how much later another one was to end, as a share
  for (int look = 0; look < kMostLooks; ++look) {
    SlipForecast forecast = forecast_slips(s, ended);
    // At once is a share of the whole: impulses that land what comes near are as large in every part of it, and parts of parts
    // in which they end a slip would shrink to nothing.
    if (ended >= 0 && stop_ended(forecast, whole, false)) return true;
    double first = whole, second = std::numeric_limits<double>::infinity();
    int earliest = -1;
    bool others = false;  // that were not known to end
    for (const auto& [c, end] : forecast.ends) {
      others = others || !contacts[c].slip_ends;
      contacts[c].slip_ends = true;
      if (end >= first) {
        second = std::min(second, end);
        continue;
      }
      if (earliest >= 0) second = first;
      first = end;
      earliest = c;
    }
    const bool within = first > kAtStart * s && first < whole && std::abs(first - s) > kAtEnd * s;
    const bool cuts = within && slip_events_ < kMostSlipEvents;
    uncut = within && !cuts;
    if (cuts) {
      record_event(earliest, forecast);
      ended = earliest;
      next = second / first - 1;
      s = first;
    } else if (!others) {
      break;
    }
    solve_segment(s);
    record_solve(s, cuts ? SolveTrace::Length::event : SolveTrace::Length::same);
  }
  if (ended < 0) return false;
  ++slip_events_;
  // A last look that finds nothing left to cut: what the end moves with is seen from the end alone, wherever looks began.
  if (!trace || uncut) return false;
  const SlipForecast forecast = forecast_slips(s, ended);
  const LiveContact& contact = contacts[ended];
  if (std::abs(forecast.w[contact.first_row + 1]) <= kLocated * contact.start_slip[0]) {
    record_event(ended, forecast);
    record_solve(s, SolveTrace::Length::event);
  }
  record_ends_together(ended, forecast, whole, next);
  return false;
}

}  // namespace jade
