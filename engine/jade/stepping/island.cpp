#include "jade/stepping/island.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "jade/dynamics/energy.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/geometry/contact_points.h"
#include "jade/geometry/distance.h"

namespace jade {
namespace {

// Beyond this turn a segment is cut: the iteration for the mean velocity is no longer sure to contract. Half a radian, but
// for rounding not to decide on the number of parts where rates and steps are round numbers: the step jumps there.
constexpr double kLargestTurn = 0.50037;

// How often a segment is made shorter because a contact dips in between its ends, and to which part at most.
constexpr int kMostCuts = 4;
constexpr double kDeepestCut = 0.25;

// Segments that a spin makes short, as a multiple of the allowed sub-steps.
constexpr int kMostSpun = 16;

// Of the kinetic energy in a segment: forty times what a pendulum shows that turns by a tenth of a radian in it.
constexpr double kMuchDrift = 4e-3;

// What turns by less than this in a segment goes straight, to far below that share: where it is nearly at rest its energies
// are rounding, and their differences say nothing.
constexpr double kLittleTurn = 1e-3;

// What is left of a step below this share of it is rounding.
constexpr double kNothingLeft = 1e-12;

}  // namespace

MovingTree::MovingTree(const Model& whole, int tree)
    : number(tree),
      model(whole.tree_alone(tree)),
      q0(whole.links()[whole.trees()[tree].first].q),
      v0(whole.links()[whole.trees()[tree].first].v),
      start(model),
      middle(model),
      on_path(model) {
  for (VecX* vector : {&path_rates, &path_displacement, &u, &u_before, &v_next, &p1, &p2, &tau, &diagonal, &a,
                       &v_bar, &displacement, &lever_change, &effort, &prescribed})
    vector->setZero(model.nv());
  q_m.setZero(model.nq());
  path_q.setZero(model.nq());
  link_a.assign(model.links().size(), Vec6::Zero());
  path_bounds.resize(model.links().size());
  limits = limits_of(whole, tree);
  now = {VecX::Zero(model.nq()), VecX::Zero(model.nv())};
}

ShapePoses::ShapePoses(const CollisionModel& collision) {
  for (const CollisionShape& shape : collision.shapes()) start.push_back(shape.X_LS);
  middle = start;
}

Island::Island(const CollisionModel& collision) : collision_(collision) {
  // Room for a body that stands on another, so that the first steps need not look for it bit by bit.
  constexpr std::size_t kContacts = 12, kBodies = 4;
  trees.reserve(kBodies);
  row_trees_.reserve(kBodies);
  felt_.reserve(kBodies);
  shapes.reserve(kBodies);
  swept.reserve(kBodies);
  boxes_.reserve(kBodies);
  has_box_.reserve(kBodies);
  paths_.reserve(kBodies);
  path_starts_.reserve(kBodies);
  pairs.reserve(kBodies);
  turning_rates_.reserve(kBodies);
  contacts.reserve(kContacts);
  before_.reserve(kContacts);
  points_.reserve(kContacts);
  order_.reserve(kContacts);
  row_contacts_.reserve(kContacts);
  problem_.rows.reserve(3 * kContacts);
  warm_.reserve(3 * kContacts);
  lcp_.reserve(3 * kContacts);
  rows_.reserve(2);
}

void Island::begin(const IslandFrame& frame) {
  settings_ = frame.settings;
  h_ = frame.h;
  slot_of_tree_ = frame.slot_of_tree;
  poses_ = &frame.poses;
  expected_ = &frame.expected;
  fall_ = frame.fall;
  as_expected_ = true;
  carried_speed_ = (settings_.standoff - settings_.clearance) / h_;
  trees.clear();
  shapes.clear();
  pairs.clear();
  contacts.clear();
  limits.clear();
  swept.clear();
  path.clear();
  report.clear();
  slip_events_ = 0;
  work_ = 0;
  looks_ = 0;
  hurries_ = false;
}

/// Poses of its shapes from the kinematics at the start or at the middle.
void Island::place(bool middle) {
  for (const int shape : shapes) {
    const CollisionShape& s = collision_.shapes()[shape];
    if (s.anchor.tree < 0) continue;
    const MovingTree& tree = *trees[slot_of_tree_[s.anchor.tree]];
    (middle ? poses_->middle : poses_->start)[shape] = tree.placed(s, middle ? tree.middle : tree.start);
  }
}

void Island::update_start() {
  bool placed = true;
  for (MovingTree* tree : trees) {
    if (!tree->start_is_now) {
      update_poses(tree->model, tree->now.q, tree->start);
      update_velocities(tree->model, tree->now.v, tree->start);
      placed = false;
    }
    tree->start_is_now = false;
  }
  if (!placed) place(false);
  double fastest = 0;
  for (const MovingTree* tree : trees)
    for (const Vec6& V : tree->start.V) fastest = std::max(fastest, V.head<3>().squaredNorm());
  turning_ = std::sqrt(fastest);
}

/// How near two shapes have to be for their contacts to be looked at: within reach of one segment of acceleration, with a
/// margin of two. In a hurry also of what they do to each other
/// at the speeds they have.
double Island::reach_of(const NearPair& pair) const {
  if (!hurries_) return 2 * settings_.standoff + pulled_;
  const ShapeSpeed &a = speeds_[pair.slot_a], &b = speeds_[pair.slot_b];
  return 2 * settings_.standoff + 0.5 * pulled_ +
         left_ * ((a.velocity - b.velocity).norm() + a.turning + b.turning);
}

/// All contacts that may become rows.
void Island::find_contacts(const StepMemory& memory) {
  double fastest = 0;
  for (const int shape : shapes) {
    const Anchor on = anchor(shape);
    if (on.tree < 0) continue;
    const MovingTree& tree = *trees[on.tree];
    const Vec6& A = tree.link_a[on.link];
    const CollisionShape& s = collision_.shapes()[shape];
    const Vec3 arm = tree.start.r[on.link] + tree.start.R[on.link] * s.centre_L;
    const Vec3 spin = A.head<3>();
    fastest = std::max(fastest, (A.tail<3>() + cross3(spin, arm)).norm() + spin.norm() * s.reach);
  }
  // Two shapes of an island pull at most twice as much at each other.
  pulled_ = 4 * span_ * span_ * fastest;
  if (hurries_) measure_speeds();

  // Every box overlaps a half-space.
  const bool bounded = std::any_of(pairs.begin(), pairs.end(), [&](const NearPair& pair) {
    return !collision_.shapes()[pair.a].geometry.is_half_space() &&
           !collision_.shapes()[pair.b].geometry.is_half_space();
  });
  boxes_.resize(shapes.size());
  for (std::size_t i = 0; bounded && i < shapes.size(); ++i)
    boxes_[i] = bounds_of(placed_at_start(shapes[i]),
                          hurries_ ? settings_.standoff : 2 * settings_.standoff + 0.5 * pulled_);

  // Where no sub-step came before, the next step finds its contacts in the memory of this one again.
  before_.clear();
  if (!contacts.empty()) std::swap(before_, contacts);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    NearPair& pair = pairs[k];
    pair.has_rows = false;
    const double reach = reach_of(pair);
    if (bounded &&
        !(hurries_ ? boxes_[pair.slot_a].grown(reach) : boxes_[pair.slot_a]).overlaps(boxes_[pair.slot_b])) {
      pair.separation = std::numeric_limits<double>::infinity();  // farther than any length that matters here
      pair.normal.setZero();
      continue;
    }
    const PlacedShape a = placed_at_start(pair.a), b = placed_at_start(pair.b);
    points_.clear();
    finder_.find(a, b, reach, points_, pair.direction);
    const DistanceResult& gap = finder_.distance();
    if (!gap.separated) throw Intersection{pair.a, pair.b, -gap.distance};
    pair.separation = gap.lower_bound;
    pair.direction = gap.normal;
    // Between pieces of meshes it separates those pieces alone.
    pair.normal = finder_.separates_wholly() ? gap.normal : Vec3(Vec3::Zero());
    report.smallest_clearance = std::min(report.smallest_clearance, gap.lower_bound);
    add_contacts(static_cast<int>(k));
  }
  recall_classes(memory);
}

