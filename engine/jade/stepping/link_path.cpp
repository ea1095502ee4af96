#include "jade/stepping/link_path.h"

#include <algorithm>
#include <cmath>

#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

/// Bounds on how far, how fast and how unsteadily the points of a shape move in the frame at hand, over 0 … s.
/// Going through a joint towards the world, with rates ω (angular), u (linear) and their derivatives bounded:
///   rotation     ẍ ≤ ẍ + 2 ω ẋ + (ω² + ω̇) x,   ẋ ≤ ẋ + ω x
///   translation  ẍ ≤ ẍ + u̇,   ẋ ≤ ẋ + u,   x ≤ x + the farthest it has gone
struct Bounds {
  double x = 0, v = 0, a = 0;

  void turn(double rate, double change) {
    a += 2 * rate * v + (rate * rate + change) * x;
    v += rate * x;
  }
  void shift(double farthest, double rate, double change) {
    a += change;
    v += rate;
    x += farthest;
  }
};

class LinkPath final : public Motion {
 public:
  LinkPath(const CollisionShape& shape, const MovingTree& tree, double s)
      : shape_(shape), tree_(tree), work_(tree.model), q_(tree.now.q), rates_(tree.p1) {
    acceleration_ = bound(s).a;
  }

  MotionSample at(double sigma) const override {
    displacement_ = sigma * tree_.p1 + (0.5 * sigma * sigma) * tree_.p2;
    integrate(tree_.model, tree_.now.q, displacement_, q_);
    rates_ = tree_.p1 + sigma * tree_.p2;
    // Rotations on an exponential turn at J_l(θ) θ̇.
    const Link& base = tree_.model.links().front();
    for (const Link& link : tree_.model.links()) {
      if (link.motion != LinkMotion::ball && link.motion != LinkMotion::free) continue;
      const int k = link.motion == LinkMotion::free ? base.v + 3 : link.v;
      rates_.segment<3>(k) = rotation_left_jacobian(displacement_.segment<3>(k)) * Vec3(rates_.segment<3>(k));
    }
    update_positions(tree_.model, q_, work_);
    update_velocities(tree_.model, rates_, work_);
    const int link = shape_.anchor.link;
    MotionSample sample;
    const Vec3 r = work_.r[link] + work_.R[link] * shape_.X_LS.p;
    sample.X = {work_.R[link] * shape_.X_LS.R, work_.origin[0] + r};
    sample.omega = work_.V[link].head<3>();
    sample.v = work_.V[link].tail<3>() + cross3(sample.omega, r);
    return sample;
  }

  double least_acceleration(const Vec3&) const override { return -acceleration_; }

 private:
  Bounds bound(double s) const {
    Bounds bounds;
    bounds.x = shape_.centre_L.norm() + shape_.reach;
    const auto fastest = [&](int first, int count) {
      const auto begin = tree_.p1.segment(first, count), change = tree_.p2.segment(first, count);
      return std::max(begin.norm(), (begin + s * change).norm());
    };
    for (int i = shape_.anchor.link; i >= 0; i = tree_.model.links()[i].parent) {
      const Link& link = tree_.model.links()[i];
      const double rate = fastest(link.v, link.nv), change = tree_.p2.segment(link.v, link.nv).norm();
      switch (link.motion) {
        case LinkMotion::revolute:
          bounds.turn(rate, change);
          break;
        case LinkMotion::prismatic:
          bounds.shift(std::abs(tree_.now.q[link.q]) + s * rate, rate, change);
          break;
        case LinkMotion::screw: {
          const double pitch = std::abs(link.pitch);
          bounds.turn(rate, change);
          bounds.shift(pitch * (std::abs(tree_.now.q[link.q]) + s * rate), pitch * rate, pitch * change);
          break;
        }
        case LinkMotion::ball: {
          // Angular acceleration on an exponential, as in RigidMotion.
          const double bend = 0.5 * s * rate * change * (1 + 0.25 * s * rate);
          bounds.turn(rate, change + bend);
          break;
        }
        case LinkMotion::free: {
          const double turn = fastest(link.v + 3, 3), spin_up = tree_.p2.segment(link.v + 3, 3).norm();
          const double bend = 0.5 * s * turn * spin_up * (1 + 0.25 * s * turn);
          bounds.x += link.reference_L.norm();
          bounds.turn(turn, spin_up + bend);
          bounds.shift(0, fastest(link.v, 3), tree_.p2.segment(link.v, 3).norm());
          break;
        }
      }
      bounds.x += link.X_PJ.p.norm();
    }
    return bounds;
  }

  const CollisionShape& shape_;
  const MovingTree& tree_;
  mutable DynamicsWorkspace work_;
  mutable VecX q_, rates_, displacement_;
  double acceleration_ = 0;
};

}  // namespace

std::unique_ptr<Motion> motion_of(const CollisionShape& shape, const MovingTree* tree, double s) {
  if (!tree) return std::make_unique<FixedPose>(shape.X_LS);
  const Link& base = tree->model.links().front();
  if (tree->model.links().size() > 1 || base.motion != LinkMotion::free)
    return std::make_unique<LinkPath>(shape, *tree, s);
  const DynamicsWorkspace& work = tree->start;
  const Transform X_WL{work.R[0], work.origin[0] + work.r[0]};
  const RigidPath path{.c = work.origin[0],
                       .v = tree->p1.head<3>(),
                       .a = tree->p2.head<3>(),
                       .omega = tree->p1.tail<3>(),
                       .alpha = tree->p2.tail<3>()};
  return std::make_unique<RigidMotion>(shape.geometry.core(), X_WL * shape.X_LS, path, s);
}

}  // namespace jade
