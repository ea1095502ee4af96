#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "jade/math/types.h"

namespace jade::closed_form {

/// A ball moving down towards a floor with restitution e, in free flight between bounces. `height` is the distance
/// of its lowest point from where it bounces (the floor, or the standoff above it).
///   first impact  t₁ = (v + s)/g with s = √(v² + 2 g height), at speed s   (v: upward velocity)
///   later flights last 2 eᵏ s/g; Zeno's end: t₁ + (2 s/g) e/(1 − e), from rest √(2 height/g) (1 + e)/(1 − e)
struct BouncingBall {
  double height = 1;
  double velocity = 0;  ///< upward
  double restitution = 0.8;
  double gravity = 9.81;

  double impact_speed() const { return std::sqrt(velocity * velocity + 2 * gravity * height); }
  double first_impact() const { return (velocity + impact_speed()) / gravity; }
  /// Infinite for e = 1.
  double end_of_bouncing() const {
    return first_impact() + 2 * impact_speed() / gravity * restitution / (1 - restitution);
  }

  /// Height and upward velocity at time t, however many bounces that takes; at rest after the end.
  struct State {
    double height = 0, velocity = 0;
  };
  State at(double t) const {
    if (t < first_impact()) return {height + velocity * t - gravity * t * t / 2, velocity - gravity * t};
    if (t >= end_of_bouncing()) return {};
    double left = t - first_impact(), up = restitution * impact_speed();
    while (left >= 2 * up / gravity) {
      left -= 2 * up / gravity;
      up *= restitution;
    }
    return {up * left - gravity * left * left / 2, up - gravity * left};
  }

  /// Derivatives of the height at T between the first and the second impact, τ = T − t₁, s as above:
  ///   y = e s τ − ½ g τ²,   ∂t₁/∂h = 1/s,  ∂s/∂h = g/s,  ∂t₁/∂v = t₁/s,  ∂s/∂v = v/s
  ///   ∂y/∂h = −e + (1 + e) g τ/s
  ///   ∂y/∂v = −e t₁ + τ (e v + g t₁)/s
  ///   ∂y/∂e = s τ
  struct Gradient {
    double by_height = 0, by_velocity = 0, by_restitution = 0;
  };
  Gradient gradient_after_first_bounce(double T) const {
    const double s = impact_speed(), t1 = first_impact(), tau = T - t1, e = restitution;
    return {-e + (1 + e) * gravity * tau / s, -e * t1 + tau * (e * velocity + gravity * t1) / s, s * tau};
  }
};

/// The same without gravity, closing at `speed`: y(T) = e (speed T − height) after the bounce.
struct DriftingBall {
  double height = 1, speed = 1, restitution = 1;

  double after_bounce(double T) const { return restitution * (speed * T - height); }
  double by_height() const { return -restitution; }
  double by_speed(double T) const { return restitution * T; }
  double by_restitution(double T) const { return speed * T - height; }
};

/// A point between two walls that are `room` apart, first moving away from the left one, after it has hit the right and the
/// left wall once each:
///   t₁ = (room − start)/v,  t₂ = t₁ + room/(e v),  x(T) = e² v (T − t₂) = e² (v T − room + start) − e room
struct BetweenWalls {
  double room = 1, start = 0.3, speed = 3, restitution = 0.7;

  double second_bounce() const { return (room - start) / speed + room / (restitution * speed); }
  double after_two_bounces(double T) const {
    return restitution * restitution * (speed * T - room + start) - restitution * room;
  }
  double by_start() const { return restitution * restitution; }
  double by_speed(double T) const { return restitution * restitution * T; }
  double by_restitution(double T) const { return 2 * restitution * (speed * T - room + start) - room; }
};

/// A ball of 1 kg at rest, pushed with a constant force over a gap onto an equal ball (e = 1), which then flies on at the
/// speed of the first, y = √(2 F gap), for what is left of the time T:
///   t₁ = √(2 gap/F),   the second ball has come x = y (T − t₁) = y T − 2 gap
/// Cost of a task that wants it at `goal`:  (goal − x)² + weight F² T
struct PushedBall {
  double force = 1, gap = 1;

