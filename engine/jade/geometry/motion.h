#pragma once

#include "jade/geometry/aabb.h"
#include "jade/geometry/convex_core.h"

namespace jade {

/// Where a shape is at one time and how it moves there: a point p_W of it has velocity v + ω × (p_W − X.p).
struct MotionSample {
  Transform X;                ///< X_WS
  Vec3 v = Vec3::Zero();      ///< of the origin of S, world axes
  Vec3 omega = Vec3::Zero();  ///< angular velocity, world axes
};

/// The path of a rigid shape over a step, times 0 … duration. What a certificate of free path needs: exact samples,
/// and one bound on how much velocities can change between them.
class Motion {
 public:
  virtual ~Motion() = default;

  virtual MotionSample at(double s) const = 0;

  /// k with n·ẍ(s) ≥ k for every point x of the shape and every time 0 ≤ s ≤ duration; n is a unit vector in world
  /// axes. It may be too low, never too high.
  virtual double least_acceleration(const Vec3& n) const = 0;

  /// The same along the world's axes: least[k] ≤ ẍ_k ≤ most[k].
  struct AxisAccelerations {
    Vec3 least, most;
  };
  virtual AxisAccelerations axis_accelerations() const;

  /// Holds the shape at all times; need not be tight.
  virtual Aabb bounds() const { return Aabb::everything(); }
};

/// A shape that does not move.
class FixedPose final : public Motion {
 public:
  explicit FixedPose(const Transform& X_WS) : X_WS_(X_WS) {}
  MotionSample at(double) const override { return {X_WS_, Vec3::Zero(), Vec3::Zero()}; }
  double least_acceleration(const Vec3&) const override { return 0; }
  AxisAccelerations axis_accelerations() const override { return {Vec3::Zero(), Vec3::Zero()}; }

 private:
  Transform X_WS_;
};

/// A body in flight: its reference point (the centre of mass) on a parabola, its orientation on one exponential.
///   c(s) = c + s v + ½ s² a,     R(s) = exp(θ(s)) R,   θ(s) = s ω + ½ s² α
/// World axes. α = 0 is steady rotation.
struct RigidPath {
  Vec3 c = Vec3::Zero();
  Vec3 v = Vec3::Zero();
  Vec3 a = Vec3::Zero();
  Vec3 omega = Vec3::Zero();
  Vec3 alpha = Vec3::Zero();
};

/// The acceleration bound of RigidPath. A point at r from c has n·ẍ = n·a + (n × ω̇)·r + (n × ω_s)·(ω_s × r), with
/// the angular velocity ω_s = J_l(θ) θ̇ and ω̇ its derivative. J_l contracts, |J_l(θ) y − y| ≤ ½ |θ × y|, and
/// θ × θ̇ = ½ s² ω × α, θ × α = s ω × α, so that over 0 ≤ s ≤ h
///   |ω_s| ≤ Ω = max(|ω|, |ω + hα|)
///   |n × ω_s| ≤ W = max(|n × ω|, |n × (ω + hα)|) + ¼ h² |ω × α|
///   |n × ω̇| ≤ A = |n × α| + (½ h + ⅛ h² Ω) |ω × α|
///   n·ẍ ≥ n·a − W Ω ρ − A r
/// r: farthest point from c;  ρ: farthest from the axis of rotation through c, r when the axis moves (ω × α ≠ 0).
/// Translation, acceleration and spin about n cost nothing.
class RigidMotion final : public Motion {
 public:
  /// `X_WS` is the pose of the shape at time 0.
  RigidMotion(const ConvexCore& core, const Transform& X_WS, const RigidPath& path, double duration);
  /// The same where r is known: it does not change while a body flies.
  RigidMotion(const ConvexCore& core, const Transform& X_WS, const RigidPath& path, double duration,
              double reach);

  MotionSample at(double s) const override;
  double least_acceleration(const Vec3& n) const override;
  AxisAccelerations axis_accelerations() const override;
  Aabb bounds() const override;

 private:
  RigidPath path_;
  Mat3 R_WS_;
  Vec3 arm_;  // from c to the origin of S, world axes at time 0
  double duration_;
  double reach_ = 0, reach_from_axis_ = 0;  // r, ρ
  double fastest_ = 0;                      // Ω
  double swing_ = 0;                        // |ω × α|
};

}  // namespace jade
