#include "jade/geometry/self_intersection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/multiprecision/cpp_int.hpp>

#include "jade/geometry/broad_phase.h"

namespace jade {
namespace {

using Rational = boost::multiprecision::cpp_rational;

template <class Real>
int sign_of(const Real& x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/// The volume (b − a)·((c − a) × (d − a)) and the sum of its terms' sizes.
template <class Real>
std::pair<Real, Real> volume_and_size(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  Real u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k) u[k] = Real(b[k]) - a[k], v[k] = Real(c[k]) - a[k], w[k] = Real(d[k]) - a[k];
  Real volume = 0, size = 0;
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    using std::abs;
    const Real first = v[l] * w[m], second = v[m] * w[l];
    volume += u[k] * (first - second);
    size += abs(u[k]) * (abs(first) + abs(second));
  }
  return {volume, size};
}

/// Sign of that volume. A result beyond its rounding (a dozen roundings, each half an ulp of a term) is certain.
int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  for (int k = 0; k < 3; ++k)
    if (a[k] == b[k] && a[k] == c[k] && a[k] == d[k]) return 0;
  const auto [rough, rough_size] = volume_and_size<double>(a, b, c, d);
  if (std::abs(rough) > 2e-15 * rough_size) return sign_of(rough);
  const auto [fine, fine_size] = volume_and_size<long double>(a, b, c, d);
  if (std::abs(fine) > 2e-18L * fine_size) return sign_of(fine);
  return sign_of(volume_and_size<Rational>(a, b, c, d).first);
}

/// Sign of the area of a, b, c in the coordinates i and j.
int orientation(const Vec3& a, const Vec3& b, const Vec3& c, int i, int j) {
  const double left = (b[i] - a[i]) * (c[j] - a[j]), right = (b[j] - a[j]) * (c[i] - a[i]);
  if (std::abs(left - right) > 1e-15 * (std::abs(left) + std::abs(right))) return sign_of(left - right);
  const Rational ux = Rational(b[i]) - a[i], uy = Rational(b[j]) - a[j];
  const Rational vx = Rational(c[i]) - a[i], vy = Rational(c[j]) - a[j];
  const Rational area = ux * vy - uy * vx;
  return sign_of(area);
}

using Corners = std::array<Vec3, 3>;

/// A segment and a triangle in one plane share a point: it ends inside, or crosses a side.
bool meets_in_plane(const Vec3& p, const Vec3& q, const Corners& t) {
  int drop = 0;
  (t[1] - t[0]).cross(t[2] - t[0]).cwiseAbs().maxCoeff(&drop);
  const int i = (drop + 1) % 3, j = (drop + 2) % 3;
  const int turn = orientation(t[0], t[1], t[2], i, j);
  const auto inside = [&](const Vec3& x) {
    for (int k = 0; k < 3; ++k)
      if (orientation(t[k], t[(k + 1) % 3], x, i, j) * turn < 0) return false;
    return true;
  };
  if (inside(p) || inside(q)) return true;
  for (int k = 0; k < 3; ++k) {
    const Vec3 &a = t[k], &b = t[(k + 1) % 3];
    if (orientation(a, b, p, i, j) * orientation(a, b, q, i, j) < 0 &&
        orientation(p, q, a, i, j) * orientation(p, q, b, i, j) <= 0)
      return true;
  }
  return false;
}

/// The closed segment pq and the closed triangle share a point.
bool meets(const Vec3& p, const Vec3& q, const Corners& t) {
  const int above = orientation(t[0], t[1], t[2], p), below = orientation(t[0], t[1], t[2], q);
  if (above * below > 0) return false;
  if (above == 0 && below == 0) return meets_in_plane(p, q, t);
  int least = 1, most = -1;
  for (int k = 0; k < 3; ++k) {
    const int side = orientation(p, q, t[k], t[(k + 1) % 3]);
    least = std::min(least, side);
    most = std::max(most, side);
  }
  return least >= 0 || most <= 0;
}

/// How two triangles lie to each other: common corners first.
bool intersect(std::span<const Vec3> vertices, std::array<int, 3> s, std::array<int, 3> t) {
  int shared = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = shared; j < 3; ++j)
      if (s[i] == t[j]) {
        std::swap(s[i], s[shared]);
        std::swap(t[j], t[shared]);
        ++shared;
        break;
      }
  const Corners a{vertices[s[0]], vertices[s[1]], vertices[s[2]]},
      b{vertices[t[0]], vertices[t[1]], vertices[t[2]]};
  if (shared == 3) return true;
  if (shared == 2) {
    // Neighbours overlap only when folded onto each other: in one plane, on the same side of their edge.
    if (orientation(a[0], a[1], a[2], b[2]) != 0) return false;
    int drop = 0;
    (a[1] - a[0]).cross(a[2] - a[0]).cwiseAbs().maxCoeff(&drop);
    const int i = (drop + 1) % 3, j = (drop + 2) % 3;
    return orientation(a[0], a[1], a[2], i, j) == orientation(a[0], a[1], b[2], i, j);
  }
  // The sides away from a common corner; without one, all sides.
  if (shared == 1) return meets(a[1], a[2], b) || meets(b[1], b[2], a);
  for (int k = 0; k < 3; ++k)
    if (meets(a[k], a[(k + 1) % 3], b) || meets(b[k], b[(k + 1) % 3], a)) return true;
  return false;
}

}  // namespace

std::vector<std::array<int, 2>> self_intersections(std::span<const Vec3> vertices,
                                                   std::span<const std::array<int, 3>> triangles, int limit) {
  std::vector<Aabb> boxes(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const int i : triangles[t]) boxes[t].include(vertices[i]);
  BroadPhase broad_phase;
  std::vector<std::array<int, 2>> found;
  for (const auto& [s, t] : broad_phase.overlaps(boxes)) {
    if (int(found.size()) >= limit) break;
    if (intersect(vertices, triangles[s], triangles[t])) found.push_back({s, t});
  }
  return found;
}

}  // namespace jade
