#include "jade/stepping/island.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/geometry/contact_points.h"
#include "jade/geometry/distance.h"
#include "jade/geometry/time_of_impact.h"

namespace jade {
namespace {

// Beyond this turn a segment is cut: the iteration for the mean velocity is no longer sure to contract.
constexpr double kLargestTurn = 0.5;
/// Names a contact, the same in every step: the pair and the two features.
std::uint64_t contact_key(const NearPair& pair, const ContactPoint& point) {
  return (static_cast<std::uint64_t>(pair.a) << 48) ^ (static_cast<std::uint64_t>(pair.b) << 32) ^
         (static_cast<std::uint64_t>(point.a.id) << 16) ^ static_cast<std::uint64_t>(point.b.id);
}

// How often a segment is made shorter because a contact dips in between its ends, and to which part at most.
constexpr int kMostCuts = 4;
constexpr double kDeepestCut = 0.25;

// Segments that a spin makes short, as a multiple of the allowed sub-steps.
constexpr int kMostSpun = 16;

// What is left of a step below this share of it is rounding.
constexpr double kNothingLeft = 1e-12;

}  // namespace

MovingTree::MovingTree(const Model& whole, int tree)
    : model(whole.tree_alone(tree)),
      q0(whole.links()[whole.trees()[tree].first].q),
      v0(whole.links()[whole.trees()[tree].first].v),
      start(model),
      middle(model) {
  for (VecX* vector :
       {&u, &v_next, &p1, &p2, &tau, &diagonal, &a, &v_bar, &displacement, &effort, &prescribed})
    vector->setZero(model.nv());
  q_m.setZero(model.nq());
  now = {VecX::Zero(model.nq()), VecX::Zero(model.nv())};
}

Island::Island(const CollisionModel& collision, const StepSettings& settings, double h)
    : collision_(collision), settings_(settings), h_(h) {}

Anchor Island::anchor(int shape) const {
  const Anchor& at = collision_.shapes()[shape].anchor;
  return at.tree < 0 ? at : Anchor{slot_of_tree[at.tree], at.link};
}

Transform Island::pose(int shape, bool middle) const {
  const CollisionShape& s = collision_.shapes()[shape];
  const Anchor at = anchor(shape);
  if (at.tree < 0) return s.X_LS;
  const DynamicsWorkspace& work = middle ? trees[at.tree]->middle : trees[at.tree]->start;
  return Transform{work.R[at.link], work.origin[0] + work.r[at.link]} * s.X_LS;
}

Vec3 Island::relative_velocity(const LiveContact& contact, bool middle) const {
  const FeatureContact& at = middle ? contact.middle : contact.now;
  const Vec3 p = 0.5 * (at.p_A + at.p_B);
  const auto velocity = [&](int shape) -> Vec3 {
    const Anchor on = anchor(shape);
    if (on.tree < 0) return Vec3::Zero();
    const DynamicsWorkspace& work = middle ? trees[on.tree]->middle : trees[on.tree]->start;
    const Vec6& V = work.V[on.link];
    return V.tail<3>() + cross3(V.head<3>(), Vec3(p - work.origin[0]));
  };
  return velocity(pairs[contact.pair].b) - velocity(pairs[contact.pair].a);
}

void Island::update_start() {
  for (MovingTree* tree : trees) {
    update_positions(tree->model, tree->now.q, tree->start);
    update_velocities(tree->model, tree->now.v, tree->start);
  }
}

/// All contacts that may become rows: those within reach of one segment of acceleration, with a margin of two.
void Island::find_contacts(const StepMemory& memory) {
  double fastest = 0;
  for (const int shape : shapes) {
    const Anchor on = anchor(shape);
    if (on.tree < 0) continue;
    const MovingTree& tree = *trees[on.tree];
    const Vec6 A = motion_of_link(tree.model, tree.start, on.link, tree.a);
    const CollisionShape& s = collision_.shapes()[shape];
    const Vec3 arm = tree.start.r[on.link] + tree.start.R[on.link] * s.centre_L;
    const Vec3 spin = A.head<3>();
    fastest = std::max(fastest, (A.tail<3>() + cross3(spin, arm)).norm() + spin.norm() * s.reach);
  }
  // Two shapes of an island pull at most twice as much at each other.
  const double reach = 2 * settings_.standoff + 4 * span_ * span_ * fastest;

  boxes_.resize(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const FixedPose fixed(pose(shapes[i], false));
    boxes_[i] = swept_bounds({collision_.shapes()[shapes[i]].geometry, fixed}, 0).grown(0.5 * reach);
  }

  std::vector<LiveContact> before;
  std::swap(before, contacts);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    NearPair& pair = pairs[k];
    pair.has_rows = false;
    if (!boxes_[pair.slot_a].overlaps(boxes_[pair.slot_b])) {
      pair.separation = std::numeric_limits<double>::infinity();  // farther than any length that matters here
      continue;
    }
    const Transform X_WA = pose(pair.a, false), X_WB = pose(pair.b, false);
    const PlacedShape a{collision_.shapes()[pair.a].geometry, X_WA},
        b{collision_.shapes()[pair.b].geometry, X_WB};
    points_.clear();
    finder_.find(a, b, reach, points_, pair.direction);
    const DistanceResult& gap = finder_.distance();
    if (!gap.separated) throw Intersection{pair.a, pair.b, -gap.distance};
    pair.separation = gap.lower_bound;
    pair.direction = gap.normal;
    report.smallest_clearance = std::min(report.smallest_clearance, gap.lower_bound);
    for (const ContactPoint& point : points_) {
      LiveContact contact;
      contact.pair = static_cast<int>(k);
      contact.a = point.a;
      contact.b = point.b;
      contact.now = point.at;
      contact.key = contact_key(pair, point);
      contacts.push_back(contact);
    }
  }
  std::sort(contacts.begin(), contacts.end(), [](const auto& x, const auto& y) { return x.key < y.key; });
  recall_classes(before, memory);
}

