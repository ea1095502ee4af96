#include <Eigen/LU>

#include "jade/dynamics/forward_dynamics.h"
#include "jade/stepping/island.h"

/// Where a segment of length s with contact forces is cut at σ it has the share σ/s of each impulse, but with the levers of
/// the whole. Angular momentum of free bodies that slide past each other would change by that at every hit:
///   midpoint   −½ σ (1 − σ/s) (v_b − v_a) × F,   straight paths of a hurry   −σ (1 − σ/s) (v⁺_b − v⁺_a) × F
///   F  impulse of all contacts of a pair over the whole segment, on b (−F on a)
/// What is given back here is exactly that. Solving again with the length σ would have the right levers too, but finds
/// another σ, and costs a problem and a sweep each time.
/// One F for a pair: how contacts of a face share what holds it is arbitrary, and must not turn anything.
/// Bodies of mechanisms keep their angular momentum to the order of the scheme only, and are left alone.

namespace jade {
namespace {

struct Force : Vec3 {
  Force() : Vec3(Vec3::Zero()) {}
};

}  // namespace

/// Adds up `visit` over the contacts of each pair, which follow each other in row_contacts_, and hands on the sum.
template <class Sum, class Visit, class Use>
void Island::for_each_pair_with_rows(Visit&& visit, Use&& use) const {
  for (std::size_t i = 0; i < row_contacts_.size();) {
    const int pair = contacts[row_contacts_[i]].pair;
    Sum sum;
    for (; i < row_contacts_.size() && contacts[row_contacts_[i]].pair == pair; ++i)
      visit(contacts[row_contacts_[i]], sum);
    use(pairs[pair], sum);
  }
}

/// What the velocities of bodies change by where a segment is cut; false: nothing.
bool Island::find_lever_changes(double sigma, double s) {
  if (sigma == 0 || sigma == s || row_contacts_.empty()) return false;
  const double part = sigma / s;
  if (settings_.integrator == Integrator::midpoint)
    find_moments_of_levers(part, s);
  else if (hurries_)
    find_couples(sigma * (1 - part));
  else
    return false;
  return true;
}

void Island::add_lever_changes() {
  for (MovingTree* tree : trees) tree->now.v += tree->lever_change;
}

/// The tree that a contact with the lowest point of a rim moves with: the free body of the rim, or else the other one; −1: it
/// stays where it is. Nothing: no such contact.
std::optional<int> Island::carrier(const LiveContact& contact) const {
  const NearPair& pair = pairs[contact.pair];
  const bool on_a = is_lowest_of_rim(contact.a, collision_.shapes()[pair.a].geometry);
  if (!on_a && !is_lowest_of_rim(contact.b, collision_.shapes()[pair.b].geometry)) return std::nullopt;
  const int rim = on_a ? pair.on_a.tree : pair.on_b.tree, other = on_a ? pair.on_b.tree : pair.on_a.tree;
  if (rim < 0 || trees[rim]->is_single_body()) return rim;
  return other >= 0 && trees[other]->is_single_body() ? other : -1;
}

///   σ/s (1 − σ/s) z,   M̃ z = (0; ± F × a),   a = (c_m − c) − ½ s v
///   c  middle of a pair's contacts at the start, c_m at the middle of the segment; v of the body
/// A lever moves by a within ½ s: at the middle of the part it is shorter by (1 − σ/s) a. The lowest point of a rim is taken to
/// move with its body: where that lies nearly flat it runs around the rim within a segment, and says nothing about a part.
void Island::find_moments_of_levers(double part, double s) {
  for (MovingTree* tree : trees) tree->lever_change.setZero();
  struct Sum {
    Vec3 F = Vec3::Zero(), travel = Vec3::Zero();
    int count = 0;
  };
  const auto visit = [&](const LiveContact& contact, Sum& sum) {
    sum.F += contact.impulse;
    ++sum.count;
    const std::optional<int> with = carrier(contact);
    if (with.value_or(-1) >= 0) sum.travel += (0.5 * s) * trees[*with]->now.v.head<3>();
    if (!with) sum.travel += acting_point(contact, contact.middle) - acting_point(contact, contact.now);
  };
  for_each_pair_with_rows<Sum>(visit, [&](const NearPair& pair, const Sum& sum) {
    const auto turn = [&](const Anchor& on, double sign) {
      if (on.tree < 0 || !trees[on.tree]->is_single_body()) return;
      MovingTree& tree = *trees[on.tree];
      const Vec3 a = sum.travel / sum.count - (0.5 * s) * tree.now.v.head<3>();
      tree.lever_change.tail<3>() += sign * sum.F.cross(a);
    };
    turn(pair.on_a, -1);
    turn(pair.on_b, 1);
  });
  for (MovingTree* tree : trees) {
    if (!tree->is_single_body()) continue;
    solve_articulated(tree->model, tree->middle, tree->lever_change, tree->lever_change);
    tree->lever_change *= part * (1 - part);
  }
}

/// In a hurry both bodies of a pair get the same spin, so that a small one is not whirled about by a large one:
///   (I_a + I_b) Δω = scale (v⁺_b − v⁺_a) × F
void Island::find_couples(double scale) {
  for (MovingTree* tree : trees) tree->lever_change.setZero();
  const auto visit = [&](const LiveContact& contact, Vec3& F) {
    const Vec3& f = crowd_.impulse(contact.first_row);
    for (int r = 0; r < 3; ++r) F += f[r] * contact.directions[r];
  };
  for_each_pair_with_rows<Force>(visit, [&](const NearPair& pair, const Vec3& F) {
    if (pair.on_a.tree < 0 || pair.on_b.tree < 0) return;
    MovingTree &a = *trees[pair.on_a.tree], &b = *trees[pair.on_b.tree];
    if (!a.is_single_body() || !b.is_single_body()) return;
    const Vec3 passing = b.v_next.head<3>() - a.v_next.head<3>();
    const Mat3 inertia = a.middle.inertia[0].J.matrix() + b.middle.inertia[0].J.matrix();
    const Vec3 turn = inertia.inverse() * (scale * passing.cross(F));
    a.lever_change.tail<3>() += turn;
    b.lever_change.tail<3>() += turn;
  });
}

}  // namespace jade
