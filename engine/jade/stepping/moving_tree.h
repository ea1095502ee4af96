#pragma once

#include <cstdint>
#include <vector>

#include "jade/contact/collision_model.h"
#include "jade/dynamics/workspace.h"
#include "jade/model/model.h"

namespace jade {

/// A position limit of one coordinate; angles, distances and screws alike.
struct CoordinateLimit {
  int joint = -1, coordinate = -1;  ///< of the whole model: which joint, and which of its coordinates
  bool upper = false;
  double value = 0;  ///< of the coordinate at the limit
  double restitution = 0;
  int position = -1, velocity = -1;  ///< the coordinate within its tree
  std::uint64_t key = 0;             ///< as in StepMemory

  double sign() const { return upper ? -1 : 1; }  ///< of the coordinate's way into its range
};

/// The finite limits of a tree, by coordinate, lower before upper.
std::vector<CoordinateLimit> limits_of(const Model& whole, int tree);

/// A tree of links on its way through a step.
struct MovingTree {
  MovingTree(const Model& whole, int tree);

  /// Whether it is a single body that nothing holds.
  bool is_single_body() const {
    return model.links().size() == 1 && model.links()[0].motion == LinkMotion::free;
  }

  /// X_WS of a shape on one of its links, from kinematics of the tree.
  static Transform placed(const CollisionShape& shape, const DynamicsWorkspace& at) {
    const int link = shape.anchor.link;
    return shape.placed(at.R[link], at.origin[0] + at.r[link]);
  }

  int number = 0;      ///< among the trees of the whole model
  Model model;         ///< the tree alone
  int q0 = 0, v0 = 0;  ///< where its numbers stand in the whole state
  DynamicsWorkspace start,
      middle;                 ///< kinematics at the start (inertias when asked for) and middle of the segment
  State now;                  ///< at the start of the segment
  bool start_is_now = false;  ///< `start` holds the kinematics of `now` already
  std::vector<CoordinateLimit> limits;
  VecX effort, prescribed;  ///< of the step

  // One segment of length s: the path q ⊕ (σ p1 + ½ σ² p2), the velocity v + σ/s (v⁺ − v).
  VecX q_m, u, u_first, u_before, v_next, p1, p2;
  VecX tau, diagonal, a, v_bar, displacement;
  VecX lever_change;  ///< of velocities where the segment is cut

  std::vector<Vec6> link_a;  ///< per link: what the accelerations `a` bring, about the tree's origin

  // Kinematics on that path, for the sweep.
  bool starts_at_v = false;  ///< p1 = now.v: at σ = 0 `start` holds them
  double on_path_at = -1;    ///< σ of those in `on_path`; negative: not worked out yet
  DynamicsWorkspace on_path;
  VecX path_q, path_rates, path_displacement;
  struct Rates {
    double turn = 0, shift = 0;  ///< largest |rate| on the path: of rotations and of translations
    double turn_change = 0, shift_change = 0;  ///< its constant derivative
    /// Accelerations of a point at distance x in the frame of the link: at most rest + by_x · x.
    double by_x = 0, by_v = 0, rest = 0;
  };
  std::vector<Rates> path_bounds;  ///< per link, of its own joint
};

}  // namespace jade
