#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/dynamics/energy.h"
#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/geometry/distance.h"
#include "jade/stepping/closing_rate.h"
#include "jade/stepping/island.h"
#include "jade/stepping/midpoint.h"

namespace jade {
namespace {

// Slip slower than this is rounding of velocities of ordinary size, and has no direction [m/s].
constexpr double kNoSlip = 1e-9;
// Closing speeds below this are rounding of velocities of ordinary size [m/s].
constexpr double kNoSpeed = 1e-6;
// The mean velocity is iterated to rounding; with at most half a radian a segment the error halves each time at worst.
constexpr int kMostPasses = 60;
constexpr double kSettled = 1e-14;  // of the largest velocity
constexpr double kNearlySettled =
    1e-9;                        // where friction changes its mind between passes, it need not come closer
constexpr int kFirstPasses = 4;  // may go astray
constexpr int kMostHalves = 12;
constexpr int kMostLooks = 4;
// In one step; what wobbles could stick and slip without end.
constexpr int kMostSlipEvents = 8;
// Shares of the room between standoff and clearance: what curved paths may take of it in one segment, and what is given
// back at most; more needs a shorter segment.
constexpr double kMuchBend = 0.02;
constexpr double kMostBend = 2;
// Share of the kinetic energy that this may add in a segment.
constexpr double kMuchWork = 1e-5;

/// A direction orthogonal to n that is fixed in a body with axes R: two steps at rest get the same tangents.
Vec3 tangent_fixed_in(const Mat3& R, const Vec3& n) {
  int least = 0;
  (R.transpose() * n).cwiseAbs().minCoeff(&least);
  const Vec3 axis = R.col(least);
  return (axis - n.dot(axis) * n).normalized();
}

}  // namespace

Vec6 motion_of_link(const Model& model, const DynamicsWorkspace& work, int link, const VecX& rates) {
  Vec6 motion = Vec6::Zero();
  for (int i = link; i >= 0; i = model.links()[i].parent)
    for (int k = model.links()[i].v; k < model.links()[i].v + model.links()[i].nv; ++k)
      motion += work.S[k] * rates[k];
  return motion;
}

/// Accelerations without contact forces, and how they pull at each contact.
void Island::free_acceleration() {
  for (MovingTree* tree : trees) {
    factor_articulated(tree->model, tree->model.armature(), tree->start);
    passive_forces(tree->model, tree->now.q, tree->now.v, tree->tau);
    tree->tau += tree->effort;
    tree->a = tree->prescribed;
    aba(tree->model, tree->tau, tree->start, tree->a);
  }
}

void Island::update_contact_speeds() {
  for (LiveContact& contact : contacts) {
    const Vec3& n = contact.now.normal;
    contact.approach = n.dot(relative_velocity(contact, false));
    const Vec3 p = 0.5 * (contact.now.p_A + contact.now.p_B);
    const auto pull = [&](int shape) {
      const Anchor on = anchor(shape);
      if (on.tree < 0) return 0.0;
      const MovingTree& tree = *trees[on.tree];
      const Vec6 A = motion_of_link(tree.model, tree.start, on.link, tree.a);
      return n.dot(A.tail<3>() + cross3(A.head<3>(), Vec3(p - tree.start.origin[0])));
    };
    contact.free_pull = pull(pairs[contact.pair].b) - pull(pairs[contact.pair].a);
  }
}

bool Island::is_impact(const LiveContact& contact) const {
  return -contact.approach > 2 * span_ * std::max(0.0, -contact.free_pull) + kNoSpeed;
}

void Island::set_directions(LiveContact& contact, const FeatureContact& at, const Vec3& slip_velocity) {
  const Vec3& n = at.normal;
  const Vec3 slip = slip_velocity - n.dot(slip_velocity) * n;
  const double speed = slip.norm();
  contact.along_slip = speed > kNoSlip;
  contact.directions[0] = n;
  contact.directions[1] =
      contact.along_slip ? Vec3(slip / speed) : tangent_fixed_in(pose(pairs[contact.pair].b, false).R, n);
  contact.directions[2] = n.cross(contact.directions[1]);
}

/// Rows of all chosen contacts along their directions, with A and the LCP's description of them.
void Island::add_rows(bool middle) {
  row_trees_.clear();
  for (MovingTree* tree : trees) row_trees_.push_back({&tree->model, middle ? &tree->middle : &tree->start});
  rows_.clear();
  problem_.form = LcpForm::contact;
  problem_.rows.clear();
  warm_.clear();
  for (const int c : row_contacts_) {
    LiveContact& contact = contacts[c];
    const NearPair& pair = pairs[contact.pair];
    const FeatureContact& at = middle ? contact.middle : contact.now;
    contact.rows = pair.friction > 0 ? 3 : 1;
    contact.first_row = rows_.add_contact(row_trees_, anchor(pair.a), anchor(pair.b), 0.5 * (at.p_A + at.p_B),
                                          contact.directions.data(), contact.rows);
    problem_.rows.push_back({RowKind::normal, -1, 0});
    for (int r = 1; r < contact.rows; ++r)
      problem_.rows.push_back({RowKind::tangent, contact.first_row, pair.friction});
    warm_.insert(warm_.end(), contact.classes.begin(), contact.classes.begin() + contact.rows);
  }
  rows_.solve_columns(row_trees_);
  rows_.form_A(problem_.A);
}

bool Island::solve_rows() {
  solve(problem_, settings_.lcp, warm_, lcp_, solution_);
  warm_ = solution_.classes;
  if (solution_.status != LcpStatus::solved) return false;
  if (solution_.certificate.residual > report.worst_residual) {
    report.worst_residual = solution_.certificate.residual;
    report.worst_stage = solution_.stage;
  }
  return true;
}

/// Which contacts the segment holds apart by forces. All others are left to the sweep and to collide: admitting those
/// that approach fast would brake them before they meet, admitting those that leave would do work on them.
void Island::choose_rows(double s) {
  row_contacts_.clear();
  const double slack = 1.5 * (settings_.standoff - settings_.clearance);
  for (NearPair& pair : pairs) pair.has_rows = false;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    LiveContact& contact = contacts[c];
    contact.first_row = -1;
    const double excess = contact.now.gap - settings_.standoff, y = s * contact.approach;
    const double active = 2 * span_ * span_ * std::abs(contact.free_pull);
    // Semi-implicit Euler moves with the velocity of the end: what leaves now may be pulled back at once.
    const double away = settings_.integrator == Integrator::semi_implicit_euler
                            ? y + s * s * std::min(0.0, contact.free_pull)
                            : y;
    if (excess >= active + slack || y < -2 * std::max(excess, 0.0) - slack || away > slack) continue;
    if (is_impact(contact)) continue;
    pairs[contact.pair].has_rows = true;
    row_contacts_.push_back(static_cast<int>(c));
  }
}

