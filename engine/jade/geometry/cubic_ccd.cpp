#include "jade/geometry/cubic_ccd.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace jade {
namespace {

/// c[0] + c[1] t + c[2] t² + c[3] t³.
using Cubic = std::array<double, 4>;

double value_at(const Cubic& c, double t) { return ((c[3] * t + c[2]) * t + c[1]) * t + c[0]; }
double slope_at(const Cubic& c, double t) { return (3 * c[3] * t + 2 * c[2]) * t + c[1]; }

/// A moving vector p + t v.
struct Moving {
  Vec3 p, v;
};

Moving between(const CcdQuery& query, std::size_t from, std::size_t to) {
  const Vec3 start = query.start[to] - query.start[from];
  return {start, (query.end[to] - query.end[from]) - start};
}

/// (a × b) · q as a cubic in t.
Cubic triple_product(const Moving& a, const Moving& b, const Moving& q) {
  const Vec3 n0 = a.p.cross(b.p);
  const Vec3 n1 = a.p.cross(b.v) + a.v.cross(b.p);
  const Vec3 n2 = a.v.cross(b.v);
  return {n0.dot(q.p), n0.dot(q.v) + n1.dot(q.p), n1.dot(q.v) + n2.dot(q.p), n2.dot(q.v)};
}

/// What rounding can leave of a value that should be zero.
double rounding_of(const Moving& a, const Moving& b, const Moving& q) {
  const auto size = [](const Moving& m) { return m.p.cwiseAbs().maxCoeff() + m.v.cwiseAbs().maxCoeff(); };
  constexpr double few_operations = 32 * 0x1p-53;
  return few_operations * size(a) * size(b) * size(q);
}

/// A few times: the ends, two critical points and the roots between them are at most seven.
struct Times {
  std::array<double, 8> t{};
  std::size_t size = 0;
  void add(double time) { t[size++] = time; }
};

/// The root of c in [low, high], at whose ends it has opposite signs.
double root_between(const Cubic& c, double low, double high) {
  const bool rising = value_at(c, low) < 0;
  double t = 0.5 * (low + high);
  for (int round = 0; round < 64; ++round) {
    const double value = value_at(c, t);
    if (value == 0) return t;
    ((value < 0) == rising ? low : high) = t;
    const double next = t - value / slope_at(c, t);
    const double previous = t;
    t = next > low && next < high ? next : 0.5 * (low + high);
    if (std::abs(t - previous) <= 0x1p-53) break;
  }
  return t;
}

/// 0, the critical points of c in (0, 1) in order, and 1.
Times monotone_pieces(const Cubic& c) {
  Times times;
  times.add(0);
  // 3 c₃ t² + 2 c₂ t + c₁ = 0, written so that nothing cancels.
  const double discriminant = c[2] * c[2] - 3 * c[3] * c[1];
  if (discriminant >= 0) {
    const double s = -(c[2] + std::copysign(std::sqrt(discriminant), c[2]));
    double first = s != 0 ? c[1] / s : 0, second = c[3] != 0 ? s / (3 * c[3]) : 0;
    if (first > second) std::swap(first, second);
    if (first > 0 && first < 1) times.add(first);
    if (second > 0 && second < 1 && second != first) times.add(second);
  }
  times.add(1);
  return times;
}

Times roots_in_unit_interval(const Cubic& c, double rounding) {
  const Times pieces = monotone_pieces(c);
  Times roots;
  for (std::size_t i = 0; i < pieces.size; ++i) {
    const double t = pieces.t[i];
    const double here = value_at(c, t);
    if (std::abs(here) <= rounding) roots.add(t);
    if (i + 1 == pieces.size) break;
    const double next = value_at(c, pieces.t[i + 1]);
    if ((here < 0 && next > 0) || (here > 0 && next < 0)) roots.add(root_between(c, t, pieces.t[i + 1]));
  }
  std::sort(roots.t.begin(), roots.t.begin() + static_cast<std::ptrdiff_t>(roots.size));
  return roots;
}

std::array<Vec3, 4> points_at(const CcdQuery& query, double t) {
  std::array<Vec3, 4> x;
  for (std::size_t i = 0; i < 4; ++i) x[i] = (1 - t) * query.start[i] + t * query.end[i];
  return x;
}

/// The vertex, already in the plane of the face, has no weight below −tolerance. A face without area has no plane.
bool vertex_in_face(const std::array<Vec3, 4>& x) {
  const Vec3 a = x[2] - x[1], b = x[3] - x[1], q = x[0] - x[1];
  const Vec3 n = a.cross(b);
  const double area = n.squaredNorm();
  if (area == 0) return false;
  const double w2 = q.cross(b).dot(n) / area, w3 = a.cross(q).dot(n) / area;
  return w2 >= -kCubicCcdWeightTolerance && w3 >= -kCubicCcdWeightTolerance &&
         w2 + w3 <= 1 + kCubicCcdWeightTolerance;
}

/// The lines of the edges, already in one plane, cross within both edges. Parallel edges do not cross.
bool edges_cross(const std::array<Vec3, 4>& x) {
  const Vec3 a = x[1] - x[0], b = x[3] - x[2], q = x[2] - x[0];
  const Vec3 n = a.cross(b);
  const double area = n.squaredNorm();
  if (area == 0) return false;
  const double s = q.cross(b).dot(n) / area, r = q.cross(a).dot(n) / area;
  const auto inside = [](double w) {
    return w >= -kCubicCcdWeightTolerance && w <= 1 + kCubicCcdWeightTolerance;
  };
  return inside(s) && inside(r);
}

}  // namespace

CcdResult cubic_ccd(const CcdQuery& query) {
  require_finite(query);
  const bool face = query.kind == CcdKind::vertex_face;
  const Moving a = face ? between(query, 1, 2) : between(query, 0, 1);
  const Moving b = face ? between(query, 1, 3) : between(query, 2, 3);
  const Moving q = face ? between(query, 1, 0) : between(query, 0, 2);
  const Cubic cubic = triple_product(a, b, q);
  const double rounding = rounding_of(a, b, q);

  Times times;
  const bool vanishes =
      std::all_of(cubic.begin(), cubic.end(), [&](double c) { return std::abs(c) <= rounding; });
  if (vanishes) {
    times.add(0);
    times.add(1);
  } else {
    times = roots_in_unit_interval(cubic, rounding);
  }
  for (std::size_t i = 0; i < times.size; ++i) {
    const auto x = points_at(query, times.t[i]);
    if (face ? vertex_in_face(x) : edges_cross(x)) {
      return {.hit = true, .time_of_impact = times.t[i], .path = CcdPath::root};
    }
  }
  return {.hit = false, .time_of_impact = 1, .path = CcdPath::root};
}

}  // namespace jade
