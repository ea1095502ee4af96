#include "jade/stepping/link_path.h"

#include <algorithm>
#include <cmath>

#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

/// The largest rates of every joint on the path, shared by all shapes of the tree.
void bound_rates(MovingTree& tree, double s) {
  const auto fastest = [&](int first, int count) {
    const auto begin = tree.p1.segment(first, count), change = tree.p2.segment(first, count);
    return std::sqrt(std::max(begin.squaredNorm(), (begin + s * change).squaredNorm()));
  };
  for (std::size_t i = 0; i < tree.model.links().size(); ++i) {
    const Link& link = tree.model.links()[i];
    MovingTree::Rates& rates = tree.path_bounds[i];
    const bool free = link.motion == LinkMotion::free;
    rates.turn = fastest(free ? link.v + 3 : link.v, free ? 3 : link.nv);
    rates.turn_change = tree.p2.segment(free ? link.v + 3 : link.v, free ? 3 : link.nv).norm();
    rates.shift = free ? fastest(link.v, 3) : rates.turn;
    rates.shift_change = free ? tree.p2.segment(link.v, 3).norm() : rates.turn_change;
    // Angular acceleration on an exponential, as in RigidMotion.
    if (free || link.motion == LinkMotion::ball)
      rates.turn_change += 0.5 * s * rates.turn * rates.turn_change * (1 + 0.25 * s * rates.turn);
  }
}

/// How unsteadily the points of a link move over 0 … s at most, from bounds on x, ẋ, ẍ in its frame. Going through its
/// joint towards the world, with rates ω (angular), u (linear) and their derivatives bounded:
///   rotation     ẍ ≤ ẍ + 2 ω ẋ + (ω² + ω̇) x,   ẋ ≤ ẋ + ω x
///   translation  ẍ ≤ ẍ + u̇,   ẋ ≤ ẋ + u,   x ≤ x + the farthest it has gone
/// All of it is linear: ẍ in the world is at most rest + by_x x + by_v ẋ + ẍ. What the parent makes of its own frame is
/// known, so the joint's maps are put before it, the last one first.
void bound_accelerations(MovingTree& tree, double s) {
  const auto& links = tree.model.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    MovingTree::Rates& bound = tree.path_bounds[i];
    double by_x = 0, by_v = 0, rest = 0;
    if (link.parent >= 0) {
      const MovingTree::Rates& parent = tree.path_bounds[link.parent];
      by_x = parent.by_x, by_v = parent.by_v, rest = parent.rest;
    }
    const auto shift = [&](double farthest, double share) {
      rest += by_x * farthest + by_v * share * bound.shift + share * bound.shift_change;
    };
    const auto turn = [&] {
      by_x += by_v * bound.turn + bound.turn * bound.turn + bound.turn_change;
      by_v += 2 * bound.turn;
    };
    rest += by_x * link.X_PJ.p.norm();
    switch (link.motion) {
      case LinkMotion::revolute:
      case LinkMotion::ball:
        turn();
        break;
      case LinkMotion::prismatic:
        shift(std::abs(tree.now.q[link.q]) + s * bound.shift, 1);
        break;
      case LinkMotion::screw: {
        const double pitch = std::abs(link.pitch);
        shift(pitch * (std::abs(tree.now.q[link.q]) + s * bound.shift), pitch);
        turn();
        break;
      }
      case LinkMotion::free:
        shift(0, 1);
        turn();
        rest += by_x * link.reference_L.norm();
        break;
    }
    bound.by_x = by_x, bound.by_v = by_v, bound.rest = rest;
  }
}

/// Positions and velocities of all links at time σ of the path.
void update_on_path(MovingTree& tree, double sigma) {
  tree.on_path_at = sigma;
  if (sigma == 0) {
    // Where it starts is known; only its rates may be others.
    tree.on_path.origin = tree.start.origin;
    tree.on_path.R = tree.start.R;
    tree.on_path.r = tree.start.r;
    tree.on_path.S = tree.start.S;
    update_velocities(tree.model, tree.p1, tree.on_path);
    return;
  }
  tree.path_displacement = sigma * tree.p1 + (0.5 * sigma * sigma) * tree.p2;
  integrate(tree.model, tree.now.q, tree.path_displacement, tree.path_q);
  tree.path_rates = tree.p1 + sigma * tree.p2;
  // Rotations on an exponential turn at J_l(θ) θ̇.
  const Link& base = tree.model.links().front();
  for (const Link& link : tree.model.links()) {
    if (link.motion != LinkMotion::ball && link.motion != LinkMotion::free) continue;
    const int k = link.motion == LinkMotion::free ? base.v + 3 : link.v;
    tree.path_rates.segment<3>(k) =
        rotation_left_jacobian(tree.path_displacement.segment<3>(k)) * Vec3(tree.path_rates.segment<3>(k));
  }
  update_poses(tree.model, tree.path_q, tree.on_path);
  update_velocities(tree.model, tree.path_rates, tree.on_path);
}

}  // namespace

LinkPath::LinkPath(const CollisionShape& shape, MovingTree& tree, const Transform& X_WS)
    : shape_(&shape), start_(&X_WS), tree_(&tree) {
  const MovingTree::Rates& bound = tree.path_bounds[shape.anchor.link];
  acceleration_ = bound.rest + bound.by_x * (shape.centre_L.norm() + shape.reach);
}

MotionSample LinkPath::at(double sigma) const {
  const bool known = sigma == 0 && tree_->starts_at_v;
  if (!known && tree_->on_path_at != sigma) update_on_path(*tree_, sigma);
  const DynamicsWorkspace& work = known ? tree_->start : tree_->on_path;
  const Vec6& V = work.V[shape_->anchor.link];
  MotionSample sample;
  sample.X = sigma == 0 ? *start_ : MovingTree::placed(*shape_, work);
  sample.omega = V.head<3>();
  sample.v = V.tail<3>() + cross3(sample.omega, Vec3(sample.X.p - work.origin[0]));
  return sample;
}

void begin_paths(MovingTree& tree, double s) {
  tree.on_path_at = -1;
  if (tree.is_single_body()) return;
  tree.starts_at_v = tree.p1 == tree.now.v;
  bound_rates(tree, s);
  bound_accelerations(tree, s);
}

void add_path(const CollisionShape& shape, MovingTree* tree, const Transform& X_WS, double s,
              std::vector<ShapePath>& paths) {
  if (!tree) {
    paths.emplace_back(std::in_place_type<FixedPose>, X_WS);
  } else if (!tree->is_single_body()) {
    paths.emplace_back(std::in_place_type<LinkPath>, shape, *tree, X_WS);
  } else {
    const RigidPath path{.c = tree->start.origin[0],
                         .v = tree->p1.head<3>(),
                         .a = tree->p2.head<3>(),
                         .omega = tree->p1.tail<3>(),
                         .alpha = tree->p2.tail<3>()};
    paths.emplace_back(std::in_place_type<RigidMotion>, shape.geometry.core(), X_WS, path, s,
                       shape.reach_from_reference);
  }
}

}  // namespace jade
