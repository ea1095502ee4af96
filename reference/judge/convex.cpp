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

/// Weights of the point nearest the origin on the affine hull of the first `size` points; false when some weight is
/// not positive or the points are dependent.
///   x = w₀ + Σ y_i e_i, e_i = w_i − w₀:   G y = −E·w₀ with the Gram matrix G = EᵀE
bool nearest_weights(const std::array<Vec3l, 4>& w, int size, std::array<Real, 4>& weight) {
  if (size == 1) {
    weight[0] = 1;
    return true;
  }
  const Vec3l e1 = w[1] - w[0];
  if (size == 2) {
    const Real ee = e1.squaredNorm();
    weight[1] = ee > 0 ? -e1.dot(w[0]) / ee : -1;
  } else if (size == 3) {
    const Vec3l e2 = w[2] - w[0], n = e1.cross(e2);
    const Real nn = n.squaredNorm();
    if (!(nn > 0)) return false;
    weight[1] = -w[0].cross(e2).dot(n) / nn;
    weight[2] = -e1.cross(w[0]).dot(n) / nn;
  } else {
    const Vec3l e2 = w[2] - w[0], e3 = w[3] - w[0];
    const Real volume = e1.dot(e2.cross(e3));
    if (volume == 0) return false;
    weight[1] = -w[0].dot(e2.cross(e3)) / volume;
    weight[2] = -e1.dot(w[0].cross(e3)) / volume;
    weight[3] = -e1.dot(e2.cross(w[0])) / volume;
  }
  weight[0] = 1;
  for (int i = 1; i < size; ++i) weight[0] -= weight[i];
  return std::all_of(weight.begin(), weight.begin() + size, [](Real x) { return x > 0; });
}

/// The newest point of the simplex and the older ones that `mask` picks.
Simplex face_of(const Simplex& s, int mask) {
  Simplex face = s;
  face.w[0] = s.w[s.size - 1];
  face.size = 1;
  for (int i = 0; i < s.size - 1; ++i)
    if (mask >> i & 1) face.w[face.size++] = s.w[i];
  return face;
}

/// Reduces the simplex to the face nearest the origin and returns the nearest point. The newest point is part of
/// that face, so at most 8 faces are tried.
Vec3l reduce(Simplex& s) {
  Real best = std::numeric_limits<Real>::infinity();
  Vec3l nearest = s.w[s.size - 1];
  int best_mask = 0;
  for (int mask = 0; mask < (1 << (s.size - 1)); ++mask) {
    const Simplex face = face_of(s, mask);
    std::array<Real, 4> weight{};
    if (!nearest_weights(face.w, face.size, weight)) continue;
    Vec3l v = Vec3l::Zero();
    if (face.size < 4)
      for (int i = 0; i < face.size; ++i) v += weight[i] * face.w[i];
    if (const Real vv = v.squaredNorm(); vv < best) best = vv, nearest = v, best_mask = mask;
  }
  s = face_of(s, best_mask);
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
    // Twice, because near the axis the first difference is rounding that need not be orthogonal to it.
    Vec3l across = d - along * core.axis;
    across -= core.axis.dot(across) * core.axis;
    const Real length = across.norm();
    Vec3l p = core.centre + (along < 0 ? -core.half_length : core.half_length) * core.axis;
    if (length > 0) p += core.radius / length * across;
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
  if (upper == 0) lower = 0;
  return {round_down(lower), round_up(upper)};
}

}  // namespace jade::judge
