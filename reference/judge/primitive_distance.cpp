#include "reference/judge/primitive_distance.h"

#include <algorithm>

namespace jade::judge {
namespace {

Vec3l wide(const Vec3& p) { return p.cast<Real>(); }

/// Closest point to p on the segment a + s u, s in [0, 1]; a segment without length is its start.
Real foot_on_segment(const Vec3l& p, const Vec3l& a, const Vec3l& u) {
  const Real uu = u.squaredNorm();
  return uu > 0 ? std::clamp<Real>(u.dot(p - a) / uu, 0, 1) : 0;
}

Real point_segment(const Vec3l& p, const Vec3l& a, const Vec3l& b) {
  const Vec3l u = b - a;
  return (a + foot_on_segment(p, a, u) * u - p).squaredNorm();
}

}  // namespace

Real squared_distance_point_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  return point_segment(wide(p), wide(a), wide(b));
}

/// The minimum lies at an end of one segment, or inside both on the common perpendicular of the two lines:
///   u·(x − y) = 0 and v·(x − y) = 0 with x = a + s u, y = c + t v.
Real squared_distance_segments(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3l A = wide(a), B = wide(b), C = wide(c), D = wide(d);
  const Vec3l u = B - A, v = D - C, w = A - C;
  const Real uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v), uw = u.dot(w), vw = v.dot(w);
  const Real det = uu * vv - uv * uv;
  if (det > 0) {
    const Real s = (uv * vw - vv * uw) / det, t = (uu * vw - uv * uw) / det;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
      // Nearly parallel lines lose digits in s and t: one projection onto each segment restores them.
      const Real t2 = foot_on_segment(A + s * u, C, v);
      const Real s2 = foot_on_segment(C + t2 * v, A, u);
      return (A + s2 * u - C - t2 * v).squaredNorm();
    }
  }
  return std::min(std::min(point_segment(A, C, D), point_segment(B, C, D)),
                  std::min(point_segment(C, A, B), point_segment(D, A, B)));
}

Real squared_distance_point_triangle(const Vec3& p, const Triangle& t) {
  const Vec3l P = wide(p), A = wide(t[0]), B = wide(t[1]), C = wide(t[2]);
  const Vec3l n = (B - A).cross(C - A);
  const Real nn = n.squaredNorm();
  const bool above = nn > 0 && n.dot((B - A).cross(P - A)) >= 0 && n.dot((C - B).cross(P - B)) >= 0 &&
                     n.dot((A - C).cross(P - C)) >= 0;
  if (above) {
    const Real height = n.dot(P - A);
    return height * height / nn;
  }
  return std::min({point_segment(P, A, B), point_segment(P, B, C), point_segment(P, C, A)});
}

Real squared_distance_segment_triangle(const Vec3& a, const Vec3& b, const Triangle& t) {
  const Crossing c = crossing(a, b, t);
  if (c == Crossing::once || c == Crossing::start_inside) return 0;
  // An unclear crossing passes an edge or corner, or lies in the plane: the distances below are 0 then.
  return std::min({squared_distance_point_triangle(a, t), squared_distance_point_triangle(b, t),
                   squared_distance_segments(a, b, t[0], t[1]), squared_distance_segments(a, b, t[1], t[2]),
                   squared_distance_segments(a, b, t[2], t[0])});
}

Real squared_distance_triangles(const Triangle& s, const Triangle& t) {
  Real best = squared_distance_point_triangle(s[0], t);
  for (int i = 0; i < 3; ++i) {
    best =
        std::min({best, squared_distance_point_triangle(s[i], t), squared_distance_point_triangle(t[i], s)});
    for (int k = 0; k < 3; ++k)
      best = std::min(best, squared_distance_segments(s[i], s[(i + 1) % 3], t[k], t[(k + 1) % 3]));
  }
  return best;
}

}  // namespace jade::judge