/// Velocity at the end without contact forces, from forces at the mean velocity v_bar.
void Island::free_motion(MovingTree& tree, double s) {
  update_velocities(tree.model, tree.v_bar, tree.middle);
  tree.a = tree.prescribed;
  aba(tree.model, tree.tau, tree.middle, tree.a);
  tree.u = tree.now.v + s * tree.a;
}

void Island::prepare_middle(double s) {
  const bool midpoint = settings_.integrator == Integrator::midpoint;
  for (MovingTree* tree : trees) {
    if (midpoint) {
      tree->displacement = (0.5 * s) * tree->now.v;
      integrate(tree->model, tree->now.q, tree->displacement, tree->q_m);
    } else {
      tree->q_m = tree->now.q;
    }
    update_positions(tree->model, tree->q_m, tree->middle);
    tree->diagonal = tree->model.armature();
    for (int k = 0; midpoint && k < tree->model.nv(); ++k)
      tree->diagonal[k] +=
          implicit_damping(tree->model, k, s).value + 0.25 * s * s * tree->model.stiffness()[k];
    factor_articulated(tree->model, tree->diagonal, tree->middle);
    passive_forces(tree->model, tree->q_m, tree->now.v, tree->tau);
    tree->tau += tree->effort;
    tree->v_bar = tree->now.v;
    free_motion(*tree, s);
    tree->v_next = tree->u;
  }
}

/// Moves the island's velocities over a segment of length s, or over the part of it until a slip comes to its end:
/// friction changes its direction there, and a step across would be of first order only. Returns the length.
double Island::segment(double s, SolveTrace::Length rule) {
  halved_ = false;
  // The mean velocity is a fixed point that a light link in fast company may flee from: shorter segments contract.
  for (int half = 0; !solve_segment(s) && half < kMostHalves; ++half) {
    s *= 0.5;
    halved_ = true;
  }
  record_solve(s, rule);
  if (settings_.integrator == Integrator::midpoint) {
    // Each event is located from a linear forecast; a second look settles what the first left of the slip.
    bool ended = false;
    for (int look = 0; look < kMostLooks && slip_events_ < kMostSlipEvents; ++look) {
      const double end = until_slip_ends(s);
      if (!(end < s)) break;
      s = end;
      solve_segment(s);
      record_solve(s, SolveTrace::Length::event);
      ended = true;
    }
    if (ended) ++slip_events_;
  }
  finish_segment(s);
  return s;
}