/// The points found for a pair, in the order of their keys; pairs are in that order already.
void Island::add_contacts(int pair) {
  order_.clear();
  bool ascending = true;  // as they are found mostly
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::uint64_t key = contact_key(pairs[pair], points_[i].a.id, points_[i].b.id);
    ascending = ascending && (i == 0 || order_.back().first < key);
    order_.push_back({key, static_cast<int>(i)});
  }
  if (!ascending) std::sort(order_.begin(), order_.end());
  for (const auto& [key, i] : order_) contacts.emplace_back(pair, key, points_[i]);
}

/// Classes from the segment before, else from the step before. All three lists are sorted by key.
void Island::recall_classes(const StepMemory& memory) {
  // The one after the last that was found is the next as a rule.
  const auto find_next = [](const auto& list, auto& at, std::uint64_t key) {
    const auto less = [](const auto& c, std::uint64_t k) { return c.key < k; };
    if (at != list.end() && at->key < key) ++at;
    if (at != list.end() && at->key < key) at = std::lower_bound(at, list.end(), key, less);
    return at != list.end() && at->key == key;
  };
  auto old = before_.cbegin();
  auto kept = memory.contacts.cbegin();
  for (std::size_t i = 0, first = 0; i < contacts.size(); ++i) {
    LiveContact& contact = contacts[i];
    bool was_held = false;
    if (find_next(before_, old, contact.key)) {
      contact.classes = old->classes;
      contact.force = old->force;
      contact.unheeded = old->unheeded;
      was_held = contact.was_row = old->first_row >= 0;
    } else if (find_next(memory.contacts, kept, contact.key)) {
      contact.classes = kept->classes;
      contact.force = kept->force;
      contact.unheeded = kept->unheeded;
      was_held = true;
    }
    contact.carried = was_held;
    if (i + 1 < contacts.size() && contacts[i + 1].pair == contact.pair) continue;
    // Which of the corners of a face are said to bear its load is rounding: those that were held bear it together.
    const auto bears = [](const LiveContact& c) { return c.carried && c.classes[0] == RowClass::clamped; };
    const auto begin = contacts.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = contacts.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    const bool loaded = std::any_of(begin, end, bears);
    for (auto c = begin; c != end; ++c) c->carried = c->carried && loaded;
    first = i + 1;
  }
}

