#include "jade/geometry/simplex.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jade {
namespace {

/// A face of the simplex (by point numbers) and its point nearest to the origin.
struct Nearest {
  Vec3 v = Vec3::Zero();
  double squared = std::numeric_limits<double>::infinity();
  int count = 0;
  int index[4] = {};
  double weight[4] = {};
};

Nearest at_point(const Vec3* w, int i) { return {w[i], w[i].squaredNorm(), 1, {i}, {1}}; }

Nearest on_segment(const Vec3* w, int i, int j) {
  const Vec3 d = w[j] - w[i];
  const double dd = d.squaredNorm();
  const double t = -w[i].dot(d);
  if (!(t > 0)) return at_point(w, i);
  if (!(t < dd)) return at_point(w, j);
  // The part of w orthogonal to d, from the nearer end.
  const Vec3& from = 2 * t < dd ? w[i] : w[j];
  const Vec3 v = d.cross(from.cross(d)) / dd;
  return {v, v.squaredNorm(), 2, {i, j}, {1 - t / dd, t / dd}};
}

void keep_nearer(Nearest& best, const Nearest& other) {
  if (other.squared < best.squared) best = other;
}

Nearest on_triangle(const Vec3* w, int i, int j, int k) {
  const Vec3 &a = w[i], &b = w[j], &c = w[k];
  const Vec3 ab = b - a, ac = c - a, bc = c - b;
  const Vec3 m = ab.cross(ac);
  const double mm = m.squaredNorm();
  // Areas seen from the origin's projection, opposite to each corner, times |m|.
  const double on_c = m.dot(a.cross(ab)), on_a = m.dot(b.cross(bc)), on_b = m.dot(ac.cross(a));
  // Below this a normal is only rounding, and the edges say all there is to say.
  const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), bc.squaredNorm()});
  const bool flat = !(mm > 1e-28 * longest * longest);
  if (!flat && on_a > 0 && on_b > 0 && on_c > 0) {
    const Vec3 v = m * (m.dot(a) / mm);
    const double sum = on_a + on_b + on_c;
    return {v, v.squaredNorm(), 3, {i, j, k}, {on_a / sum, on_b / sum, on_c / sum}};
  }
  Nearest best;
  if (flat || on_c <= 0) keep_nearer(best, on_segment(w, i, j));
  if (flat || on_b <= 0) keep_nearer(best, on_segment(w, i, k));
  if (flat || on_a <= 0) keep_nearer(best, on_segment(w, j, k));
  return best;
}

Nearest in_tetrahedron(const Vec3* w) {
  constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};  // face, opposite
  Nearest best;
  double volumes[4] = {};
  for (int f = 0; f < 4; ++f) {
    const auto& [i, j, k, l] = kFaces[f];
    const Vec3 m = (w[j] - w[i]).cross(w[k] - w[i]);
    const double apex = m.dot(w[l] - w[i]), origin = -m.dot(w[i]);
    volumes[l] = std::abs(origin);
    // Beyond this face, or so flat that it does not matter: the face is a candidate.
    const bool inside = (apex > 0 && origin > 0) || (apex < 0 && origin < 0);
    if (!inside) keep_nearer(best, on_triangle(w, i, j, k));
  }
  if (best.count > 0) return best;
  const double sum = volumes[0] + volumes[1] + volumes[2] + volumes[3];
  best = {Vec3::Zero(), 0, 4, {0, 1, 2, 3}, {}};
  for (int i = 0; i < 4; ++i) best.weight[i] = volumes[i] / sum;
  return best;
}

}  // namespace

Vec3 reduce(Simplex& simplex) {
  const Nearest nearest = simplex.count == 1   ? at_point(simplex.w, 0)
                          : simplex.count == 2 ? on_segment(simplex.w, 0, 1)
                          : simplex.count == 3 ? on_triangle(simplex.w, 0, 1, 2)
                                               : in_tetrahedron(simplex.w);
  // Numbers ascend, so points only move down.
  for (int k = 0; k < nearest.count; ++k) {
    const int i = nearest.index[k];
    simplex.a[k] = simplex.a[i];
    simplex.b[k] = simplex.b[i];
    simplex.w[k] = simplex.w[i];
    simplex.weight[k] = nearest.weight[k];
  }
  simplex.count = nearest.count;
  return nearest.v;
}

}  // namespace jade