/// The contact's features at the middle of the segment. What rolls on a rim rolls on: held fixed in the body, its lowest
/// point would rise there and leave the body without support.
FeatureContact Island::at_middle(const LiveContact& contact) const {
  const NearPair& pair = pairs[contact.pair];
  const Transform X_WA = pose(pair.a, true), X_WB = pose(pair.b, true);
  const auto& shapes_of = collision_.shapes();
  const Vec3& n = contact.now.normal;
  const Feature a = followed(contact.a, shapes_of[pair.a].geometry, X_WA.R.transpose() * n);
  const Feature b = followed(contact.b, shapes_of[pair.b].geometry, -(X_WB.R.transpose() * n));
  return closest_points(a, X_WA, b, X_WB, n);
}

/// False when the iteration for the mean velocity does not settle.
bool Island::solve_segment(double s) {
  const bool midpoint = settings_.integrator == Integrator::midpoint;
  choose_rows(s);
  prepare_middle(s);

  // The same features at the middle; tangents along the slip that would be without friction.
  for (MovingTree* tree : trees) {
    tree->v_bar = midpoint ? VecX(0.5 * (tree->now.v + tree->u)) : tree->u;
    if (trace) tree->u_first = tree->u;
    update_velocities(tree->model, tree->v_bar, tree->middle);
  }
  for (const int c : row_contacts_) {
    LiveContact& contact = contacts[c];
    contact.middle = midpoint ? at_middle(contact) : contact.now;
    set_directions(contact, contact.middle, relative_velocity(contact, true));
  }
  add_rows(true);
  set_bias(s);

  const auto velocity_now = [&](int tree) -> const VecX& { return trees[tree]->now.v; };
  const auto velocity_u = [&](int tree) -> const VecX& { return trees[tree]->u; };
  double before = std::numeric_limits<double>::infinity(), speed = 0;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (!row_contacts_.empty()) {
      problem_.b = bias_;
      problem_.beta = bias_.cwiseAbs();
      rows_.add_product(velocity_u, problem_.b);
      rows_.add_absolute_product(velocity_u, problem_.beta);
      if (midpoint) {
        rows_.add_product(velocity_now, problem_.b);
        rows_.add_absolute_product(velocity_now, problem_.beta);
      }
      if (!solve_rows()) ++report.unsolved;
    }
    double change = 0, size = 0;
    for (MovingTree* tree : trees) tree->v_bar = tree->u;
    if (!row_contacts_.empty())
      rows_.add_impulses(solution_.f, [&](int tree) -> VecX& { return trees[tree]->v_bar; });
    for (MovingTree* tree : trees) {
      change = std::max(change, (tree->v_bar - tree->v_next).lpNorm<Eigen::Infinity>());
      tree->v_next = tree->v_bar;
      size = std::max({size, tree->v_next.lpNorm<Eigen::Infinity>(), tree->now.v.lpNorm<Eigen::Infinity>()});
    }
    if (!midpoint || (pass > 0 && change <= kSettled * size)) return true;
    if (!(change <= before) && pass > kFirstPasses && !(change <= kNearlySettled * size)) return false;
    before = change;
    speed = size;
    for (MovingTree* tree : trees) {
      tree->v_bar = 0.5 * (tree->now.v + tree->v_next);
      free_motion(*tree, s);
    }
  }
  return before <= kNearlySettled * speed;
}

/// What the rows' end velocity has to stay above, moved to the other side: w = J_m (v + v⁺) − J v − k.
///   k_n = −closing − ½ Jₙ v,  closing = closing_rate(gap − δ)
/// Euler's rules have w = J v⁺ − k with k_n = −closing.
void Island::set_bias(double s) {
  bias_.setZero(rows_.size());
  const bool midpoint = settings_.integrator == Integrator::midpoint;
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    double excess = contact.now.gap - settings_.standoff;
    // The paper's rule moves positions with the old velocity: the new one acts from where they will be.
    if (settings_.integrator == Integrator::explicit_euler) excess += s * contact.approach;
    const double closing =
        closing_rate(excess, s, h_, push_out_length(settings_.standoff, settings_.clearance)).value;
    bias_[contact.first_row] += closing + (midpoint ? 2 : 1) * bend_rate(pairs[contact.pair], s);
    if (!midpoint) continue;
    bias_[contact.first_row] += -contact.approach + 0.5 * contact.approach;
    for (int r = 1; r < contact.rows; ++r) bias_[contact.first_row + r] -= slip_at_start(contact, r);
  }
}

