#include <algorithm>
#include <cmath>

#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/stepping/closing_rate.h"
#include "jade/stepping/free_rotation.h"
#include "jade/stepping/island.h"
#include "jade/stepping/midpoint.h"

namespace jade {
namespace {

// How often a segment whose mean velocity does not settle is made shorter.
constexpr int kMostHalves = 12;
// A normal that changes the velocity of its row by less than this, of the terms that it is made of, carries nothing.
constexpr double kNoLoad = 1e-12;
// Of the speed that friction can stop within the segment, as far as free fall tells: what is slower sticks, and whichever
// way its rows look does not matter. Those along a slip of next to nothing would turn with the inverse of its speed.
constexpr double kSurelySticks = 1e-4;

/// A direction orthogonal to n that is fixed in a body with axes R: two steps at rest get the same tangents.
Vec3 tangent_fixed_in(const Mat3& R, const Vec3& n) {
  const Vec3 axis = R.col(tangent_axis(R, n));
  return (axis - n.dot(axis) * n).normalized();
}

}  // namespace

/// The motion of the rest of the step without contact forces, and what its accelerations bring to each link. If the next
/// segment is that long, it begins with this.
void Island::forecast_free_motion() {
  prepare_middle(longest_part(left_));
  for (MovingTree* tree : trees) {
    for (std::size_t i = 0; i < tree->link_a.size(); ++i) {
      const Link& link = tree->model.links()[i];
      Vec6& A = tree->link_a[i];
      if (link.motion == LinkMotion::free) {
        A.head<3>() = tree->a.segment<3>(link.v + 3);
        A.tail<3>() = tree->a.segment<3>(link.v);
        continue;
      }
      A = link.parent < 0 ? Vec6(Vec6::Zero()) : tree->link_a[link.parent];
      for (int k = link.v; k < link.v + link.nv; ++k) A += tree->middle.S[k] * tree->a[k];
    }
  }
}

void Island::update_contact_speeds() {
  for (LiveContact& contact : contacts) {
    const Vec3 n = contact.now.normal, p = acting_point(contact, contact.now);
    contact.velocity.setZero();
    contact.free_pull = 0;
    const auto add = [&](const Anchor& on, double sign) {
      if (on.tree < 0) return;
      const MovingTree& tree = *trees[on.tree];
      const Vec6 &A = tree.link_a[on.link], &V = tree.start.V[on.link];
      const Vec3 arm = p - tree.start.origin[0];
      contact.velocity += sign * (V.tail<3>() + cross3(V.head<3>(), arm));
      contact.free_pull += sign * n.dot(A.tail<3>() + cross3(A.head<3>(), arm));
    };
    add(pairs[contact.pair].on_b, 1);
    add(pairs[contact.pair].on_a, -1);
    contact.approach = n.dot(contact.velocity);
  }
}

void Island::set_directions(LiveContact& contact, const FeatureContact& at, const Vec3& slip_velocity,
                            double least) {
  const Vec3& n = at.normal;
  const Vec3 slip = slip_velocity - n.dot(slip_velocity) * n;
  const double speed = slip.norm();
  contact.along_slip = speed > least;
  contact.smooth = false;
  contact.directions[0] = n;
  contact.directions[1] =
      contact.along_slip ? Vec3(slip / speed) : tangent_fixed_in(placed(pairs[contact.pair].b, false).R, n);
  // Which way the second points must not depend on which of the bodies is called a, nor on a mirror, or of several valid
  // forces another one is found: towards b's side.
  const Vec3 p = 0.5 * (at.p_A + at.p_B), across = n.cross(contact.directions[1]);
  const NearPair& pair = pairs[contact.pair];
  contact.hand = across.dot(centre(pair.b, p) - centre(pair.a, p)) < 0 ? -1 : 1;
  contact.directions[2] = contact.hand * across;
}

/// The middle of a shape at the start of the segment; the given point for a half-space, which has none.
Vec3 Island::centre(int shape, const Vec3& otherwise) const {
  const CollisionShape& s = collision_.shapes()[shape];
  if (s.geometry.is_half_space()) return otherwise;
  const Transform& X_WS = placed(shape, false);
  return s.centred ? X_WS.p : X_WS * s.centre_S;
}

/// Rows of all chosen contacts along their directions and of all chosen limits, with A and the LCP's description of them.
void Island::add_rows(bool middle) {
  row_trees_.clear();
  problem_.velocities = 0;
  for (MovingTree* tree : trees) {
    row_trees_.push_back({&tree->model, middle ? &tree->middle : &tree->start});
    problem_.velocities += tree->model.nv();
    if (middle) continue;
    update_inertias(tree->model, tree->start);
    factor_articulated(tree->model, tree->model.armature(), tree->start);
  }
  rows_.clear();
  problem_.form = LcpForm::contact;
  const bool midpoint = middle && settings_.integrator == Integrator::midpoint;
  problem_.rows.resize(3 * row_contacts_.size());
  warm_.resize(3 * row_contacts_.size());
  for (const int c : row_contacts_) {
    LiveContact& contact = contacts[c];
    const NearPair& pair = pairs[contact.pair];
    const FeatureContact& at = middle ? contact.middle : contact.now;
    const bool only_against_slip =
        middle && contact.slides && contact.along_slip && !contact.slip_ends && !contact.slow;
    const bool normal_alone = pair.friction == 0 || (middle && is_normal_alone(contact));
    contact.rows = normal_alone ? 1 : only_against_slip ? 2 : 3;
    contact.first_row = rows_.add_contact(row_trees_, pair.on_a, pair.on_b, acting_point(contact, at),
                                          contact.directions.data(), contact.rows);
    LcpRow* const row = &problem_.rows[contact.first_row];
    RowClass* const guess = &warm_[contact.first_row];
    row[0] = {RowKind::normal, -1, 0};
    for (int r = 1; r < contact.rows; ++r) row[r] = {RowKind::tangent, contact.first_row, pair.friction};
    for (int r = 0; r < contact.rows; ++r) {
      // Of several valid answers the one that does not slip is preferred: what is at rest is not said to slip at no speed.
      // And what slides now, though it stuck before or is new, is held back by friction.
      const RowClass before = contact.classes[r];
      const bool slipped = before == RowClass::high || before == RowClass::low;
      const bool starts = only_against_slip && before == RowClass::stick;
      guess[r] = slipped && midpoint && !contact.slides ? RowClass::stick : starts ? RowClass::low : before;
    }
  }
  problem_.rows.resize(rows_.size());
  warm_.resize(rows_.size());
  add_limit_rows();
  rows_.solve_columns(row_trees_);
  rows_.form_A(problem_.A);
}

/// Which contacts and limits the segment holds apart by forces.
void Island::choose_rows(double s) {
  const Horizon time = horizon(s);
  row_contacts_.clear();
  for (NearPair& pair : pairs) pair.has_rows = false;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    LiveContact& contact = contacts[c];
    contact.first_row = -1;
    if (hurries_ ? !contact.lands && !closing(contact).lands(time)
                 : contact.passing || !closing(contact).is_row(time))
      continue;
    pairs[contact.pair].has_rows = true;
    row_contacts_.push_back(static_cast<int>(c));
  }
  choose_limit_rows(s);
}

