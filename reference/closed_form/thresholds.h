#pragma once

#include <algorithm>
#include <cmath>

namespace jade::closed_form {

/// A block at rest on an incline.
///   sticks iff tan θ ≤ μ, else slides with a = g (sin θ − μ cos θ)
///   tips over its lower edge iff it does not slide first and tan θ > w/h: the weight passes outside the edge
struct Incline {
  double angle = 0;  ///< θ in [0, π/2)
  double friction = 0;
  double gravity = 9.81;

  bool sticks() const { return std::tan(angle) <= friction; }
  double acceleration() const {
    return sticks() ? 0 : gravity * (std::sin(angle) - friction * std::cos(angle));
  }
  /// w: side along the slope, h: side across it. A sliding block turns over as well when μ > w/h, because friction
  /// then pulls the resultant outside the edge.
  bool tips(double w, double h) const { return std::min(std::tan(angle), friction) > w / h; }
};

/// Two fingers hold a plate from both sides by friction and lift it with acceleration a:
///   2 μ N ≥ m (g + a)
struct Grip {
  double mass = 0.1;
  double friction = 0.8;
  double gravity = 8;

  double least_force(double acceleration) const { return mass * (gravity + acceleration) / (2 * friction); }
  bool holds(double force, double acceleration) const { return force >= least_force(acceleration); }
};

/// The farthest overhang of n equal blocks of width w stacked over an edge, one on another: (w/2) Σ_{k=1}^{n} 1/k.
/// The k-th block from the top reaches w/(2k) beyond the one below it (the n-th: beyond the edge).
inline double overhang(int blocks, double width) {
  double sum = 0;
  for (int k = blocks; k >= 1; --k) sum += 1.0 / k;
  return width / 2 * sum;
}

/// Load under the k-th box from the top of a stack, k = 1 … n: the weight above, N_k = k m g.
inline double stack_load(int k, double mass, double gravity) { return k * mass * gravity; }

/// Painlevé's rod: a uniform rod whose lower end slides on a rough floor, leaning at θ from the horizontal so that
/// friction presses it down. A normal force N accelerates that end away from the floor by
///   N/m (1 + 3 cos θ (cos θ − μ sin θ))
/// which is negative for μ > (1 + 3 cos² θ)/(3 sin θ cos θ): then no finite force solves the equations of rigid
/// acceleration, or two do. tan θ = 2: μ = 4/3.
/// F. Génot, B. Brogliato, "New results on Painlevé paradoxes", European Journal of Mechanics A 18, 1999.
inline double painleve_friction(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return (1 + 3 * c * c) / (3 * s * c);
}

}  // namespace jade::closed_form
