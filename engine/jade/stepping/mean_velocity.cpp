#include <algorithm>
#include <limits>

#include "jade/stepping/island.h"

/// Forces that depend on velocities act at the mean of those at the start and at the end of a segment. That mean is a fixed
/// point, which is found together with the contact forces of all trees that these join.

namespace jade {
namespace {

constexpr int kMostPasses = 60;
constexpr double kUnmoved = 1e-15;  // of the largest velocity without contact forces: a few roundings
// What velocities of one square bring in accelerations, at most: ratios of the lengths of a mechanism.
constexpr double kMostSquares = 1e4;
constexpr double kNearlySettled =
    1e-9;                         // where friction changes its mind between passes, it need not come closer
constexpr int kPassesInVain = 6;  // in a row, without coming nearer

}  // namespace

/// Iterates the mean velocities of trees and the forces of the rows between them, if there are any, to an end velocity.
bool Island::settle(std::span<MovingTree* const> moving, double s) {
  begin_mean_velocity(moving);
  double change = 0, size = 0, nearest = std::numeric_limits<double>::infinity();
  int in_vain = 0;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (rows_.size() > 0) with_gaps_ = find_forces(with_gaps_, s);
    if (without_load_ && !stays_unloaded()) return without_load_ = false;
    for (MovingTree* tree : moving) tree->v_next = tree->u;
    if (rows_.size() > 0)
      rows_.add_impulses(solution_.f, [&](int tree) -> VecX& { return trees[tree]->v_next; });
    if (settings_.integrator != Integrator::midpoint) return true;
    // By how much the end velocity is another one than that of the mean which the forces are at.
    change = size = 0;
    int first = 0;
    for (const MovingTree* tree : moving) {
      const auto mean = mean_.segment(first, tree->model.nv());
      change = std::max(change, (tree->v_next + tree->now.v - 2 * mean).lpNorm<Eigen::Infinity>());
      size = std::max({size, tree->v_next.lpNorm<Eigen::Infinity>(), tree->now.v.lpNorm<Eigen::Infinity>()});
      first += tree->model.nv();
    }
    if (pass > 0 && change <= kSettledMean * size) return true;
    if (is_tired() && pass > 0) {
      if (trace) trace->hurried = true;
      return true;
    }
    in_vain = change < nearest ? 0 : in_vain + 1;
    nearest = std::min(nearest, change);
    if (in_vain >= kPassesInVain) break;
    if (!knows_of_velocities(moving, s) || !update_free_motion(moving, s)) return true;
  }
  return change <= kNearlySettled * size;
}

/// The search for the mean velocity begins with that of the start, at which the free motion was prepared.
void Island::begin_mean_velocity(std::span<MovingTree* const> moving) {
  int nv = 0;
  for (const MovingTree* tree : moving) nv += tree->model.nv();
  mean_.resize(nv);
  mean_image_.resize(nv);
  int first = 0;
  for (const MovingTree* tree : moving) {
    mean_.segment(first, tree->model.nv()) = tree->now.v;
    first += tree->model.nv();
  }
  mean_search_.begin();
}

/// Whether the free motion depends on the velocities by more than its rounding: it does so by their squares, and that of a
/// single body by those of its spin alone.
bool Island::knows_of_velocities(std::span<MovingTree* const> moving, double s) const {
  double squares = 0, size = 0;
  for (const MovingTree* tree : moving) {
    const int turning = tree->is_single_body() ? 3 : tree->model.nv();
    squares = std::max(
        {squares, tree->now.v.tail(turning).squaredNorm(), tree->v_next.tail(turning).squaredNorm()});
    size = std::max(size, tree->u.lpNorm<Eigen::Infinity>());
  }
  return s * kMostSquares * squares > kUnmoved * size;
}

/// Free motion at another mean velocity, which the passes so far lead to: forces at the mean velocity x lead to the end
/// velocity v⁺, and x = ½ (v + v⁺) is wanted. False when no more than rounding of it has changed: another pass would find
/// what the last one found, as for every body that hardly spins or whose inertia is a ball's.
bool Island::update_free_motion(std::span<MovingTree* const> moving, double s) {
  double change = 0, size = 0;
  int first = 0;
  for (const MovingTree* tree : moving) {
    mean_image_.segment(first, tree->model.nv()) = 0.5 * (tree->now.v + tree->v_next);
    first += tree->model.nv();
  }
  mean_search_.advance(mean_, mean_image_);
  first = 0;
  for (MovingTree* tree : moving) {
    tree->v_bar = mean_.segment(first, tree->model.nv());
    first += tree->model.nv();
    tree->u_before = tree->u;
    free_motion(*tree, s);
    change = std::max(change, (tree->u - tree->u_before).lpNorm<Eigen::Infinity>());
    size = std::max(size, tree->u.lpNorm<Eigen::Infinity>());
  }
  return !(change <= kUnmoved * size);
}

}  // namespace jade
