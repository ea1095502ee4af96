#pragma once

#include <array>
#include <string>

#include "jade/geometry/ccd_query.h"

namespace jade {

/// Early times of impact of `exact_ccd` are early by no more than this part of the motion.
inline constexpr double kExactCcdTimeTolerance = 1e-9;

/// Decides a query as if with real numbers: no false positive, no false negative, degenerate cases included.
/// `time_of_impact` is never late and early by at most kExactCcdTimeTolerance.
///
/// A floating-point filter settles what it can prove, with bounds on its own rounding; exact arithmetic settles the
/// rest (jade/geometry/exact_contact.h has the equations). The filter, cheapest first:
///   axis         every x_i − x_j between the features keeps one strict sign in one coordinate; the differences are
///                linear in t, so comparing coordinates at t = 0 and t = 1 suffices, and comparisons do not round
///   coplanarity  all Bernstein coefficients of the coplanarity cubic have one sign
///   subdivision  on pieces of [0, 1]: the cubic has no root, or two weights of opposite sign exclude contact, or the
///                cubic changes sign while all weights agree, which proves contact
/// Throws InvalidInput if a coordinate is not finite. Allocates memory only on the exact path.
[[nodiscard]] CcdResult exact_ccd(const CcdQuery& query);

/// A query whose coordinates are fractions of integers of any length, in decimal digits, denominators ≠ 0.
struct RationalCcdQuery {
  struct Fraction {
    std::string numerator;
    std::string denominator;
  };
  using Point = std::array<Fraction, 3>;
  CcdKind kind = CcdKind::vertex_face;
  std::array<Point, 4> start;
  std::array<Point, 4> end;
};

/// The same decision for coordinates that are no doubles. Always exact arithmetic.
[[nodiscard]] CcdResult exact_ccd(const RationalCcdQuery& query);

/// Fills `query` and returns true iff every coordinate of `rational` is a double.
[[nodiscard]] bool to_doubles(const RationalCcdQuery& rational, CcdQuery& query);

}  // namespace jade
