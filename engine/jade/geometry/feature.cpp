#include "jade/geometry/feature.h"

#include <cassert>
#include <utility>

#include "jade/geometry/point_on_plane.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

using Kind = Feature::Kind;
using Mat3x12 = FeatureContactDerivative::Matrix;

/// Closest points of the features' cores and the normal, before the radii are taken off. The step asks for them at every
/// contact, the derivatives below are the gradients' alone.
struct Feet {
  Vec3 a, b, n;
};

Feet apart(const Vec3& a, const Vec3& b, const Vec3& toward_B) {
  const Vec3 w = b - a;
  const double length = w.norm();
  return {a, b, length == 0 ? Vec3(toward_B.normalized()) : Vec3(w / length)};
}

/// Of features of which neither is a plane.
Feet feet_of(const Feature& fa, const Transform& X_WA, const Feature& fb, const Transform& X_WB,
             const Vec3& toward_B) {
  const Vec3 a = X_WA * fa.point, b = X_WB * fb.point;
  if (fa.kind == Kind::point && fb.kind == Kind::point) return apart(a, b, toward_B);
  if (fa.kind == Kind::line && fb.kind == Kind::point) {
    const Vec3 d = X_WA.R * fa.direction;
    return apart(a + d.dot(b - a) * d, b, toward_B);
  }
  if (fa.kind == Kind::point && fb.kind == Kind::line) {
    const Vec3 d = X_WB.R * fb.direction;
    return apart(a, b + d.dot(a - b) * d, toward_B);
  }
  assert(fa.kind == Kind::line && fb.kind == Kind::line);
  const Vec3 da = X_WA.R * fa.direction, db = X_WB.R * fb.direction, e = b - a, w = da.cross(db);
  const double c = da.dot(db), D = 1 - c * c, ea = da.dot(e), eb = db.dot(e);
  const double sign = w.dot(toward_B) < 0 ? -1 : 1;
  return {a + (ea - c * eb) / D * da, b + (c * ea - eb) / D * db, sign / w.norm() * w};
}

/// The most frequent pair by far: a corner, or a ball, over a face.
FeatureContact point_on_plane(const Feature& plane, const Transform& X_WP, const Feature& point,
                              const Transform& X_WQ) {
  assert(point.kind == Kind::point);
  const Vec3 n = X_WP.R * plane.direction, x = X_WQ * point.point;
  const double height = n.dot(x - X_WP.p) - plane.direction.dot(plane.point);
  return {x - height * n, x - point.radius * n, n, height - point.radius};
}

/// A feature placed in the world, with its derivatives: how its point and direction move with the 12 numbers.
struct Placed {
  Vec3 x, d;
  Mat3x12 dx = Mat3x12::Zero(), dd = Mat3x12::Zero();
};

Placed place(const Feature& f, const Transform& X, const Vec3& centre, int first_column) {
  Placed placed{X * f.point, X.R * f.direction};
  placed.dx.middleCols<3>(first_column).setIdentity();
  placed.dx.middleCols<3>(first_column + 3) = -skew(placed.x - centre);
  placed.dd.middleCols<3>(first_column + 3) = -skew(placed.d);
  return placed;
}

/// A unit vector u = w/|w| moves by (1 − u uᵀ) dw / |w|.
Mat3x12 normalised(const Vec3& u, double length, const Mat3x12& dw) {
  return (dw - u * (u.transpose() * dw)) / length;
}

/// The point of the line (x, d) closest to y, and its motion.
struct Foot {
  Vec3 p;
  Mat3x12 dp;
};

Foot foot_on_line(const Placed& line, const Vec3& y, const Mat3x12& dy) {
  const double t = line.d.dot(y - line.x);
  const Eigen::Matrix<double, 1, 12> dt =
      line.d.transpose() * (dy - line.dx) + (y - line.x).transpose() * line.dd;
  return {line.x + t * line.d, line.dx + line.d * dt + t * line.dd};
}

/// Closest points of the two lines: the common perpendicular.
///   e = x_B − x_A, c = d_A·d_B, D = 1 − c²;  t_A = (d_A·e − c d_B·e)/D, t_B = (c d_A·e − d_B·e)/D
std::pair<Foot, Foot> feet_of_lines(const Placed& a, const Placed& b) {
  const Vec3 e = b.x - a.x;
  const double c = a.d.dot(b.d), D = 1 - c * c, ea = a.d.dot(e), eb = b.d.dot(e);
  const double ta = (ea - c * eb) / D, tb = (c * ea - eb) / D;

  const auto de = b.dx - a.dx;
  using Row = Eigen::Matrix<double, 1, 12>;
  const Row dc = a.d.transpose() * b.dd + b.d.transpose() * a.dd;
  const Row dea = a.d.transpose() * de + e.transpose() * a.dd;
  const Row deb = b.d.transpose() * de + e.transpose() * b.dd;
  const Row dD = -2 * c * dc;
  const Row dta = (dea - dc * eb - c * deb - ta * dD) / D;
  const Row dtb = (dc * ea + c * dea - deb - tb * dD) / D;
  return {{a.x + ta * a.d, a.dx + a.d * dta + ta * a.dd}, {b.x + tb * b.d, b.dx + b.d * dtb + tb * b.dd}};
}

/// Closest points of the features' cores and the normal, before the radii are taken off.
struct Core {
  Foot a, b;
  Vec3 n;
  Mat3x12 dn;
};

