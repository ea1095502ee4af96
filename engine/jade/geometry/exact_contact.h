#pragma once

#include <array>

#include "jade/geometry/ccd_query.h"
#include "jade/geometry/integer_polynomial.h"

namespace jade {

/// A query in integers: the coordinates times one common positive factor, which changes no answer. Internal: this
/// header is not installed.
struct IntegerQuery {
  CcdKind kind = CcdKind::vertex_face;
  std::array<std::array<Integer, 3>, 4> start;
  std::array<std::array<Integer, 3>, 4> end;
};

/// Doubles are integers times a power of two, so nothing is rounded here. The coordinates must be finite.
IntegerQuery to_integers(const CcdQuery& query);

/// Decides a query without rounding.
///
/// With u_i = x_i − x₀ (linear in t) the four points are coplanar where the cubic
///   D(t) = u₁ · (u₂ × u₃)
/// vanishes; there the identity u₁(n·u₂×u₃) + u₂(n·u₃×u₁) + u₃(n·u₁×u₂) = n D = 0 holds for every direction n, so
///   w(n) = (−Σ, n·u₂×u₃, n·u₃×u₁, n·u₁×u₂),   Σ the sum of the other three,
/// has Σ w_i = 0 and Σ w_i x_i = 0. The features meet iff weights w ≠ 0 of one sign on the first and of the other
/// sign on the second feature exist. While the points are not all on one line the weights are unique up to scale and
/// w(e_x), w(e_y), w(e_z), quadratics in t, are not all zero: their signs decide. On one line the features meet iff
/// no coordinate separates them strictly.
///
/// The set of contact times is closed, so it is empty or has a first element: t = 0, or a root of D; where D
/// vanishes identically, a root of one of the twelve weights; where those vanish identically too (the points stay
/// on a moving line), a time at which two points of different features coincide in a coordinate. These finitely
/// many algebraic times are isolated exactly, and the signs of the other polynomials there are found exactly.
///
/// `time_of_impact` is never late, and early by no more than 2^-45.
CcdResult decide_exactly(const IntegerQuery& query);

}  // namespace jade
