#pragma once

#include <algorithm>
#include <cmath>

namespace jade::closed_form {

/// A block sliding on a level table until friction has stopped it.
///   v(t) = v₀ − μ g t,  x(t) = v₀ t − ½ μ g t²  until it stops at v₀/(μ g), having come d = v₀²/(2 μ g)
///   ∂d/∂μ = −d/μ,  ∂d/∂v₀ = v₀/(μ g)
struct SlidingBlock {
  double speed0 = 1;    ///< v₀ > 0 [m/s]
  double friction = 1;  ///< μ > 0
  double gravity = 9.81;

  double deceleration() const { return friction * gravity; }
  double stop_time() const { return speed0 / deceleration(); }
  double stop_distance() const { return speed0 * speed0 / (2 * deceleration()); }
  double speed(double t) const { return std::max(0.0, speed0 - deceleration() * t); }
  double distance(double t) const {
    const double s = std::min(t, stop_time());
    return speed0 * s - deceleration() * s * s / 2;
  }

  double stop_distance_by_friction() const { return -stop_distance() / friction; }
  double stop_distance_by_speed() const { return stop_time(); }
  /// ∂x(t)/∂μ and ∂x(t)/∂v₀; continuous at the stop, where they reach those of the whole distance.
  double distance_by_friction(double t) const {
    const double s = std::min(t, stop_time());
    return -gravity * s * s / 2;
  }
  double distance_by_speed(double t) const { return std::min(t, stop_time()); }
};

/// A cube slides over a gap onto an equal one at rest, and both slide on. With restitution e:
///   u = √(v₀² − 2 μ g gap) at the impact, at t = (v₀ − u)/(μ g);  then (1 − e) u/2 and (1 + e) u/2
/// With e = 0 they stay together for u²/(8 μ g) and rest u/(2 μ g) later.
struct PushedCubes {
  double speed0 = 2;
  double gap = 0.5;  ///< between the facing sides [m]
  double friction = 0.16;
  double gravity = 9;
  double restitution = 0;

  bool they_meet() const { return speed0 * speed0 > 2 * friction * gravity * gap; }
  double speed_before() const { return std::sqrt(speed0 * speed0 - 2 * friction * gravity * gap); }
  double impact_time() const { return (speed0 - speed_before()) / (friction * gravity); }
  SlidingBlock pusher_after() const { return {(1 - restitution) / 2 * speed_before(), friction, gravity}; }
  SlidingBlock pushed_after() const { return {(1 + restitution) / 2 * speed_before(), friction, gravity}; }
  double rest_time() const { return impact_time() + pushed_after().stop_time(); }
};

/// A solid sphere thrown flat onto a rough table without spin slides, then rolls.
///   v = v₀ − μ g t,  r ω = (5/2) μ g t  until v = r ω at t = 2 v₀/(7 μ g); from then on v = 5 v₀/7
///   it has slid 12 v₀²/(49 μ g)
struct SlidingSphere {
  double speed0 = 1;
  double friction = 1;
  double gravity = 9.81;

  double rolling_time() const { return 2 * speed0 / (7 * friction * gravity); }
  double rolling_speed() const { return 5 * speed0 / 7; }
  double sliding_distance() const { return 12 * speed0 * speed0 / (49 * friction * gravity); }
  double speed(double t) const { return speed0 - friction * gravity * std::min(t, rolling_time()); }
  /// r ω, counted positive in the sense of rolling.
  double rim_speed(double t) const { return 2.5 * friction * gravity * std::min(t, rolling_time()); }
  double distance(double t) const {
    const double s = std::min(t, rolling_time());
    return speed0 * s - friction * gravity * s * s / 2 + rolling_speed() * (t - s);
  }
  /// While it rolls x = 5 v₀ t/7 + 2 v₀²/(49 μ g).
  double distance_by_speed(double t) const { return 5 * t / 7 + 4 * speed0 / (49 * friction * gravity); }
  double distance_by_friction(double) const {
    return -2 * speed0 * speed0 / (49 * friction * friction * gravity);
  }
};

}  // namespace jade::closed_form