/// Contacts of pairs that touched in the last problem and carried nothing, as bodies that slide on together, are rows by their
/// normals alone: friction of what carries nothing is nothing. If one of them is found to carry, all rows are solved for.
void Island::find_unloaded() {
  without_load_ = false;
  // Where slips end, all rows take part in the forecast; without warm starts nothing depends on the last problem.
  const bool allowed = settings_.integrator == Integrator::midpoint && !slips_end_ &&
                       settings_.lcp.warm_start && settings_.lcp.method == LcpMethod::jade;
  for (std::size_t i = 0, end = 0; allowed && i < row_contacts_.size(); i = end) {
    const int pair = contacts[row_contacts_[i]].pair;
    bool unloaded = pairs[pair].friction > 0;
    for (end = i; end < row_contacts_.size() && contacts[row_contacts_[end]].pair == pair; ++end)
      unloaded = unloaded && contacts[row_contacts_[end]].classes[0] == RowClass::separate;
    for (std::size_t k = i; k < end; ++k) contacts[row_contacts_[k]].unloaded = unloaded;
    without_load_ = without_load_ || unloaded;
  }
}

/// Whether what was expected to carry nothing does so. Of several valid forces those of the classes before are taken, or all
/// rows decide.
bool Island::stays_unloaded() const {
  return solution_.selection == LcpSelection::warm_classes &&
         std::none_of(row_contacts_.begin(), row_contacts_.end(), [&](int c) {
           return contacts[c].unloaded && solution_.classes[contacts[c].first_row] != RowClass::separate;
         });
}

