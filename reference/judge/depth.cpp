#include "reference/judge/depth.h"

#include <cmath>
#include <numbers>

namespace jade::judge {
namespace {

Core core_of(const Polytope& p) { return {.points = p.points}; }

/// Do the arcs from a.left to a.right and from −b.left to −b.right cross on the unit sphere? Slightly generous: a
/// direction too many costs time, one too few would cost accuracy.
bool arcs_cross(const Polytope::Edge& a, const Polytope::Edge& b) {
  constexpr Real kGenerous = 1e-12L;  // products of sines of angles between normals
  const Vec3l a_turn = a.right.cross(a.left), b_turn = b.right.cross(b.left);
  const Real b1 = -b.left.dot(a_turn), b2 = -b.right.dot(a_turn);
  const Real a1 = a.left.dot(b_turn), a2 = a.right.dot(b_turn);
  return b1 * b2 < kGenerous && a1 * a2 < kGenerous && b1 * a2 > -kGenerous;
}

}  // namespace

Depth translation(const Polytope& a, const Polytope& b) {
  const Core core_a = core_of(a), core_b = core_of(b);
  Depth best{std::numeric_limits<Real>::infinity()};
  const auto try_direction = [&](const Vec3l& n) {
    if (const Real w = overlap_along(core_a, core_b, n); w < best.length) best = {w, n};
  };

  for (const Vec3l& n : a.normals) try_direction(n);
  for (const Vec3l& n : b.normals) try_direction(-n);
  for (const auto& e : a.edges)
    for (const auto& f : b.edges) {
      const bool faces = e.between_faces && f.between_faces;
      if (faces && !arcs_cross(e, f)) continue;
      const Vec3l cross = e.direction.cross(f.direction);
      const Real sine = cross.norm();
      if (sine < 1e-9L) continue;  // nearly parallel edges: a face normal gives the same to 1e-18
      const Vec3l n = cross / sine;
      for (const Vec3l& m : {n, Vec3l(-n)}) {
        // The edges alone bound the overlap from below: most directions need no look at the points.
        if (m.dot(e.start - f.start) < best.length) try_direction(m);
      }
    }
  // Two points or segments without volume: a flat difference, parted by any motion out of its plane.
  if (a.normals.empty() && b.normals.empty()) best.length = 0;
  best.length = std::max<Real>(best.length, 0);
  return best;
}

Polytope prism_of(const Core& cylinder, int sides, bool around) {
  const Vec3l z = cylinder.axis, x = z.unitOrthogonal(), y = z.cross(x);
  const Real step = 2 * std::numbers::pi_v<Real> / sides;
  const Real r = around ? cylinder.radius / std::cos(step / 2) : cylinder.radius;
  const auto round = [&](Real angle) -> Vec3l { return std::cos(angle) * x + std::sin(angle) * y; };

  Polytope prism;
  prism.normals = {z, -z};
  for (int k = 0; k < sides; ++k) {
    const Real angle = k * step;
    const Vec3l here = r * round(angle), next = r * round(angle + step);
    const Vec3l side = round(angle + step / 2), side_before = round(angle - step / 2);
    prism.normals.push_back(side);
    for (const Real h : {-cylinder.half_length, cylinder.half_length}) {
      const Vec3l p = cylinder.centre + h * z + here;
      prism.points.push_back(p.cast<double>());
      prism.edges.push_back({p, (next - here).normalized(), h > 0 ? z : Vec3l(-z), side, true});
    }
    prism.edges.push_back({cylinder.centre + here, z, side_before, side, true});
  }
  return prism;
}

}  // namespace jade::judge
