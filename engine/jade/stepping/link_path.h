#pragma once

#include <variant>

#include "jade/contact/collision_model.h"
#include "jade/geometry/motion.h"
#include "jade/stepping/moving_tree.h"

namespace jade {

/// The path of a shape on a link of a tree: poses from the tree's kinematics at q ⊕ (σ p1 + ½ σ² p2), accelerations from
/// bounds that are summed from the world up to its link. All shapes of a tree share the kinematics of the time that
/// was asked for last.
class LinkPath final : public Motion {
 public:
  /// After begin_paths of the tree. `X_WS` is the pose of the shape at time 0, kept by the caller.
  LinkPath(const CollisionShape& shape, MovingTree& tree, const Transform& X_WS);

  MotionSample at(double sigma) const override;
  double least_acceleration(const Vec3&) const override { return -acceleration_; }
  AxisAccelerations axis_accelerations() const override {
    return {Vec3::Constant(-acceleration_), Vec3::Constant(acceleration_)};
  }

 private:
  const CollisionShape* shape_;
  const Transform* start_;
  MovingTree* tree_;
  double acceleration_ = 0;
};

/// The path of a shape over a segment of length s, for the sweep, kept in place.
using ShapePath = std::variant<FixedPose, RigidMotion, LinkPath>;

/// To be called for every tree before the paths of its shapes are asked for.
void begin_paths(MovingTree& tree, double s);

/// Appends the path of a shape that starts at the pose X_WS. `tree` is null for shapes fixed to the world; a single free body
/// moves on one parabola and one exponential.
void add_path(const CollisionShape& shape, MovingTree* tree, const Transform& X_WS, double s,
              std::vector<ShapePath>& paths);

inline const Motion& motion_of(const ShapePath& path) {
  return std::visit([](const Motion& motion) -> const Motion& { return motion; }, path);
}

}  // namespace jade