/// Classes from the segment before, else from the step before.
void Island::recall_classes(const std::vector<LiveContact>& before, const StepMemory& memory) {
  const auto less = [](const auto& c, std::uint64_t key) { return c.key < key; };
  for (LiveContact& contact : contacts) {
    const auto old = std::lower_bound(before.begin(), before.end(), contact.key, less);
    if (old != before.end() && old->key == contact.key) {
      contact.classes = old->classes;
      contact.was_row = old->first_row >= 0;
      continue;
    }
    const auto kept = std::lower_bound(memory.contacts.begin(), memory.contacts.end(), contact.key, less);
    if (kept != memory.contacts.end() && kept->key == contact.key) contact.classes = kept->classes;
  }
}

void Island::move(double sigma, double s) {
  for (MovingTree* tree : trees) {
    tree->displacement = sigma * tree->p1 + (0.5 * sigma * sigma) * tree->p2;
    integrate(tree->model, VecX(tree->now.q), tree->displacement, tree->now.q);
    tree->now.v += (sigma / s) * (tree->v_next - tree->now.v);
  }
}

double Island::longest_part(double left) const {
  double fastest = 0;
  for (const MovingTree* tree : trees)
    for (const Vec6& V : tree->start.V) fastest = std::max(fastest, V.head<3>().squaredNorm());
  const double turn = left * std::sqrt(fastest);
  return turn <= kLargestTurn ? left : left / std::ceil(turn / kLargestTurn);
}

/// A segment of the rest of the step and how much of it is certified. Rows hold contacts apart at the ends of a segment,
/// to second order; on a strongly curved path they can come together in between or end too low. Then it is solved again
/// with the forecast of how the path bends, and if that does not help made shorter, where it bends less.
Island::Certified Island::certified_segment() {
  for (NearPair& pair : pairs) pair.bend = 0;
  double s = segment(longest_part(left_), SolveTrace::Length::rest);
  if (!settings_.continuous) return {s, s};
  double sigma = sweep(s);
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

void Island::advance(const StepMemory& memory) {
  double time = 0;
  // Segments that are short only because something spins do not count against the limit of sub-steps.
  int spun = 0;
  while (report.substeps - spun < settings_.max_substeps && h_ - time > kNothingLeft * h_) {
    ++report.substeps;
    update_start();
    free_acceleration();
    left_ = h_ - time;
    span_ = longest_part(h_);
    find_contacts(memory);
    update_contact_speeds();
    record_start();
    if (collide(time)) {
      update_start();
      free_acceleration();
      update_contact_speeds();
    }
    const auto [s, sigma] = certified_segment();
    if (sigma == s && (halved_ || s == longest_part(left_)) && spun < kMostSpun * settings_.max_substeps)
      ++spun;
    record_move(sigma);
    move(sigma, s);
    time = sigma == h_ - time ? h_ : time + sigma;
  }
  if (h_ - time > kNothingLeft * h_) report.lost_time += (h_ - time) * static_cast<double>(trees.size());
  if (trace) trace->lost_time = report.lost_time;
}

}  // namespace jade
