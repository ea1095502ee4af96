#include "reference/judge/exact.h"

// The same code in every build: no checks of CGAL's that depend on NDEBUG.
#define CGAL_NDEBUG
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Exact_rational.h>

namespace jade::judge {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;

Kernel::Point_3 point(const Vec3& p) { return {p.x(), p.y(), p.z()}; }

/// Is the triangle so thin that only exact arithmetic can tell whether it has an area?
bool may_be_collinear(const Triangle& t) {
  const Vec3 u = t[1] - t[0], v = t[2] - t[0];
  // Rounding of the cross product is below 1e-15 |u||v| plus that of the differences, 1e-15 |t||u|.
  const double size = t[0].lpNorm<1>() + t[1].lpNorm<1>() + t[2].lpNorm<1>();
  return u.cross(v).lpNorm<1>() <= 1e-14 * size * (u.lpNorm<1>() + v.lpNorm<1>());
}

bool is_degenerate(const Triangle& t) { return may_be_collinear(t) && collinear(t[0], t[1], t[2]); }

}  // namespace

int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return Kernel().orientation_3_object()(point(a), point(b), point(c), point(d));
}

bool collinear(const Vec3& a, const Vec3& b, const Vec3& c) {
  return Kernel().collinear_3_object()(point(a), point(b), point(c));
}

int side_of_plane(const Vec3& x, const Vec3& p, const Vec3& n) {
  long double sum = 0, size = 0;
  for (int i = 0; i < 3; ++i) {
    const long double term = (static_cast<long double>(x[i]) - p[i]) * n[i];
    sum += term;
    size += term < 0 ? -term : term;
  }
  // Five roundings of at most 2⁻⁶⁴ each; the factor leaves room for their products and for underflow.
  const long double error = 8 * 0x1p-64L * size + 0x1p-1000L;
  if (sum > error) return 1;
  if (sum < -error) return -1;

  CGAL::Exact_rational exact = 0;
  for (int i = 0; i < 3; ++i)
    exact += (CGAL::Exact_rational(x[i]) - CGAL::Exact_rational(p[i])) * CGAL::Exact_rational(n[i]);
  return CGAL::sign(exact);
}

bool triangles_meet(const Triangle& a, const Triangle& b) {
  if (is_degenerate(a) || is_degenerate(b)) return false;
  return Kernel().do_intersect_3_object()(Kernel::Triangle_3(point(a[0]), point(a[1]), point(a[2])),
                                          Kernel::Triangle_3(point(b[0]), point(b[1]), point(b[2])));
}

Crossing crossing(const Vec3& p, const Vec3& q, const Triangle& t) {
  const int side_p = orientation(t[0], t[1], t[2], p), side_q = orientation(t[0], t[1], t[2], q);
  if (side_p * side_q > 0) return Crossing::none;
  if (side_p == 0 && side_q == 0) return is_degenerate(t) ? Crossing::none : Crossing::unclear;

  // Where the line through p and q passes each edge: all on one side means through the triangle.
  const std::array<int, 3> turn{orientation(p, q, t[0], t[1]), orientation(p, q, t[1], t[2]),
                                orientation(p, q, t[2], t[0])};
  int left = 0, right = 0;
  for (const int s : turn) (s > 0 ? left : right) += s != 0;
  if (left > 0 && right > 0) return Crossing::none;
  if (side_p == 0) return Crossing::start_inside;
  if (side_q == 0 || left + right < 3) return Crossing::unclear;
  return Crossing::once;
}

}  // namespace jade::judge
