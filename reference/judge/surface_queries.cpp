#include <algorithm>
#include <cmath>

#include "reference/judge/polyhedron.h"

namespace jade::judge {
namespace {

Bounds bounds_of(const Triangle& t) {
  Bounds box;
  for (const Vec3& p : t) box.include(p);
  return box;
}

/// Walks both trees at once. `near(bounds, bounds)` says whether two nodes are worth opening; `visit(s, t)` gets pairs
/// of triangles and returns true to end the walk.
template <class Near, class Visit>
void visit_pairs(Polyhedron& a, Polyhedron& b, Near&& near, Visit&& visit) {
  const std::vector<Bounds>&boxes_a = a.node_bounds(), &boxes_b = b.node_bounds();
  std::vector<std::pair<int, int>> stack{{0, 0}};
  while (!stack.empty()) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    if (!near(boxes_a[i], boxes_b[j])) continue;
    const Polyhedron::Node &m = a.nodes()[i], &n = b.nodes()[j];
    if (m.count > 0 && n.count > 0) {
      for (int k = 0; k < m.count; ++k)
        for (int l = 0; l < n.count; ++l)
          if (visit(a.order()[m.first + k], b.order()[n.first + l])) return;
      continue;
    }
    // Open the larger node; of the two halves the nearer one is looked at first.
    const bool open_a = n.count > 0 || (m.count == 0 && (boxes_a[i].high - boxes_a[i].low).squaredNorm() >=
                                                            (boxes_b[j].high - boxes_b[j].low).squaredNorm());
    std::array<std::pair<int, int>, 2> halves;
    for (int k = 0; k < 2; ++k) halves[k] = open_a ? std::pair{m.first + k, j} : std::pair{i, n.first + k};
    const auto gap = [&](const std::pair<int, int>& h) {
      return distance_between(boxes_a[h.first], boxes_b[h.second]);
    };
    if (gap(halves[0]) < gap(halves[1])) std::swap(halves[0], halves[1]);
    stack.insert(stack.end(), halves.begin(), halves.end());
  }
}

}  // namespace

bool surfaces_meet(Polyhedron& a, Polyhedron& b) {
  bool meet = false;
  visit_pairs(
      a, b, [](const Bounds& s, const Bounds& t) { return s.meets(t); },
      [&](int s, int t) {
        const Triangle x = a.triangle(s), y = b.triangle(t);
        return meet = bounds_of(x).meets(bounds_of(y)) && triangles_meet(x, y);
      });
  return meet;
}

Real surface_distance(Polyhedron& a, Polyhedron& b, Real beyond) {
  Real best = beyond;
  bool found = false;
  visit_pairs(
      a, b, [&](const Bounds& s, const Bounds& t) { return distance_between(s, t) <= best; },
      [&](int s, int t) {
        const Triangle x = a.triangle(s), y = b.triangle(t);
        if (distance_between(bounds_of(x), bounds_of(y)) > best) return false;
        if (const Real d = std::sqrt(squared_distance_triangles(x, y)); d <= best) best = d, found = true;
        return false;
      });
  return found ? best : std::numeric_limits<Real>::infinity();
}

Real surface_distance(Polyhedron& a, const Vec3& p, const Vec3& q, Real beyond) {
  Bounds box;
  box.include(p);
  box.include(q);
  Real best = beyond;
  bool found = false;
  visit_near(
      a, box, [&] { return best; },
      [&](int t) {
        const Triangle x = a.triangle(t);
        if (distance_between(bounds_of(x), box) > best) return;
        const Real d = std::sqrt(squared_distance_segment_triangle(p, q, x));
        if (d <= best) best = d, found = true;
      });
  return found ? best : std::numeric_limits<Real>::infinity();
}

bool contains(Polyhedron& a, const Vec3& p) {
  Bounds at;
  at.include(p);
  if (!a.bounds().meets(at)) return false;

  // A ray that leaves the bounds; one that grazes an edge or corner is replaced by another, each more slanted.
  const double reach = 2 * (a.bounds().high - a.bounds().low).lpNorm<1>() + p.lpNorm<1>() + 1;
  for (int attempt = 0;; ++attempt) {
    const Vec3 q = p + reach * Vec3(1, 0.013 + 0.0307 * attempt, -0.017 - 0.0193 * attempt * attempt);
    Bounds ray = at;
    ray.include(q);
    int crossings = 0;
    bool unclear = false, on_surface = false;
    visit_near(
        a, ray, [] { return 0.0; },
        [&](int t) {
          const Crossing c = crossing(p, q, a.triangle(t));
          crossings += c == Crossing::once;
          unclear |= c == Crossing::unclear;
          on_surface |= c == Crossing::start_inside;
        });
    if (on_surface) return true;
    if (!unclear) return crossings % 2 == 1;
  }
}

}  // namespace jade::judge
