#include "ccd_queries/dense_oracle.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Intersections_3/Triangle_3_Triangle_3.h>

namespace jade::reference {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;

Kernel::Triangle_3 to_cgal(const Triangle& t) {
  const auto point = [](const Vec3& x) { return Kernel::Point_3(x[0], x[1], x[2]); };
  return {point(t[0]), point(t[1]), point(t[2])};
}

/// A coordinate in which all of a lies strictly on one side of all of b.
bool boxes_apart(const Triangle& a, const Triangle& b) {
  const auto low = [](const Triangle& t) { return t[0].cwiseMin(t[1]).cwiseMin(t[2]).eval(); };
  const auto high = [](const Triangle& t) { return t[0].cwiseMax(t[1]).cwiseMax(t[2]).eval(); };
  return (high(a).array() < low(b).array()).any() || (high(b).array() < low(a).array()).any();
}

}  // namespace

bool triangles_meet(const Triangle& a, const Triangle& b) {
  return !boxes_apart(a, b) && CGAL::do_intersect(to_cgal(a), to_cgal(b));
}

DenseTruth dense_truth(const MovingPair& pair, double duration, int samples) {
  const auto meet_at = [&](double t) {
    const auto [a, b] = pair(t);
    return triangles_meet(a, b);
  };
  double free = 0;
  for (int i = 0; i <= samples; ++i) {
    const double t = duration * i / samples;
    if (!meet_at(t)) {
      free = t;
      continue;
    }
    double contact = t;
    while (contact - free > 1e-9 * duration) {
      const double middle = 0.5 * (free + contact);
      (meet_at(middle) ? contact : free) = middle;
    }
    return {.hit = true, .contact = contact};
  }
  return {};
}

}  // namespace jade::reference