  double travel(double T) const { return std::sqrt(2 * force * gap) * T - 2 * gap; }
  double cost(double T, double goal, double weight) const {
    const double miss = goal - travel(T);
    return miss * miss + weight * force * force * T;
  }
  double cost_by_force(double T, double goal, double weight) const {
    const double travel_by_force = std::sqrt(gap / (2 * force)) * T;
    return -2 * (goal - travel(T)) * travel_by_force + 2 * weight * force * T;
  }
};

/// Velocities of equal balls on a line after the first hits the others.
/// With gaps, however small, impacts follow one another and each exchanges velocities (e = 1): Newton's cradle.
inline std::vector<double> newtons_cradle(const std::vector<double>& before) {
  // Equal balls that exchange velocities pass through each other in effect: sorted, slowest first.
  std::vector<double> after = before;
  std::sort(after.begin(), after.end());
  return after;
}

/// Three touching equal balls, the first coming in at `speed`, all impacts in one instant with e = 1. Both contacts
/// reverse or keep their separation speed: (v₂ − v₁)⁺ = speed, (v₃ − v₂)⁺ = 0. With the momentum this is
/// (−1/3, 2/3, 2/3) speed.
inline Vec3 three_balls_at_once(double speed) { return speed * Vec3(-1.0 / 3, 2.0 / 3, 2.0 / 3); }

/// Two equal balls on a smooth table: one is shot at the other, which rests at the origin.
///   they meet at the distance L = 2 r + standoff:  |x₀ + s v|² = L², the smaller root s
///   n = −(x₀ + s v)/L points from the first to the second; the second leaves with w = ½ (1 + e)(v·n) n
///   p(T) = (T − s) w
/// Derivatives, with d = x₀ + s v:
///   ∂s/∂v = −s dᵀ/(d·v),   ∂n/∂v = −(s I + v ∂s/∂v)/L,   ∂w = ½ (1 + e)(n (vᵀ∂n + nᵀ) + (v·n) ∂n),
///   ∂p = (T − s) ∂w − w ∂s
struct Billiards {
  Vec2 start = Vec2(-0.4, 0);  ///< x₀
  double radius = 0.05;
  double standoff = 0;
  double restitution = 1;
  double duration = 0.2;  ///< T
  Vec2 target = Vec2(0.3, 0.2);
  double loss_weight = 10;

  struct Shot {
    bool hits = false;  ///< false: the rest is zero, the second ball stays at the origin
    double impact_time = 0;
    Vec2 position = Vec2::Zero();                           ///< p(T) of the second ball
    Eigen::Matrix2d by_velocity = Eigen::Matrix2d::Zero();  ///< ∂p/∂v
  };
  Shot shoot(const Vec2& v) const {
    const double L = 2 * radius + standoff;
    const double vv = v.squaredNorm(), xv = start.dot(v),
                 discriminant = xv * xv - vv * (start.squaredNorm() - L * L);
    if (discriminant <= 0 || xv >= 0) return {};
    // The smaller root without cancellation: c / (−b + √…).
    const double s = (start.squaredNorm() - L * L) / (-xv + std::sqrt(discriminant));
    if (s >= duration) return {};
    const Vec2 d = start + s * v, n = -d / L;
    const double half = (1 + restitution) / 2;
    const Vec2 w = half * v.dot(n) * n;
    const Eigen::RowVector2d ds = -s * d.transpose() / d.dot(v);
    const Eigen::Matrix2d dn = -(s * Eigen::Matrix2d::Identity() + v * ds) / L;
    const Eigen::Matrix2d dw = half * (n * (v.transpose() * dn + n.transpose()) + v.dot(n) * dn);
    return {true, s, (duration - s) * w, (duration - s) * dw - w * ds};
  }
  double loss(const Vec2& v) const { return loss_weight * (shoot(v).position - target).squaredNorm(); }
  Vec2 loss_gradient(const Vec2& v) const {
    const Shot shot = shoot(v);
    return 2 * loss_weight * shot.by_velocity.transpose() * (shot.position - target);
  }

  /// The velocity that sends the second ball exactly to the target. n must point to the target, so the first ball
  /// travels u = −L n − x₀ in the time s, and ½ (1 + e)(u·n)(T − s)/s = |target|:
  ///   s = T k/(|target| + k),  k = ½ (1 + e) u·n,   v = u/s
  Vec2 perfect_velocity() const {
    const Vec2 n = target.normalized(), u = -(2 * radius + standoff) * n - start;
    const double k = (1 + restitution) / 2 * u.dot(n);
    return u * (target.norm() + k) / (duration * k);
  }
};

}  // namespace jade::closed_form