/// What a pair's bend asks of the velocity over a segment of length s. Paths bend with s² at least: a segment that an
/// event makes shorter than the one of the forecast must not be given the whole of it in no time.
double Island::bend_rate(const NearPair& pair, double s) const {
  return pair.bend == 0 ? 0 : pair.bend * s / (bend_span_ * bend_span_);
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
  VecX change = VecX::Zero(rows_.size());  // of the gaps, to first order; the same for every integrator
  rows_.add_product([&](int tree) -> const VecX& { return trees[tree]->displacement; }, change);
  std::vector<double> forecast(pairs.size(), std::numeric_limits<double>::infinity());
  std::vector<int> lowest(pairs.size(), -1);  // contact of that forecast
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    const double gap = contact.now.gap + change[contact.first_row];
    if (gap >= forecast[contact.pair]) continue;
    forecast[contact.pair] = gap;
    lowest[contact.pair] = c;
  }
  const double room = settings_.standoff - settings_.clearance;
  bool found = false;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    NearPair& pair = pairs[k];
    if (!pair.has_rows) continue;
    const Transform X_WA = pose(pair.a, true), X_WB = pose(pair.b, true);
    const DistanceResult nearest = distance({collision_.shapes()[pair.a].geometry, X_WA},
                                            {collision_.shapes()[pair.b].geometry, X_WB}, pair.direction);
    const double end = nearest.lower_bound, bend = end - forecast[k];
    if (end > settings_.standoff || bend > -kMuchBend * room) continue;
    pair.bend = std::max(bend, -kMostBend * room);
    record_bend(pair, bend, nearest, lowest[k]);
    found = true;
  }
  return found;
}

/// Whether the contact forces of the segment do work that matters: f · ½ J_m (v + v⁺) is exactly what the kinetic energy
/// gains by them. Following a strongly bent path they would, at every turn of something that spins.
bool Island::works_too_much() const {
  VecX w = VecX::Zero(rows_.size());
  double kinetic = 0;
  rows_.add_product([&](int tree) -> const VecX& { return trees[tree]->now.v; }, w);
  rows_.add_product([&](int tree) -> const VecX& { return trees[tree]->v_next; }, w);
  for (const MovingTree* tree : trees) kinetic += kinetic_energy(tree->model, tree->start, tree->now.v);
  // What pushing out from the clearance within a step would do is no pumping.
  double push_out = 0;
  for (const int c : row_contacts_) push_out += solution_.f[contacts[c].first_row];
  push_out *= (settings_.standoff - settings_.clearance) / h_;
  return 0.5 * solution_.f.dot(w) > kMuchWork * kinetic + push_out;
}

/// J v along tangent 1 or 2 at the start of the segment, where the normal is another one: the middle's first tangent is
/// turned into the start's tangent plane.
double Island::slip_at_start(const LiveContact& contact, int tangent) const {
  const Vec3 &n = contact.now.normal, &t = contact.directions[1];
  const Vec3 first = (t - n.dot(t) * n).normalized();
  const Vec3 w = relative_velocity(contact, false);
  return tangent == 1 ? first.dot(w) : n.cross(first).dot(w);
}

void Island::finish_segment(double s) {
  for (MovingTree* tree : trees) {
    switch (settings_.integrator) {
      case Integrator::explicit_euler:
        tree->p1 = tree->now.v;
        tree->p2.setZero();
        break;
      case Integrator::semi_implicit_euler:
        tree->p1 = tree->v_next;
        tree->p2.setZero();
        break;
      case Integrator::midpoint:
        tree->p1 = tree->now.v;
        tree->p2 = (tree->v_next - tree->now.v) / s;
        break;
    }
    for (const Link& link : tree->model.links())
      if (link.prescribed) {
        tree->p1[link.v] = tree->now.v[link.v];
        tree->p2[link.v] = tree->prescribed[link.v];
      }
  }
  for (const int c : row_contacts_) {
    LiveContact& contact = contacts[c];
    contact.impulse.setZero();
    for (int r = 0; r < contact.rows; ++r) {
      contact.classes[r] = solution_.classes[contact.first_row + r];
      contact.impulse += solution_.f[contact.first_row + r] * contact.directions[r];
    }
  }
}

}  // namespace jade
