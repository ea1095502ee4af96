#pragma once

#include "jade/math/types.h"

namespace jade {

/// A point, a straight edge or a circular rim, with the place on it that is looked at. World coordinates.
struct Curve {
  enum class Kind { point, line, circle };
  Kind kind = Kind::point;
  Vec3 x = Vec3::Zero();          ///< the place
  Vec3 direction = Vec3::Zero();  ///< line: unit, along it; circle: its axis
  Vec3 centre = Vec3::Zero();     ///< circle

  Vec3 tangent() const;    ///< dx/ds: unit on a line, of length r on a circle (s is the angle)
  Vec3 curvature() const;  ///< d²x/ds²
  void move(double s);
};

/// Moves the places on both curves to where their distance is smallest nearby, by Newton's method on
///   f(s, t) = ½ |x_b(t) − x_a(s)|²,   D = x_b − x_a
///   f_s = −D·x_a',  f_t = D·x_b',  f_ss = x_a'² − D·x_a'',  f_tt = x_b'² + D·x_b'',  f_st = −x_a'·x_b'
/// from places that are near it already. False when it does not converge; the curves are then as they were.
bool approach(Curve& a, Curve& b);

}  // namespace jade
