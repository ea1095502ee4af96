#include <algorithm>
#include <cmath>
#include <optional>

#include "jade/geometry/smooth_normal.h"
#include "jade/stepping/island.h"
#include "jade/stepping/shared_load.h"

namespace jade {
namespace {

// Kinetic energy may grow by rounding only.
constexpr double kEnergyRounding = 1e-12;
// Of the speed of a hit: slip before it that is slower says nothing about that after it. Rows along it would turn with the
// inverse of its speed, as below what rolls or rocks on what it is pressed to.
constexpr double kNoDirection = 1e-4;

}  // namespace

double Island::energy_change(const VecX& f, const VecX& w) const { return f.dot(w + 0.5 * (problem_.A * f)); }

/// Solves w + A f + k against the classes' rules, with w the relative velocities before; false when nothing valid exists
/// or energy would be gained.
bool Island::try_impulses(const VecX& w, const VecX& k, VecX& f) {
  problem_.b = w + k;
  problem_.beta = scale_ + k.cwiseAbs();
  const bool always_solvable = (k.array() == 0).all();
  const bool solved = solve_rows(always_solvable, hits_);
  if (trace) {
    std::vector<ForcesTrace>& stages = trace->substeps.back().collision.stages;
    stages.push_back({solution_.classes, solution_.f});
    release_what_carries_nothing(problem_, solution_, stages.back().classes);
    hold_what_rests(problem_, solution_, stages.back().classes);
  }
  if (!solved) return false;
  f = solution_.f;
  const double gained = energy_change(f, w);
  return gained <= kEnergyRounding * f.cwiseAbs().dot(scale_);
}

/// Newton's law; where it has no solution or would gain energy, Poisson's; where that fails too, no bounce at all,
/// which is always solvable and always loses energy.
ImpactLaw Island::find_impulses(const VecX& w, VecX& f) {
  // Of each row: e where it is the normal of something that hits, else 0.
  VecX e = VecX::Zero(rows_.size());
  k_.setZero(rows_.size());
  const auto bounce = [&](int row, const Closing& at, double approach, double restitution) {
    e[row] = at.is_impact(span_) ? restitution : 0;
    k_[row] = e[row] * approach;
  };
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    bounce(contact.first_row, closing(contact), contact.directions[0].dot(contact.velocity),
           pairs[contact.pair].restitution);
  }
  for (const int l : row_limits_)
    bounce(limits[l].row, limits[l].closing, limits[l].closing.approach, limits[l].limit.restitution);

  const bool bounces = e.maxCoeff() > 0;
  if (bounces) {
    if (try_impulses(w, k_, f)) return ImpactLaw::newton;

    // Compression to zero closing speed, then e times the normal impulses come back, then what they push together
    // again is stopped.
    const VecX none = VecX::Zero(rows_.size());
    VecX compression, rest;
    if (try_impulses(w, none, compression)) {
      const VecX back = e.cwiseProduct(compression);
      const VecX w_back = w + problem_.A * (compression + back);
      if (try_impulses(w_back, none, rest)) {
        f = compression + back + rest;
        if (energy_change(f, w) <= kEnergyRounding * f.cwiseAbs().dot(scale_)) return ImpactLaw::poisson;
      }
    }
  }
  k_.setZero();
  const bool solved = try_impulses(w, k_, f);
  if (!solved) {
    ++report.unsolved;
    f = solution_.f;
  }
  return bounces ? ImpactLaw::inelastic : ImpactLaw::newton;
}

/// What hits a mesh with smooth normals is pushed along the smooth one while it closes along that. A glancing hit may be left
/// closing on the facets: it is an impact again, which no longer closes along the smooth normal, and the facets' own stops
/// it. So nothing is pushed into a facet twice.
/// `fastest`: the speed of the hit.
void Island::set_impact_directions(LiveContact& contact, double fastest) {
  const NearPair& pair = pairs[contact.pair];
  FeatureContact at = contact.now;
  std::optional<Vec3> n;
  if (closing(contact).is_impact(span_))
    n = smooth_normal(placed_at_start(pair.a), contact.a, placed_at_start(pair.b), contact.b, at);
  const bool smooth = n && n->dot(contact.velocity) < 0;
  if (smooth) at.normal = *n;
  set_directions(contact, at, contact.velocity, kNoSlip + kNoDirection * fastest);
  contact.smooth = smooth;
}