void Island::keep_path(double time, double sigma) {
  for (const MovingTree* tree : trees)
    path.push_back({tree->number, time, sigma, tree->now.q, tree->p1, tree->p2});
}

void Island::move(double sigma, double s) {
  as_expected_ = false;
  for (MovingTree* tree : trees) {
    tree->displacement = sigma * tree->p1 + (0.5 * sigma * sigma) * tree->p2;
    std::swap(tree->q_m, tree->now.q);
    integrate(tree->model, tree->q_m, tree->displacement, tree->now.q);
    tree->now.v += (sigma / s) * (tree->v_next - tree->now.v);
  }
}

double Island::longest_part(double left) const {
  const double turn = left * turning_;
  return turn <= kLargestTurn ? left : left / std::ceil(turn / kLargestTurn);
}

/// Whether some link may turn in the segment just solved: none turns faster than all joints of its tree together.
bool Island::turns(double s) const {
  for (const MovingTree* tree : trees) {
    double together = 0;
    for (const Link& link : tree->model.links()) {
      if (link.motion == LinkMotion::prismatic) continue;
      const int count = std::min(link.nv, 3), first = link.v + link.nv - count;
      together += std::sqrt(std::max(tree->now.v.segment(first, count).squaredNorm(),
                                     tree->v_next.segment(first, count).squaredNorm()));
    }
    if (s * together > kLittleTurn) return true;
  }
  return false;
}

/// Whether mechanisms gain energy in the segment that nothing gave them, by more than their own accuracy: a light link in fast
/// company turns little at the start and is spun up within, and the midpoint rule then errs by the order of the energy itself.
/// Contact forces do the work f · ½ J_m (v + v⁺) exactly, and so do efforts, effort · Δq: a rule for no effort alone would
/// make the step jump there. What no damper brakes must not lose any either.
bool Island::drifts(double s) {
  if (settings_.integrator != Integrator::midpoint) return false;
  double gained = 0, size = 0;
  bool jointed = false, braked = rows_.size() > 0;
  for (MovingTree* tree : trees) {
    const Model& model = tree->model;
    if (!tree->prescribed.isZero(0)) return false;
    // A single body's spin changes by the order of the scheme alone.
    jointed = jointed || model.links().size() > 1;
    braked = braked || model.has_dampers();
  }
  if (!jointed || !turns(s)) return false;
  for (MovingTree* tree : trees) {
    const Model& model = tree->model;
    update_inertias(model, tree->start);
    const double before = kinetic_energy(model, tree->start, tree->now.v);
    const double held = potential_energy(model, tree->start, tree->now.q);
    tree->displacement = (0.5 * s) * (tree->now.v + tree->v_next);
    integrate(model, tree->now.q, tree->displacement, tree->q_m);
    update_positions(model, tree->q_m, tree->middle);
    update_velocities(model, tree->v_next, tree->middle);
    const double after = kinetic_energy(model, tree->middle, tree->v_next);
    gained += after - before + potential_energy(model, tree->middle, tree->q_m) - held -
              tree->effort.dot(tree->displacement);
    size += before + after;
  }
  if (rows_.size() > 0) {
    VecX w = VecX::Zero(rows_.size());
    rows_.add_product([&](int tree) -> const VecX& { return trees[tree]->now.v; }, w);
    rows_.add_product([&](int tree) -> const VecX& { return trees[tree]->v_next; }, w);
    gained -= 0.5 * solution_.f.dot(w);
  }
  return (braked ? gained : std::abs(gained)) > kMuchDrift * size;
}