Core from_separation(const Foot& a, const Foot& b, const Vec3& toward_B) {
  const Vec3 w = b.p - a.p;
  const double length = w.norm();
  if (length == 0) return {a, b, toward_B.normalized(), Mat3x12::Zero()};
  const Vec3 n = w / length;
  return {a, b, n, normalised(n, length, b.dp - a.dp)};
}

/// Of features of which neither is a plane.
Core solve(Kind kind_a, const Placed& a, Kind kind_b, const Placed& b, const Vec3& toward_B) {
  const Foot foot_a{a.x, a.dx}, foot_b{b.x, b.dx};
  if (kind_a == Kind::point && kind_b == Kind::point) return from_separation(foot_a, foot_b, toward_B);
  if (kind_a == Kind::line && kind_b == Kind::point)
    return from_separation(foot_on_line(a, b.x, b.dx), foot_b, toward_B);
  if (kind_a == Kind::point && kind_b == Kind::line)
    return from_separation(foot_a, foot_on_line(b, a.x, a.dx), toward_B);

  assert(kind_a == Kind::line && kind_b == Kind::line);
  const Vec3 w = a.d.cross(b.d);
  const double sign = w.dot(toward_B) < 0 ? -1 : 1, length = w.norm();
  const Vec3 n = sign / length * w;
  const Mat3x12 dw = sign * (skew(a.d) * b.dd - skew(b.d) * a.dd);
  const auto [on_a, on_b] = feet_of_lines(a, b);
  return {on_a, on_b, n, normalised(n, length, dw)};
}

/// A point x at the height h over a plane with the outward normal m. The height changes by the motion of the material
/// points, dh = m·(dx − dx_P), the normal by the plane's rotation, dm = θ_P × m, and the point half-way between the
/// surfaces, x − ½ (h + radius) m, by  dx − ½ m dh − ½ (h + radius) dm.
struct PlacedFeature {
  const Feature& feature;
  const Transform& X_W;
  const Vec3& centre;
  int first_column;
};
FeatureContactDerivative point_on_plane_derivative(const PlacedFeature& plane, const PlacedFeature& point) {
  const Vec3 m = plane.X_W.R * plane.feature.direction, x = point.X_W * point.feature.point;
  const double h = m.dot(x - plane.X_W.p) - plane.feature.direction.dot(plane.feature.point);
  const Vec3 arm = x - point.centre, half = 0.5 * m;
  const int on_plane = plane.first_column, on_point = point.first_column;
  FeatureContactDerivative out;
  out.normal.setZero();
  out.normal.middleCols<3>(on_plane + 3) = (on_plane == 0 ? -1.0 : 1.0) * skew(m);  // it points from A to B
  const Mat3 across = half * m.transpose();
  out.midpoint.middleCols<3>(on_plane) = across;
  out.midpoint.middleCols<3>(on_plane + 3) =
      0.5 * (h + point.feature.radius) * skew(m) - half * m.cross(x - plane.centre).transpose();
  out.midpoint.middleCols<6>(on_point) = foot_by_point(m, arm, 0.5);
  return out;
}

}  // namespace

FeatureContact closest_points(const Feature& a, const Transform& X_WA, const Feature& b,
                              const Transform& X_WB, const Vec3& toward_B) {
  if (a.kind == Kind::plane) return point_on_plane(a, X_WA, b, X_WB);
  if (b.kind == Kind::plane) {
    FeatureContact contact = point_on_plane(b, X_WB, a, X_WA);
    std::swap(contact.p_A, contact.p_B);
    contact.normal = -contact.normal;
    return contact;
  }
  const Feet feet = feet_of(a, X_WA, b, X_WB, toward_B);
  FeatureContact contact;
  contact.normal = feet.n;
  contact.p_A = feet.a + a.radius * feet.n;
  contact.p_B = feet.b - b.radius * feet.n;
  contact.gap = feet.n.dot(contact.p_B - contact.p_A);
  return contact;
}

FeatureContactDerivative closest_points_derivative(const Feature& a, const Transform& X_WA, const Feature& b,
                                                   const Transform& X_WB, const Vec3& toward_B,
                                                   const RotationCentres& about) {
  const PlacedFeature on_A{a, X_WA, about.A, 0}, on_B{b, X_WB, about.B, 6};
  if (a.kind == Kind::plane) return point_on_plane_derivative(on_A, on_B);
  if (b.kind == Kind::plane) return point_on_plane_derivative(on_B, on_A);
  const Core core = solve(a.kind, place(a, X_WA, about.A, 0), b.kind, place(b, X_WB, about.B, 6), toward_B);
  return {core.dn, 0.5 * (core.a.dp + core.b.dp + (a.radius - b.radius) * core.dn)};
}

LineTurnDerivative closest_points_by_turns(const Feature& a, const Transform& X_WA, const Feature& b,
                                           const Transform& X_WB, const Vec3& toward_B) {
  Placed on_a{X_WA * a.point, X_WA.R * a.direction}, on_b{X_WB * b.point, X_WB.R * b.direction};
  on_a.dd.leftCols<3>().setIdentity();
  on_b.dd.middleCols<3>(3).setIdentity();
  const Core core = solve(a.kind, on_a, b.kind, on_b, toward_B);
  return {core.dn.leftCols<6>(),
          0.5 * (core.a.dp + core.b.dp + (a.radius - b.radius) * core.dn).leftCols<6>()};
}

}  // namespace jade
