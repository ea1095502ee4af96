#include <algorithm>
#include <limits>

#include "jade/dynamics/energy.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/geometry/distance.h"
#include "jade/stepping/island.h"

namespace jade {
namespace {

// Shares of the room between standoff and clearance: what curved paths may take of it in one segment, and what is given
// back at most; more needs a shorter segment.
constexpr double kMuchBend = 0.02;
constexpr double kMostBend = 2;
// Share of the kinetic energy that this may add in a segment.
constexpr double kMuchWork = 1e-5;

}  // namespace

/// What a pair's bend asks of the velocity over a segment of length s. Paths bend with s² at least: a segment that an
/// event makes shorter than the one of the forecast must not be given the whole of it in no time.
double Island::bend_rate(const NearPair& pair, double s) const {
  return pair.bend == 0 ? 0 : pair.bend * s / (bend_span_ * bend_span_);
}

/// How near a pair with rows is at the placement in `middle`. Where the shapes overlap, the direction with which a search for
/// their distance ends is nobody's normal, and another one in a world that is turned: there it is measured along the normal
/// of the contact, over all points of convex shapes, since a rim that tilts is lower between its places than at them.
DistanceResult Island::nearest_at_end(const NearPair& pair, const LiveContact& contact) const {
  const Transform &X_WA = placed(pair.a, true), &X_WB = placed(pair.b, true);
  const PreparedShape &a = collision_.shapes()[pair.a].geometry, &b = collision_.shapes()[pair.b].geometry;
  DistanceResult nearest = distance({a, X_WA}, {b, X_WB}, pair.direction);
  if (a.is_half_space() || b.is_half_space()) return nearest;
  if (nearest.separated) {
    settle_nearest({a, X_WA}, {b, X_WB}, a.core().extent + b.core().extent, nearest);
    return nearest;
  }
  const FeatureContact at = at_middle(contact);
  nearest.normal = at.normal;
  nearest.lower_bound = at.gap;
  nearest.point_A = at.p_A;
  nearest.point_B = at.p_B;
  if (a.tree() || b.tree()) return nearest;
  const Vec3& n = at.normal;
  nearest.lower_bound = separation_along(n, a.core(), X_WA, b.core(), X_WB);
  if (contact.a.kind != Feature::Kind::plane)
    nearest.point_A = X_WA * a.core().support(X_WA.R.transpose() * n) + a.core().radius * n;
  if (contact.b.kind != Feature::Kind::plane)
    nearest.point_B = X_WB * b.core().support(-(X_WB.R.transpose() * n)) - b.core().radius * n;
  if (contact.a.kind == Feature::Kind::plane) nearest.point_A = nearest.point_B - nearest.lower_bound * n;
  if (contact.b.kind == Feature::Kind::plane) nearest.point_B = nearest.point_A + nearest.lower_bound * n;
  return nearest;
}

/// The row contact that ends nearest to a place, of those that `is_one` chooses.
template <class Choose>
int Island::ending_at(const Vec3& p_B, Choose&& is_one) const {
  int nearest = -1;
  double least = std::numeric_limits<double>::infinity();
  for (const int c : row_contacts_) {
    if (!is_one(contacts[c])) continue;
    const double away = (at_middle(contacts[c]).p_B - p_B).squaredNorm();
    if (away >= least) continue;
    least = away;
    nearest = c;
  }
  return nearest;
}

/// Rows are linear: on a curved path a gap ends lower than they forecast, by
///   bend = gap(q⁺) − (gap(q) + J_m Δq),  Δq = ½ s (v + v⁺), s v⁺ or s v,
/// of third order in s; a rim that rolls adds what its lowest point moves along it. Where that is too much of the room
/// between standoff and clearance it is worth another solution with c + bend for c. True if there is such a pair.
bool Island::forecast_bends(double s) {
  bend_span_ = s;
  bends_.clear();
  for (MovingTree* tree : trees) {
    tree->displacement = s * tree->p1 + (0.5 * s * s) * tree->p2;
    integrate(tree->model, tree->now.q, tree->displacement, tree->q_m);
    update_positions(tree->model, tree->q_m, tree->middle);
  }
  place(true);
  VecX change = VecX::Zero(rows_.size());  // of the gaps, to first order; the same for every integrator
  rows_.add_product([&](int tree) -> const VecX& { return trees[tree]->displacement; }, change);
  std::vector<double> forecast(pairs.size(), std::numeric_limits<double>::infinity());
  std::vector<double> second = forecast;      // the next lowest
  std::vector<int> lowest(pairs.size(), -1);  // contact of that forecast
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    const double gap = contact.now.gap + change[contact.first_row];
    double& least = forecast[contact.pair];
    second[contact.pair] = std::min(second[contact.pair], std::max(gap, least));
    if (gap >= least) continue;
    least = gap;
    lowest[contact.pair] = c;
  }
  const double room = settings_.standoff - settings_.clearance;
  bool found = false;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    NearPair& pair = pairs[k];
    if (lowest[k] < 0) continue;
    const DistanceResult nearest = nearest_at_end(pair, contacts[lowest[k]]);
    const double end = nearest.lower_bound, bend = end - forecast[k];
    if (end > settings_.standoff || bend > -kMuchBend * room) continue;
    pair.bend = std::max(bend, -kMostBend * room);
    if (trace) {
      const double apart = (second[k] - forecast[k]) / room;
      // Of two that are forecast as low as each other the one that ends there: another's forecast moves in another way.
      const auto is_lowest = [&](const LiveContact& contact) {
        return &pairs[contact.pair] == &pair &&
               contact.now.gap + change[contact.first_row] <= forecast[k] + kAtKink * room;
      };
      record_bend(pair, bend, nearest, apart > kAtKink ? lowest[k] : ending_at(nearest.point_B, is_lowest),
                  apart);
    }
    found = true;
  }
  return found;
}

/// Whether the contact forces of the segment do work that matters: f · ½ J_m (v + v⁺) is exactly what the kinetic energy
/// gains by them. Following a strongly bent path they would, at every turn of something that spins.
bool Island::works_too_much() {
  VecX w = VecX::Zero(rows_.size());
  double kinetic = 0;
  rows_.add_product([&](int tree) -> const VecX& { return trees[tree]->now.v; }, w);
  rows_.add_product([&](int tree) -> const VecX& { return trees[tree]->v_next; }, w);
  for (MovingTree* tree : trees) {
    update_inertias(tree->model, tree->start);
    kinetic += kinetic_energy(tree->model, tree->start, tree->now.v);
  }
  // What pushing out from the clearance within a step would do is no pumping.
  double push_out = 0;
  for (const int c : row_contacts_) push_out += solution_.f[contacts[c].first_row];
  push_out *= (settings_.standoff - settings_.clearance) / h_;
  return 0.5 * solution_.f.dot(w) > kMuchWork * kinetic + push_out;
}

}  // namespace jade