/// A segment of the rest of the step and how much of it is certified. Rows hold contacts apart at the ends of a segment,
/// to second order; on a strongly curved path they can come together in between or end too low. Then it is solved again
/// with the forecast of how the path bends, and if that does not help made shorter, where it bends less.
Island::Certified Island::certified_segment() {
  for (NearPair& pair : pairs) pair.bend = 0;
  double s = segment(longest_part(left_), SolveTrace::Length::rest);
  if (!settings_.continuous) return {s, s};
  double sigma = sweep(s);
  if (is_tired()) return {s, sigma};
  const bool low = std::any_of(pairs.begin(), pairs.end(), [&](const NearPair& pair) {
    return pair.has_rows && pair.separation < 0.5 * settings_.standoff;
  });
  for (int cut = 0; cut < kMostCuts && (row_blocked_ || (low && cut == 0)); ++cut) {
    if (cut > 0) {
      const bool deep = sigma < kDeepestCut * s;
      s = segment(deep ? kDeepestCut * s : sigma,
                  deep ? SolveTrace::Length::same : SolveTrace::Length::swept);
    }
    if (forecast_bends(s)) {
      s = segment(s, SolveTrace::Length::same);
      const bool pumps = works_too_much();
      for (NearPair& pair : pairs) pair.bend = 0;
      if (pumps) s = segment(s, SolveTrace::Length::same);
    }
    sigma = sweep(s);
  }
  return {s, sigma};
}

/// What is left of the step is made with semi-implicit Euler's straight paths: one contact problem a sub-step, in which
/// everything that would meet before the end of the step is a row with its gap and lands without a bounce. Every motion is
/// certified as any other.
void Island::hurry() {
  hurries_ = true;
  settings_.integrator = Integrator::semi_implicit_euler;
  report.hurried = 1;
  // Such a step has no derivative, so that there is nothing to tell the tape.
  if (trace) trace->hurried = true;
  trace = nullptr;
}

void Island::advance(const StepMemory& memory) {
  for (NearPair& pair : pairs) {
    pair.on_a = anchor(pair.a);
    pair.on_b = anchor(pair.b);
  }
  IslandTrace* const tape = trace;
  double time = 0;
  // Segments that are short only because something spins count neither as sub-steps nor as work.
  int spun = 0, most = settings_.max_substeps;
  while (h_ - time > kNothingLeft * h_) {
    const bool spent = report.substeps - spun >= most;
    if (spent && hurries_) break;
    if (!hurries_ && (spent || is_tired())) {
      hurry();
      spun = 0;
      most = report.substeps + settings_.max_substeps;
    }
    ++report.substeps;
    update_start();
    left_ = h_ - time;
    forecast_free_motion();
    if (report.substeps == 1 && !hurries_) {
      if (is_crowded(memory)) hurry();
    } else {
      span_ = hurries_ ? left_ : longest_part(h_);
      find_contacts(memory);
    }
    find_limits();
    update_contact_speeds();
    update_limit_speeds();
    record_start();
    if (!hurries_ && collide(time)) {
      update_start();
      forecast_free_motion();
      update_contact_speeds();
      update_limit_speeds();
    }
    const double work_before = work_;
    const auto [s, sigma] = hurries_ ? certified_crowd() : certified_segment();
    if (sigma == s && (halved_ || s == longest_part(left_)) && spun < kMostSpun * settings_.max_substeps) {
      ++spun;
      if (s < left_) work_ = work_before;
    }
    if (settings_.keep_path && sigma > 0) keep_path(time, sigma);
    record_move(sigma);
    const bool levers_change = find_lever_changes(sigma, s);
    move(sigma, s);
    if (levers_change) add_lever_changes();
    time = sigma == h_ - time ? h_ : time + sigma;
  }
  if (h_ - time > kNothingLeft * h_) report.lost_time += (h_ - time) * static_cast<double>(trees.size());
  if (tape) tape->lost_time = report.lost_time;
}

}  // namespace jade
