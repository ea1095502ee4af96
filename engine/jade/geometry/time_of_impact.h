#pragma once

#include "jade/geometry/distance.h"
#include "jade/geometry/motion.h"

namespace jade {

/// A shape on its way.
struct MovingShape {
  const PreparedShape& shape;
  const Motion& motion;
};

struct TimeOfImpactSettings {
  double duration = 0;      ///< of the step; both motions must be bounded over it
  double target = 0;        ///< the gap that must not be undercut, > tolerance [m]
  double tolerance = 1e-9;  ///< of the gap at the time returned [m]
  /// What spins just above the target takes some hundred, at times some thousand; beyond, the sweep ends where it is.
  int max_iterations = 10000;
  Vec3 hint = Vec3::Zero();  ///< the direction returned for this pair in the step before, or zero
};

struct TimeOfImpactResult {
  enum class Status {
    free,      ///< the gap stays above target − tolerance throughout the step
    hit,       ///< the gap comes down to the target (± tolerance) at `time`
    stopped,   ///< certified free until `time`, then out of iterations
    too_near,  ///< not above the target − tolerance at the start; `time` is 0
  };
  Status status = Status::free;
  double time = 0;              ///< certified: no gap below target − tolerance at any time up to this
  Vec3 normal = Vec3::Zero();   ///< unit, from A to B: the last separating direction
  Vec3 point_A = Vec3::Zero();  ///< hit: nearest points in the world at `time`
  Vec3 point_B = Vec3::Zero();
  double gap = 0;  ///< hit: at `time`
  int iterations = 0;
};

/// Time of impact by certified conservative advancement along the real, curved motion of both shapes.
/// Never late: the gap is proved to stay above target − tolerance up to the time returned. Early only by a gap of at
/// most target + tolerance at that time, polished by Newton's method to gap = target wherever the gap is smooth.
///
/// The certificate. For a fixed unit n, any points x_a, x_b of the shapes and times t, t + τ of the step,
///   n·(x_b − x_a)(t + τ) ≥ n·(x_b − x_a)(t) + τ n·(ẋ_b − ẋ_a)(t) + ½ τ² κ,
///   κ = min(0, Motion_b.least_acceleration(n) + Motion_a.least_acceleration(−n)).
/// The first two terms are linear in the points, so their minimum F(τ) over all points of both shapes is one support
/// evaluation each, along n + τ n × ω; a minimum of linear functions of τ is concave, and so is G = F + ½ τ² κ.
/// G(0) ≥ level and G(τ) ≥ level thus prove every time in between. n need not be accurate, only evaluated honestly:
/// the direction of the step before is tried first, and a sliding box is certified with it at once.
/// Where no direction reaches the end of the step, the time moves to the root of G, a new direction is found by GJK.
/// An edge or a face that turns needs a direction that turns with it, n + τ ṅ with ṅ ⟂ n as the last two looks had it: a fixed
/// one sees the ends of the edge come down though the middle does not, and would take a thousand looks a micrometre above
/// the target. With (n + τ ṅ)·Δx ≥ level |n + τ ṅ| to be proved and |n + τ ṅ| ≤ 1 + ½ τ² |ṅ|²,
///   F(τ) = min over points of n·Δx + τ (n·Δẋ + ṅ·Δx),   κ + 2 min ṅ·Δẋ + τ |ṅ| κ(ṅ/|ṅ|) − level |ṅ|² for κ.
/// Any ṅ is honest.
/// Meshes that are not convex: pairs of boxes of their trees are certified whole where possible, triangles else.
/// The shapes must be separated at the start, and not one inside the other.
[[nodiscard]] TimeOfImpactResult time_of_impact(const MovingShape& a, const MovingShape& b,
                                                const TimeOfImpactSettings& settings);

/// What is known of a pair at the start of its motions.
struct StartingGap {
  const MotionSample &at_a, &at_b;  ///< where the shapes are then
  const Vec3& normal;               ///< n: unit, from A to B
  double gap = 0;    ///< certified: n·(x_b − x_a) is no less for any points of the shapes (their hulls)
  double level = 0;  ///< what the gap must not undercut [m]
};

/// The certificate above by speeds alone, for pairs that hardly move towards each other; no support point is looked for.
///   n·(x_b − x_a)(τ) ≥ gap + τ (n·(v_b − v_a) − Σ |n × ω| ρ) + ½ τ² (κ − Σ |n × ω|² r)
/// ρ: extent of a core about its origin, r: its radius, since |n + τ n × ω| ≤ 1 + ½ τ² |n × ω|². Both terms are least at
/// the end. False says nothing.
[[nodiscard]] bool stays_apart(const MovingShape& a, const MovingShape& b, const StartingGap& start,
                               double duration);

/// A box that holds the moving shape at all times 0 … duration, from the same certificate along the axes.
Aabb swept_bounds(const MovingShape& moving, double duration);
/// The same where the motion at time 0 is known.
Aabb swept_bounds(const MovingShape& moving, const MotionSample& start, double duration);

}  // namespace jade
