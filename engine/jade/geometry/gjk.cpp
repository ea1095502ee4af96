#include "jade/geometry/gjk.h"

#include <limits>

#include "jade/geometry/simplex.h"

namespace jade {
namespace {

// Products and sums of a support evaluation: three rotations of three terms each, a few ulps of the lengths in it.
constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();

constexpr int kMaxIterations = 100;
constexpr int kMaxRestarts = 3;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The pair seen from A: near each other whatever their place in the world.
struct Pair {
  const ConvexCore& a;
  const ConvexCore& b;
  Mat3 R_AB;
  Vec3 p_AB;
  double rounding;  ///< of a projected coordinate
  int hint_a = 0, hint_b = 0;

  Pair(const ConvexCore& a_, const Transform& X_WA, const ConvexCore& b_, const Transform& X_WB)
      : a(a_),
        b(b_),
        R_AB(X_WA.R.transpose() * X_WB.R),
        p_AB(X_WA.R.transpose() * (X_WB.p - X_WA.p)),
        rounding(kRounding * (a_.extent + b_.extent + a_.radius + b_.radius + p_AB.lpNorm<1>())) {}

  Vec3 extreme_a(const Vec3& d) { return a.support(d, hint_a); }
  Vec3 extreme_b(const Vec3& d) { return R_AB * b.support(R_AB.transpose() * d, hint_b) + p_AB; }
};

bool holds(const Simplex& simplex, const Vec3& w) {
  for (int i = 0; i < simplex.count; ++i)
    if (simplex.w[i] == w) return true;
  return false;
}

}  // namespace

double separation_along(const Vec3& n, const ConvexCore& a, const Transform& X_WA, const ConvexCore& b,
                        const Transform& X_WB) {
  const Vec3 n_A = X_WA.R.transpose() * n, n_B = X_WB.R.transpose() * n;
  const Vec3 offset = X_WB.p - X_WA.p;
  const double rounding = kRounding * (a.extent + b.extent + a.radius + b.radius + offset.lpNorm<1>());
  return n.dot(offset) + n_B.dot(b.support(-n_B)) - n_A.dot(a.support(n_A)) - a.radius - b.radius - rounding;
}

DistanceResult gjk_distance(const ConvexCore& a, const Transform& X_WA, const ConvexCore& b,
                            const Transform& X_WB, const Vec3& hint) {
  Pair pair(a, X_WA, b, X_WB);
  Vec3 v = X_WA.R.transpose() * hint;
  if (!(v.squaredNorm() > 0)) v = pair.p_AB;
  if (!(v.squaredNorm() > 0)) v = Vec3::UnitX();

  Simplex simplex;
  simplex.add(pair.extreme_a(v), pair.extreme_b(-v));
  v = reduce(simplex);
  double squared = v.squaredNorm();
  Simplex nearest = simplex;       // whose point is the nearest so far,
  double least_squared = squared;  // this far away
  Vec3 best_n = Vec3::Zero();      // the direction that separates most so far,
  double best_bound = -infinity;   // by this much
  int restarts = 0;

  DistanceResult result;
  while (squared > pair.rounding * pair.rounding && result.iterations < kMaxIterations) {
    ++result.iterations;
    const Vec3 n = v / std::sqrt(squared);
    const Vec3 on_a = pair.extreme_a(n), on_b = pair.extreme_b(-n);
    const Vec3 w = on_b - on_a;
    const double bound = n.dot(w);
    if (bound > best_bound) best_bound = bound, best_n = n;
    if (std::sqrt(least_squared) - best_bound <= pair.rounding) break;

    const double before = squared;
    const bool stalled = holds(simplex, w);
    if (!stalled) {
      simplex.add(on_a, on_b);
      v = reduce(simplex);
      squared = v.squaredNorm();
    }
    if (simplex.count == 4) squared = 0;
    if (squared < least_squared) least_squared = squared, nearest = simplex;
    if (stalled || !(squared < before)) {
      // The simplex has become too thin to be improved: begin again from the last direction.
      if (++restarts > kMaxRestarts) break;
      simplex.count = 0;
      simplex.add(on_a, on_b);
      v = reduce(simplex);
      squared = v.squaredNorm();
    }
  }

  const double radii = a.radius + b.radius;
  result.distance = std::sqrt(least_squared) - radii;
  // Cores that meet at the first support point have no direction: n = 0 separates by 0.
  result.lower_bound = (best_n.isZero() ? 0 : best_bound) - radii - pair.rounding;
  result.separated = result.lower_bound > 0;
  result.normal = X_WA.R * best_n;
  result.point_A = X_WA * Vec3(nearest.witness_a() + a.radius * best_n);
  result.point_B = X_WA * Vec3(nearest.witness_b() - b.radius * best_n);
  return result;
}

}  // namespace jade