/// The tape has all rows, whatever the segment is solved with.
void Island::keep_all_rows(double s) {
  without_load_ = false;
  add_rows(true);
  set_bias(s);
  without_load_ = true;
  all_.contact_rows.clear();
  all_.limit_rows.clear();
  for (const int c : row_contacts_) all_.contact_rows.push_back({contacts[c].first_row, contacts[c].rows});
  for (const int l : row_limits_) all_.limit_rows.push_back(limits[l].row);
  all_.rows = rows_;
  all_.problem = problem_;
  all_.bias = bias_;
}

/// The rows that were solved for and all rows change places.
void Island::exchange_rows() {
  std::swap(all_.rows, rows_);
  std::swap(all_.problem, problem_);
  std::swap(all_.bias, bias_);
  for (std::size_t i = 0; i < row_contacts_.size(); ++i) {
    std::swap(all_.contact_rows[i].first, contacts[row_contacts_[i]].first_row);
    std::swap(all_.contact_rows[i].second, contacts[row_contacts_[i]].rows);
  }
  for (std::size_t i = 0; i < row_limits_.size(); ++i)
    std::swap(all_.limit_rows[i], limits[row_limits_[i]].row);
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
    if (tree->model.has_springs() || tree->model.has_dampers()) {
      for (int k = 0; midpoint && k < tree->model.nv(); ++k)
        tree->diagonal[k] +=
            implicit_damping(tree->model, k, s).value + 0.25 * s * s * tree->model.stiffness()[k];
      passive_forces(tree->model, tree->q_m, tree->now.v, tree->tau);
      tree->tau += tree->effort;
    } else {
      tree->tau = tree->effort;
    }
    if (midpoint && tree->is_single_body()) {
      const Vec3 spin = tree->now.v.tail<3>();
      if (FreeRotation::turns_much(spin, s))
        tree->tau.tail<3>() += free_rotation(tree->middle, 0, spin, s).moment();
    }
    factor_articulated(tree->model, tree->diagonal, tree->middle);
    tree->v_bar = tree->now.v;
    free_motion(*tree, s);
    tree->v_next = tree->u;
  }
  if (midpoint) place(true);
  prepared_for_ = s;
}

/// Moves the island's velocities over a segment of length s, or over the part of it until a slip comes to its end:
/// friction changes its direction there, and a step across would be of first order only. Returns the length.
double Island::segment(double s, SolveTrace::Length rule) {
  halved_ = slips_end_ = false;
  for (LiveContact& contact : contacts) contact.slip_ends = contact.slow = false;
  // The mean velocity is a fixed point that a light link in fast company may flee from: shorter segments contract.
  for (int half = 0; (!solve_segment(s) || drifts(s)) && half < kMostHalves; ++half) {
    s *= 0.5;
    halved_ = true;
  }
  record_solve(s, rule);
  if (settings_.integrator == Integrator::midpoint && !is_tired()) {
    if (find_slow_slides()) {
      solve_segment(s);
      record_solve(s, SolveTrace::Length::same);
    }
    // From other velocities nothing of what was solved before counts but the length.
    if (stop_slips(s) || (slips_end_ && cut_where_slip_ends(s)))
      return segment(s, SolveTrace::Length::stopped);
  }
  finish_segment(s);
  return s;
}

/// The contact's features at the middle of the segment. What rolls on a rim rolls on: held fixed in the body, its lowest
/// point would rise there and leave the body without support.
FeatureContact Island::at_middle(const LiveContact& contact) const {
  const NearPair& pair = pairs[contact.pair];
  const Transform &X_WA = placed(pair.a, true), &X_WB = placed(pair.b, true);
  const auto& shapes_of = collision_.shapes();
  const Vec3& n = contact.now.normal;
  const PreparedShape &shape_a = shapes_of[pair.a].geometry, &shape_b = shapes_of[pair.b].geometry;
  if (!has_travelling_features(shape_a) && !has_travelling_features(shape_b))
    return closest_points(contact.a, X_WA, contact.b, X_WB, n);
  const Feature a = followed(contact.a, shape_a, X_WA.R.transpose() * n);
  const Feature b = followed(contact.b, shape_b, -(X_WB.R.transpose() * n));
  return closest_points(a, X_WA, b, X_WB, n);
}

/// False when the iteration for the mean velocity does not settle. Where rows turn out to be missing all are solved for.
bool Island::solve_segment(double s) {
  const int without_gaps = report.without_gaps, unsolved = report.unsolved;
  choose_rows(s);
  find_unloaded();
  const bool fewer = without_load_;
  settled_ = find_end_velocities(s);
  if (fewer == without_load_) return settled_;
  report.without_gaps = without_gaps;
  report.unsolved = unsolved;
  return settled_ = find_end_velocities(s);
}