/// The classes of an impact that only what hits feels, as when boxes meet that stand on a floor: that floor is no longer asked
/// for forces which it gave against gravity before. Where other contacts are pushed together, they are not valid. None if
/// everything hits, or in a heap, where something always is.
void Island::guess_hits(const Horizon& now) {
  hits_.assign(problem_.rows.size(), RowClass::separate);
  bool all = true;
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    const bool hits = closing(contact).hits(now);
    all = all && hits;
    if (!hits) continue;
    hits_[contact.first_row] = RowClass::clamped;
    for (int r = 1; r < contact.rows; ++r) hits_[contact.first_row + r] = RowClass::stick;
  }
  for (const int l : row_limits_) {
    const bool hits = limits[l].closing.hits(now);
    all = all && hits;
    if (hits) hits_[limits[l].row] = RowClass::clamped;
  }
  if (all || static_cast<int>(contacts.size()) > kFewContacts) hits_.clear();
}

/// Impulses travel at once through everything that touches. What touches nothing on their way does not feel them: a stack that
/// stands on the same floor would have its rounding stopped by them, on one side of rest alone.
void Island::find_felt(const Horizon& now) {
  felt_.assign(trees.size(), false);
  row_contacts_.clear();
  row_limits_.clear();
  const auto feels = [&](const Anchor& on) { return on.tree >= 0 && felt_[on.tree]; };
  const auto feel = [&](const NearPair& pair) {
    for (const Anchor& on : {pair.on_a, pair.on_b})
      if (on.tree >= 0) felt_[on.tree] = true;
  };
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    contacts[c].first_row = -1;
    if (!contacts[c].was_row && !closing(contacts[c]).at_standoff()) continue;
    row_contacts_.push_back(static_cast<int>(c));
    if (closing(contacts[c]).hits(now)) feel(pairs[contacts[c].pair]);
  }
  for (const LiveLimit& limit : limits)
    if (limit.closing.hits(now)) felt_[limit.tree] = true;
  const auto is_felt = [&](int c) {
    return feels(pairs[contacts[c].pair].on_a) || feels(pairs[contacts[c].pair].on_b);
  };
  for (std::ptrdiff_t known = -1, count = 0; count != known;) {
    known = count;
    for (const int c : row_contacts_)
      if (is_felt(c)) feel(pairs[contacts[c].pair]);
    count = std::count(felt_.begin(), felt_.end(), true);
  }
  std::erase_if(row_contacts_, [&](int c) { return !is_felt(c); });
  for (std::size_t l = 0; l < limits.size(); ++l) {
    limits[l].row = -1;
    const bool touches = limits[l].was_row || limits[l].closing.at_standoff();
    if (touches && felt_[limits[l].tree]) row_limits_.push_back(static_cast<int>(l));
  }
}

bool Island::collide(double time) {
  const Horizon now = horizon(left_);
  const auto contact_hits = [&](const LiveContact& contact) { return closing(contact).hits(now); };
  const auto limit_hits = [&](const LiveLimit& limit) { return limit.closing.hits(now); };
  if (std::none_of(contacts.begin(), contacts.end(), contact_hits) &&
      std::none_of(limits.begin(), limits.end(), limit_hits))
    return false;

  find_felt(now);
  double fastest = 0;
  for (const int c : row_contacts_)
    if (contact_hits(contacts[c])) fastest = std::max(fastest, -contacts[c].approach);
  for (const int c : row_contacts_) set_impact_directions(contacts[c], fastest);
  add_rows(false);
  guess_hits(now);

  VecX w = VecX::Zero(rows_.size()), f;
  const auto velocity = [&](int tree) -> const VecX& { return trees[tree]->now.v; };
  scale_.setZero(rows_.size());
  rows_.add_product(velocity, w, scale_);
  const ImpactLaw law = find_impulses(w, f);
  report.impact_energy += energy_change(f, w);
  record_collision(law);
  rows_.add_impulses(f, [&](int tree) -> VecX& { return trees[tree]->now.v; });
  as_expected_ = false;

  for (const int c : row_contacts_) {
    LiveContact& contact = contacts[c];
    if (!contact_hits(contact)) continue;
    report.impacts.push_back({.shape_a = pairs[contact.pair].a,
                              .shape_b = pairs[contact.pair].b,
                              .time = time,
                              .speed = -contact.approach,
                              .law = law});
    // The impact is over: what nothing pulls together is expected to carry nothing.
    if (contact.free_pull * span_ > -kNoSpeed) contact.classes.fill(RowClass::separate);
  }
  for (const int l : row_limits_) {
    const LiveLimit& limit = limits[l];
    if (limit_hits(limit))
      report.impacts.push_back({.velocity = static_cast<int>(limit.limit.key / 2),
                                .time = time,
                                .speed = -limit.closing.approach,
                                .law = law});
  }
  return true;
}

}  // namespace jade
