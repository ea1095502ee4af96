#include "jade/geometry/curve.h"

#include <cmath>

namespace jade {

Vec3 Curve::tangent() const {
  if (kind == Kind::line) return direction;
  return kind == Kind::circle ? Vec3(direction.cross(x - centre)) : Vec3(Vec3::Zero());
}

Vec3 Curve::curvature() const { return kind == Kind::circle ? Vec3(centre - x) : Vec3(Vec3::Zero()); }

void Curve::move(double s) {
  if (kind == Kind::line) x += s * direction;
  if (kind == Kind::circle)
    x = centre + std::cos(s) * (x - centre) + std::sin(s) * direction.cross(x - centre);
}

bool approach(Curve& a, Curve& b) {
  const Curve first_a = a, first_b = b;
  const double first = (b.x - a.x).norm();
  for (int i = 0; i < 20; ++i) {
    const Vec3 D = b.x - a.x, ta = a.tangent(), tb = b.tangent();
    const double fs = -D.dot(ta), ft = D.dot(tb);
    // A point does not move: its row is that of the identity.
    const double fss = a.kind == Curve::Kind::point ? 1 : ta.squaredNorm() - D.dot(a.curvature());
    const double ftt = b.kind == Curve::Kind::point ? 1 : tb.squaredNorm() + D.dot(b.curvature());
    const double fst = -ta.dot(tb), det = fss * ftt - fst * fst;
    if (!(fss > 0 && det > 1e-12 * fss * ftt)) break;
    const double ds = (-ftt * fs + fst * ft) / det, dt = (fst * fs - fss * ft) / det;
    a.move(ds);
    b.move(dt);
    // Angles and metres alike: beyond this the places do not change any more.
    if (std::abs(ds) + std::abs(dt) > 1e-14) continue;
    if ((b.x - a.x).norm() <= first * (1 + 1e-9)) return true;
    break;
  }
  a = first_a;
  b = first_b;
  return false;
}

}  // namespace jade
