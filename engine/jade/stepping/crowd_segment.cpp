#include <algorithm>
#include <cmath>

#include "jade/math/rotation.h"
#include "jade/stepping/crowd.h"
#include "jade/stepping/island.h"

namespace jade {
namespace {

// Two convex shapes that press flat on each other have no more contacts than this, as a rule: islands with too few pairs
// for a crowd are not looked at twice.
constexpr int kContactsOfAPair = 8;

// How often the rows of a sub-step are amended by what its paths run into, before it is cut there.
constexpr int kMostRounds = 6;

// Sweeps over all contacts in one solution. A heap at rest needs few, because it begins with the forces of the step before.
constexpr int kMostSweeps = 400;

// The law of stepping without loss: standoff − clearance ≥ 2 h × residual. A part of that, so that what rests does not creep.
constexpr double kResidualShare = 5e-3;

// Velocities below this multiple of the residual's tolerance are not decided by the contacts: those of a body that stands on a
// narrow base are as much larger than what its contacts show as it is wider.
constexpr double kRest = 16;

// What has been a crowd stays one as long as it has more contacts than this, two boxes on each other: a heap does not change
// its laws with every contact that comes or goes.
constexpr int kLeastCrowd = 8;

// Share of the room between standoff and clearance that curved paths may take.
constexpr double kMuchBend = 0.02;

// A motion that is stopped before this part of it has got nowhere.
constexpr double kStalled = 1e-2;

// Newton's steps for the spin of a segment, and the change of it that is rounding.
constexpr int kMostSpinSteps = 30;
constexpr double kSpinSettled = 1e-14;

}  // namespace

void Island::measure_speeds() {
  speeds_.resize(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Anchor on = anchor(shapes[i]);
    speeds_[i] = {};
    if (on.tree < 0) continue;
    const DynamicsWorkspace& work = trees[on.tree]->start;
    const CollisionShape& shape = collision_.shapes()[shapes[i]];
    const Vec3 arm = work.r[on.link] + work.R[on.link] * shape.centre_L, turn = work.V[on.link].head<3>();
    speeds_[i] = {work.V[on.link].tail<3>() + cross3(turn, arm), turn.norm() * shape.reach};
  }
}

/// Whether most of the contacts that the step before left were iterated, and still enough of them.
bool Island::was_crowded(const StepMemory& memory) const {
  int known = 0, iterated = 0;
  const auto less = [](const StepMemory::Contact& c, std::uint64_t key) { return c.key < key; };
  auto c = memory.contacts.begin();
  for (const NearPair& pair : pairs) {
    const std::uint64_t first = contact_key(pair, 0, 0), beyond = first + (std::uint64_t{1} << 32);
    if (c != memory.contacts.end() && c->key < first)
      c = std::lower_bound(c, memory.contacts.end(), first, less);
    for (; c != memory.contacts.end() && c->key < beyond; ++c) {
      ++known;
      iterated += c->iterated;
    }
  }
  return 2 * iterated > known && known > kLeastCrowd;
}

/// Finds the contacts of the first sub-step. True: they are too many for an exact solution, and have been found as a hurry
/// wants them.
bool Island::is_crowded(const StepMemory& memory) {
  const bool stays = was_crowded(memory);
  const auto find_few = [&] {
    span_ = longest_part(h_);
    contacts.clear();
    find_contacts(memory);
  };
  if (!stays) {
    find_few();
    if (static_cast<int>(pairs.size()) * kContactsOfAPair <= settings_.crowd) return false;
    // Where nothing spins they are all that is counted below.
    if (span_ == left_ && static_cast<int>(contacts.size()) <= settings_.crowd) return false;
    contacts.clear();
  }
  hurries_ = true;
  span_ = left_;
  find_contacts(memory);
  const auto near = std::count_if(contacts.begin(), contacts.end(), [&](const LiveContact& contact) {
    return contact.now.gap <= 2 * settings_.standoff + pulled_;
  });
  if (stays || near > settings_.crowd) return true;
  hurries_ = false;
  find_few();
  return false;
}

void Island::add_crowd_rows(CrowdTask task, double s) {
  crowd_.clear();
  for (MovingTree* tree : trees) {
    if (task == CrowdTask::lift) tree->displacement.setZero();
    const VecX& velocity = task == CrowdTask::segment   ? tree->u
                           : task == CrowdTask::landing ? tree->now.v
                                                        : tree->displacement;
    crowd_.add_tree({&tree->model, &tree->middle}, velocity);
  }
  int block = 0;
  for (const int c : row_contacts_) {
    LiveContact& contact = contacts[c];
    const NearPair& pair = pairs[contact.pair];
    contact.first_row = block++;
    contact.rows = 3;
    const Vec3& n = contact.now.normal;
    contact.directions = {n, n.unitOrthogonal(), Vec3::Zero()};
    contact.directions[2] = cross3(n, contact.directions[1]);
    Vec3 guess = Vec3::Zero();
    for (int r = 0; task == CrowdTask::segment && r < 3; ++r)
      guess[r] = s * contact.directions[r].dot(contact.force);
    if (guess[0] <= 0) guess.setZero();
    const double bias = task == CrowdTask::segment   ? closing(contact).bias(horizon(s)) + contact.bend / s
                        : task == CrowdTask::landing ? 0
                                                     : contact.now.gap - settings_.standoff;
    crowd_.add_contact({.a = pair.on_a,
                        .b = pair.on_b,
                        .point = 0.5 * (contact.now.p_A + contact.now.p_B),
                        .directions = contact.directions.data(),
                        .friction = task == CrowdTask::lift ? 0 : pair.friction,
                        .bias = bias,
                        .impulse = guess});
  }
  for (const int l : row_limits_) {
    LiveLimit& live = limits[l];
    live.row = block++;
    const double bias = task == CrowdTask::segment ? live.closing.bias(horizon(s)) : 0;
    crowd_.add_limit(live.tree, live.limit.velocity, live.limit.sign(), bias, 0);
  }
}

/// The spin of a single body at the end of a segment of length s without contacts. Turning by exp(s ω⁺) with constant ω⁺ it
/// keeps its angular momentum L, that of the start and what efforts add, where
///   exp(s ω⁺) I exp(−s ω⁺) ω⁺ = L,  that is  I ω⁺ = exp(−s ω⁺) L,  I: inertia at the start, world axes.
/// Its energy at the end is ½ ω⁺ · I ω⁺, and as ω⁺ · I ω⁺ = ω⁺ · L it is no more than ½ L · I⁻¹ L: none is gained, whatever
/// the length. The explicit rule ω⁺ = ω + s I⁻¹ (τ − ω × I ω) gains ½ s² |ω × I ω|² in the metric of I⁻¹, always; a plate at
/// 100 rad/s doubles its energy in some ten steps. The same I is the metric of the contact forces, which therefore cannot
/// undo it.
void Island::keep_spin(MovingTree& tree, double s) const {
  const RigidInertia& inertia = tree.middle.inertia[0];
  if (tree.model.links()[0].prescribed || !inertia.h.isZero(0) || !tree.model.armature().isZero(0)) return;
  const Mat3 I = inertia.J.matrix();
  const Vec3 spin = tree.now.v.tail<3>();
  const Vec3 L = I * tree.u.tail<3>() + s * cross3(spin, I * spin);
  Vec3 next = spin;
  for (int k = 0; k < kMostSpinSteps; ++k) {
    const Vec3 turned = rotation_exp(-s * next) * L;
    // d(exp(−s ω) L) = s [exp(−s ω) L] J dω with J near one for the turns that a segment makes.
    const Vec3 change = (I - s * skew(turned)).partialPivLu().solve(turned - I * next);
    next += change;
    if (change.squaredNorm() <= kSpinSettled * kSpinSettled * next.squaredNorm()) break;
  }
  tree.u.tail<3>() = next;
  tree.v_next = tree.u;
}

/// The same for a mechanism, without the guarantee: forces at the mean velocity instead of that of the start. What explicit
/// Coriolis forces gain in every segment, ½ s² |C v|² in the metric of M⁻¹, is gone; what is left has no sign.
void Island::use_mean_velocity(MovingTree& tree, double s) {
  for (int k = 0; k < kMostSpinSteps; ++k) {
    tree.v_bar = 0.5 * (tree.now.v + tree.u);
    tree.u_before = tree.u;
    free_motion(tree, s);
    const double change = (tree.u - tree.u_before).lpNorm<Eigen::Infinity>();
    if (change <= kSpinSettled * tree.u.lpNorm<Eigen::Infinity>()) break;
  }
  tree.v_next = tree.u;
}

/// Forces and velocities of a segment of length s on straight paths: every contact that can close before its end is a row
/// with its gap. Motion that is slower than what the iteration leaves undecided is rest: what lies still stays where it is,
/// and the next step finds its forces as good as this one left them.
void Island::solve_crowd(double s) {
  choose_rows(s);
  const double tolerance = kResidualShare * (settings_.standoff - settings_.clearance) / (2 * h_);
  find_crowd_velocities(CrowdTask::segment, s, tolerance);
  for (MovingTree* tree : trees)
    if (tree->v_next.lpNorm<Eigen::Infinity>() <= kRest * tolerance) tree->v_next.setZero();
  finish_crowd(s);
}

/// Into v_next.
void Island::find_crowd_velocities(CrowdTask task, double s, double tolerance) {
  add_crowd_rows(task, s);
  const Crowd::Outcome outcome = crowd_.solve({.tolerance = tolerance, .most_iterations = kMostSweeps});
  report.iterations += outcome.iterations;
  if (task != CrowdTask::lift) report.iterated_to = std::max(report.iterated_to, outcome.residual);
  for (std::size_t t = 0; t < trees.size(); ++t) crowd_.get(static_cast<int>(t), trees[t]->v_next);
}

void Island::finish_crowd(double s) {
  set_paths(s);
  for (const int c : row_contacts_) {
    LiveContact& contact = contacts[c];
    const Vec3& f = crowd_.impulse(contact.first_row);
    contact.impulse.setZero();
    for (int r = 0; r < 3; ++r) contact.impulse += f[r] * contact.directions[r];
    contact.force = contact.impulse / s;
    const bool carries = f[0] > 0;
    const RowClass across = !carries                           ? RowClass::separate
                            : crowd_.sticks(contact.first_row) ? RowClass::stick
                                                               : RowClass::high;
    contact.classes = {carries ? RowClass::clamped : RowClass::separate, across, across};
  }
  for (const int l : row_limits_) {
    limits[l].impulse = crowd_.impulse(limits[l].row)[0];
    limits[l].row_class = limits[l].impulse > 0 ? RowClass::clamped : RowClass::separate;
  }
}

/// New rows where a pair is stopped on its way: the features that meet there, as they are seen from the start.
bool Island::add_landings(NearPair& pair, const TimeOfImpactResult& toi, double s) {
  const Transform X_WA = motion_of(paths_[pair.slot_a]).at(toi.time).X,
                  X_WB = motion_of(paths_[pair.slot_b]).at(toi.time).X;
  const PlacedShape a{collision_.shapes()[pair.a].geometry, X_WA},
      b{collision_.shapes()[pair.b].geometry, X_WB};
  const ShapeSpeed &u = speeds_[pair.slot_a], &v = speeds_[pair.slot_b];
  const double reach =
      2 * settings_.standoff + (s - toi.time) * ((u.velocity - v.velocity).norm() + u.turning + v.turning);
  points_.clear();
  finder_.find(a, b, reach, points_, toi.normal);
  const int number = static_cast<int>(&pair - pairs.data());
  bool found = false;
  for (const ContactPoint& point : points_) {
    const std::uint64_t key = contact_key(pair, point.a.id, point.b.id);
    const auto same = std::find_if(contacts.begin(), contacts.end(),
                                   [&](const LiveContact& c) { return c.pair == number && c.key == key; });
    if (same != contacts.end()) {
      found = found || (same->first_row < 0 && !same->lands);
      same->lands = true;
      continue;
    }
    const FeatureContact now =
        closest_points(point.a, placed(pair.a, false), point.b, placed(pair.b, false), point.at.normal);
    // Features that do not face each other from the start on forecast nothing.
    if (!(now.gap > 0) || now.normal.dot(point.at.normal) <= 0.5) continue;
    LiveContact& contact = contacts.emplace_back(number, key, point);
    contact.now = now;
    contact.lands = true;
    found = true;
  }
  return found;
}

/// Rows are linear: what turns ends lower than they forecast. Where that is why a pair was stopped, its rows are told.
bool Island::bend_rows(int number, double s) {
  const NearPair& pair = pairs[number];
  const Transform X_WA = motion_of(paths_[pair.slot_a]).at(s).X,
                  X_WB = motion_of(paths_[pair.slot_b]).at(s).X;
  const double room = settings_.standoff - settings_.clearance;
  bool found = false;
  for (LiveContact& contact : contacts) {
    if (contact.pair != number || contact.first_row < 0) continue;
    const Vec3 w = crowd_.velocity(contact.first_row);
    const double excess = contact.now.gap - settings_.standoff;
    // w holds the bias: s w_n is what is left above the standoff at the end, as the row was told.
    const double forecast = settings_.standoff + s * w[0];
    const double end = closest_points(contact.a, X_WA, contact.b, X_WB, contact.now.normal).gap;
    if (end >= settings_.standoff || end - forecast > -kMuchBend * room) continue;
    const double bend = std::max(contact.bend + (end - forecast), std::min(0.0, -excess) - room);
    found = found || bend < contact.bend - kMuchBend * room;
    contact.bend = bend;
  }
  return found;
}

/// False when nothing can be done about the pairs that the sweep was stopped by.
bool Island::heed_blocks(double s) {
  bool found = false;
  for (const Block& block : blocked_) {
    found = bend_rows(block.pair, s) || found;
    found = add_landings(pairs[block.pair], block.at, s) || found;
  }
  std::sort(contacts.begin(), contacts.end(),
            [](const LiveContact& x, const LiveContact& y) { return x.key < y.key; });
  return found;
}

/// Everything that would land within a segment of length s lands at its start, in an impact without a bounce.
void Island::land_all(double s) {
  choose_rows(s);
  find_crowd_velocities(CrowdTask::landing, s,
                        kResidualShare * (settings_.standoff - settings_.clearance) / (2 * h_));
  for (MovingTree* tree : trees) tree->now.v = tree->v_next;
}

/// Moves what is nearer than the standoff back to it, in no time and by no more than that, and the sweep sees to it that
/// nothing comes too near by it. Velocities stay, but for the spin that keeps the angular momentum.
void Island::lift() {
  std::erase_if(row_contacts_, [&](int c) { return contacts[c].now.gap >= settings_.standoff; });
  find_crowd_velocities(CrowdTask::lift, 1, kResidualShare * settings_.standoff);
  for (MovingTree* tree : trees) {
    tree->p1 = tree->v_next;
    tree->p2.setZero();
    tree->v_next = tree->now.v;
  }
  const double sigma = sweep(1);
  find_couples(sigma);
  move(sigma, 1);
  add_lever_changes();
}

/// A segment of a crowd and how much of it is certified. What its paths run into becomes a row, so that one that bodies
/// rain into is not cut at every one of their landings. Where that gets nowhere the sub-step is an impact instead: a cylinder
/// that falls flat is a case for it. Its lowest point runs around its rim however short the segment, forces that act over a
/// segment that is stopped at once do not change its velocity, and near the clearance it has no room to move in.
Island::Certified Island::certified_crowd() {
  const double s = longest_part(left_);
  prepare_middle(s);
  for (MovingTree* tree : trees) {
    if (tree->is_single_body())
      keep_spin(*tree, s);
    else
      use_mean_velocity(*tree, s);
  }
  double sigma = 0;
  for (int round = 0; round <= kMostRounds; ++round) {
    solve_crowd(s);
    sigma = settings_.continuous ? sweep(s) : s;
    if (blocked_.empty() || round == kMostRounds || !heed_blocks(s)) break;
    update_contact_speeds();
  }
  if (sigma < kStalled * s) {
    land_all(s);
    lift();
    return {s, 0};
  }
  return {s, sigma};
}

}  // namespace jade