bool Island::find_end_velocities(double s) {
  const bool midpoint = settings_.integrator == Integrator::midpoint;
  if (prepared_for_ != s) prepare_middle(s);
  prepared_for_ = 0;  // what follows moves the middle on

  // The same features at the middle; tangents along the slip that would be without friction, unless that ends.
  for (const int c : row_contacts_) contacts[c].middle = midpoint ? at_middle(contacts[c]) : contacts[c].now;
  find_slides();
  for (MovingTree* tree : trees) {
    if (midpoint)
      tree->v_bar = 0.5 * (tree->now.v + tree->u);
    else
      tree->v_bar = tree->u;
    if (trace) tree->u_first = tree->u;
    update_velocities(tree->model, tree->v_bar, tree->middle);
  }
  for (const int c : row_contacts_) {
    LiveContact& contact = contacts[c];
    if (!trace && is_normal_alone(contact)) {
      contact.directions[0] = contact.middle.normal;
      continue;
    }
    contact.from_start = slips_end_ && contact.slides;
    const Vec3 mean = relative_velocity(contact, true);  // for Euler's rules that of the end
    const bool turns = !midpoint || (contact.slides && !contact.slow && !contact.slip_ends);
    const double stopped = midpoint && !contact.slides ? kSurelySticks * pairs[contact.pair].friction *
                                                             std::abs(contact.free_pull) * s
                                                       : 0;
    set_directions(contact, contact.middle,
                   contact.from_start ? contact.velocity
                   : turns            ? mean
                                      : Vec3(2 * mean - contact.carried_on),
                   kNoSlip + stopped);
  }
  if (trace && without_load_) keep_all_rows(s);
  add_rows(true);
  set_bias(s);

  with_gaps_ = true;
  if (rows_.size() > 0) return settle(trees, s);
  // What no forces join settles by itself: in its own time, and to rounding of its own velocities.
  bool settled = true;
  for (MovingTree*& tree : trees) settled = settle({&tree, 1}, s) && settled;
  return settled;
}

/// What does not change with v⁺ in the rows' w = J_m (v + v⁺) − J v − k; see Closing::bias.
void Island::set_bias(double s) {
  bias_.setZero(rows_.size());
  const Horizon time = horizon(s);
  const bool midpoint = settings_.integrator == Integrator::midpoint;
  const auto depth = [&](int c) { return squared_depth(contacts[c].now.gap - settings_.standoff); };
  double all = 0;  // of the pair, whose contacts follow each other
  for (std::size_t i = 0; i < row_contacts_.size(); ++i) {
    LiveContact& contact = contacts[row_contacts_[i]];
    if (midpoint && (i == 0 || contacts[row_contacts_[i - 1]].pair != contact.pair)) {
      all = 0;
      for (std::size_t j = i; j < row_contacts_.size() && contacts[row_contacts_[j]].pair == contact.pair;
           ++j)
        all += depth(row_contacts_[j]);
    }
    const double others = std::max(0.0, all - depth(row_contacts_[i]));
    bias_[contact.first_row] =
        closing(contact).bias(time, others) + (midpoint ? 2 : 1) * bend_rate(pairs[contact.pair], s);
    for (int r = 1; midpoint && r < contact.rows; ++r)
      bias_[contact.first_row + r] = -(contact.start_slip[r - 1] = slip_at_start(contact, r));
  }
  for (const int l : row_limits_) bias_[limits[l].row] = limits[l].closing.bias(time);
}

/// What rounding of the places of a segment's contacts makes of the speed at which their gaps are to close.
double Island::gap_rounding(double s) const {
  double farthest = 0;
  for (const int c : row_contacts_) farthest = std::max(farthest, contacts[c].now.p_B.squaredNorm());
  return kGapRounding * std::sqrt(farthest) / s;
}

void Island::set_paths(double s) {
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
}

void Island::finish_segment(double s) {
  set_paths(s);
  for (const int c : row_contacts_) {
    LiveContact& contact = contacts[c];
    const int first = contact.first_row;
    contact.impulse.setZero();
    // Classes of what touches without a load are rounding, and no guess for the next problem.
    const bool loaded = problem_.A(first, first) * solution_.f[first] > kNoLoad * problem_.beta[first];
    for (int r = 0; r < contact.rows; ++r) {
      contact.classes[r] = loaded ? solution_.classes[first + r] : RowClass::separate;
      contact.impulse += solution_.f[first + r] * contact.directions[r];
    }
    contact.force = contact.impulse / s;
    contact.unheeded = !with_gaps_;
  }
  finish_limits();
}

}  // namespace jade
