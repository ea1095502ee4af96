#include "reference/judge/convex.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace jade::judge {
namespace {

struct Simplex {
  std::array<Vec3l, 4> w{Vec3l::Zero(), Vec3l::Zero(), Vec3l::Zero(), Vec3l::Zero()};
  int size = 0;
};

/// Some corners of a simplex.
struct Face {
  std::array<const Vec3l*, 4> w{};
  int size = 0;
};

/// The point nearest the origin on the affine hull of the corners, when it lies strictly between them.
///   one    x = w₀
///   two    x = w₀ + y e,  y = −e·w₀ / e·e
///   three  x = n (n·w₀) / n·n with n = e₁ × e₂: along the normal itself, because the sum of weighted corners
///          would lose the direction of a short x to cancellation; slivers have no trustworthy normal, so
///          they do take the sum
///   four   x = 0
bool nearest_point(const Face& f, Vec3l& x) {
  const Vec3l& w0 = *f.w[0];
  x = w0;
  if (f.size == 1) return true;
  const Vec3l e1 = *f.w[1] - w0;
  if (f.size == 2) {
    const Real ee = e1.squaredNorm(), y = -e1.dot(w0);
    if (!(y > 0 && y < ee)) return false;
    x = w0 + y / ee * e1;
    return true;
  }
  const Vec3l e2 = *f.w[2] - w0;
  if (f.size == 3) {
    const Vec3l n = e1.cross(e2);
    const Real nn = n.squaredNorm(), y1 = -w0.cross(e2).dot(n), y2 = -e1.cross(w0).dot(n);
    if (!(y1 > 0 && y2 > 0 && y1 + y2 < nn)) return false;
    const bool sliver = nn < 1e-6L * std::max(e1.squaredNorm(), e2.squaredNorm()) * w0.squaredNorm();
    x = sliver ? Vec3l(w0 + y1 / nn * e1 + y2 / nn * e2) : Vec3l(n.dot(w0) / nn * n);
    return true;
  }
  const Vec3l e3 = *f.w[3] - w0, e23 = e2.cross(e3);
  const Real volume = e1.dot(e23), sign = volume > 0 ? 1 : -1;
  const Real y1 = -sign * w0.dot(e23), y2 = -sign * e1.dot(w0.cross(e3)), y3 = -sign * e1.dot(e2.cross(w0));
  x.setZero();
  return y1 > 0 && y2 > 0 && y3 > 0 && y1 + y2 + y3 < sign * volume;
}

/// The newest corner of the simplex and the older ones that `mask` picks.
Face face_of(const Simplex& s, int mask) {
  Face face{{&s.w[s.size - 1]}, 1};
  for (int i = 0; i < s.size - 1; ++i)
    if (mask >> i & 1) face.w[face.size++] = &s.w[i];
  return face;
}

/// Reduces the simplex to the face nearest the origin and returns the nearest point. The newest point is part of
/// that face, so at most 8 faces are tried.
Vec3l reduce(Simplex& s) {
  Real best = std::numeric_limits<Real>::infinity();
  Vec3l nearest, x;
  int best_mask = 0;
  for (int mask = 0; mask < (1 << (s.size - 1)); ++mask) {
    if (!nearest_point(face_of(s, mask), x)) continue;
    if (const Real xx = x.squaredNorm(); xx < best) best = xx, nearest = x, best_mask = mask;
  }
  const Face face = face_of(s, best_mask);
  Simplex kept;
  for (; kept.size < face.size; ++kept.size) kept.w[kept.size] = *face.w[kept.size];
  s = kept;
  return nearest;
}

}  // namespace

double round_down(Real x) {
  const auto d = static_cast<double>(x);
  return d > x ? std::nextafter(d, -std::numeric_limits<double>::infinity()) : d;
}

double round_up(Real x) { return -round_down(-x); }

Vec3l support(const Core& core, const Vec3l& d) {
  if (core.is_cylinder) {
    const Real along = core.axis.dot(d);
    // Twice, because near the axis the first difference is rounding that need not be orthogonal to it. Below 1e-17
    // nothing else is left, and a point taken along it could lie outside; without it the reach is short by 1e-17 r.
    Vec3l across = d - along * core.axis;
    across -= core.axis.dot(across) * core.axis;
    const Real length = across.norm();
    Vec3l p = core.centre + (along < 0 ? -core.half_length : core.half_length) * core.axis;
    if (length > 1e-17L * std::abs(along)) p += core.radius / length * across;
    return p;
  }
  const Vec3* best = core.points.data();
  Real most = -std::numeric_limits<Real>::infinity();
  for (const Vec3& p : core.points) {
    const Real reach = d.x() * p.x() + d.y() * p.y() + d.z() * p.z();
    if (reach > most) most = reach, best = &p;
  }
  return best->cast<Real>();
}

Real extent(const Core& core, const Vec3l& d) { return d.dot(support(core, d)); }

Real overlap_along(const Core& a, const Core& b, const Vec3l& n) { return extent(a, n) + extent(b, -n); }

Real refined_overlap(const Core& a, const Core& b, Vec3l n) {
  Real best = overlap_along(a, b, n);
  for (Real step = 0.05L; step > 1e-10L;) {
    const Vec3l u = n.unitOrthogonal(), v = n.cross(u);
    bool better = false;
    for (const Vec3l& d : {u, v, Vec3l(-u), Vec3l(-v)}) {
      const Vec3l m = (n + step * d).normalized();
      if (const Real w = overlap_along(a, b, m); w < best) {
        best = w, n = m, better = true;
        break;
      }
    }
    if (!better) step /= 2;
  }
  return best;
}

Bracket core_distance(const Core& a, const Core& b, double beyond) {
  constexpr int kMostIterations =
      256;  // polytopes need about 6; a cylinder's round side gains a digit in 2 to 4
  constexpr Real kRelative = 1e-17L, kAbsolute = 1e-19L;

  Vec3l v = support(a, Vec3l::UnitX()) - support(b, -Vec3l::UnitX());
  Simplex simplex;
  simplex.w[simplex.size++] = v;
  Real lower = 0, upper = v.norm(), scale = upper;
  for (int iteration = 0; iteration < kMostIterations && upper > 0; ++iteration) {
    const Vec3l w = support(a, -v) - support(b, v);
    scale = std::max(scale, w.norm());
    lower = std::max(lower, v.dot(w) / upper);
    if (lower > beyond || upper - lower <= kRelative * upper + kAbsolute * scale) break;
    // A point met again brings nothing new: what is left is rounding.
    if (std::any_of(simplex.w.begin(), simplex.w.begin() + simplex.size,
                    [&](const Vec3l& x) { return x == w; }))
      break;
    simplex.w[simplex.size++] = w;
    v = reduce(simplex);
    const Real next = v.norm();
    if (simplex.size == 4 || next <= kAbsolute * scale) {
      upper = 0;
      break;
    }
    if (next >= upper) break;
    upper = next;
  }
  // Round sides can end the search among slivers: then the separating plane is turned until it is the best one.
  const bool loose = upper > 0 && lower <= beyond && upper - lower > 1e-10L * scale;
  if (loose && (a.is_cylinder || b.is_cylinder))
    lower = std::max(lower, -refined_overlap(a, b, -v.normalized()));
  if (upper == 0) lower = 0;
  return {round_down(lower), round_up(upper)};
}

}  // namespace jade::judge
