#include <algorithm>
#include <cmath>

#include "jade/stepping/island.h"

namespace jade {
namespace {

// A contact that something fast pushes on to the clearance is stopped there, or every later part of the step would
// end at once.
constexpr double kAtClearance = 1.01;
// Kinetic energy may grow by rounding only.
constexpr double kEnergyRounding = 1e-12;

}  // namespace

bool Island::hits(const LiveContact& contact) const {
  if (contact.now.gap <= kAtClearance * settings_.clearance) return contact.approach < 0;
  // Too slow for an impact, too fast for a row of the segment: stopped without a bounce.
  const bool lands = contact.approach * left_ < -(settings_.standoff - settings_.clearance);
  return contact.now.gap <= kAtStandoff * settings_.standoff && (lands || is_impact(contact));
}

double Island::energy_change(const VecX& f, const VecX& w) const { return f.dot(w + 0.5 * (problem_.A * f)); }

/// Solves w + A f + k against the classes' rules, with w the relative velocities before; false when nothing valid exists
/// or energy would be gained.
bool Island::try_impulses(const VecX& w, const VecX& k, VecX& f) {
  problem_.b = w + k;
  problem_.beta = scale_ + k.cwiseAbs();
  const bool solved = solve_rows();
  if (trace) trace->substeps.back().collision.stages.push_back({solution_.classes, solution_.f});
  if (!solved) return false;
  f = solution_.f;
  const double gained = energy_change(f, w);
  return gained <= kEnergyRounding * f.cwiseAbs().dot(scale_);
}

/// Newton's law; where it has no solution or would gain energy, Poisson's; where that fails too, no bounce at all,
/// which is always solvable and always loses energy.
ImpactLaw Island::find_impulses(const VecX& w, VecX& f) {
  k_.setZero(rows_.size());
  double most = 0;
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    const double e = is_impact(contact) ? pairs[contact.pair].restitution : 0;
    k_[contact.first_row] = e * contact.approach;
    most = std::max(most, e);
  }
  if (most > 0) {
    if (try_impulses(w, k_, f)) return ImpactLaw::newton;

    // Compression to zero closing speed, then e times the normal impulses come back, then what they push together
    // again is stopped.
    const VecX none = VecX::Zero(rows_.size());
    VecX compression, rest;
    if (try_impulses(w, none, compression)) {
      VecX back = none;
      for (const int c : row_contacts_) {
        const LiveContact& contact = contacts[c];
        if (is_impact(contact))
          back[contact.first_row] = pairs[contact.pair].restitution * compression[contact.first_row];
      }
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
  return most > 0 ? ImpactLaw::inelastic : ImpactLaw::newton;
}

bool Island::collide(double time) {
  if (std::none_of(contacts.begin(), contacts.end(), [&](const LiveContact& c) { return hits(c); }))
    return false;

  // Everything that touches takes part: impulses travel through resting contacts at once.
  row_contacts_.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    LiveContact& contact = contacts[c];
    contact.first_row = -1;
    if (!contact.was_row && contact.now.gap > kAtStandoff * settings_.standoff) continue;
    row_contacts_.push_back(static_cast<int>(c));
    set_directions(contact, contact.now, relative_velocity(contact, false));
  }
  add_rows(false);

  VecX w = VecX::Zero(rows_.size()), f;
  const auto velocity = [&](int tree) -> const VecX& { return trees[tree]->now.v; };
  rows_.add_product(velocity, w);
  scale_.setZero(rows_.size());
  rows_.add_absolute_product(velocity, scale_);
  const ImpactLaw law = find_impulses(w, f);
  record_collision(law);
  rows_.add_impulses(f, [&](int tree) -> VecX& { return trees[tree]->now.v; });

  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    if (hits(contact))
      report.impacts.push_back({pairs[contact.pair].a, pairs[contact.pair].b, time, -contact.approach, law});
  }
  return true;
}

}  // namespace jade
