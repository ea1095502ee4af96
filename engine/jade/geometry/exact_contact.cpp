#include "jade/geometry/exact_contact.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace jade {
namespace {

constexpr unsigned kTimeBits = 46;

using Vector = std::array<Polynomial, 3>;

Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Polynomial dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The polynomials whose signs decide a query.
struct Signs {
  explicit Signs(const IntegerQuery& query);

  Polynomial coplanarity;
  std::array<Vector, 4>
      weights;                 ///< w_i(e_k), signed so that contact means: no two of opposite sign for any k
  std::array<Vector, 4> gaps;  ///< x_i − x_j for i in the first and j in the second feature
  int gap_count = 0;
};

Signs::Signs(const IntegerQuery& query) {
  std::array<Vector, 4> x;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 3; ++k) x[i][k] = Polynomial::through(query.start[i][k], query.end[i][k]);
  }
  const std::array<Vector, 3> u{x[1] - x[0], x[2] - x[0], x[3] - x[0]};
  weights[1] = cross(u[1], u[2]);
  weights[2] = cross(u[2], u[0]);
  weights[3] = cross(u[0], u[1]);
  coplanarity = dot(u[0], weights[1]);
  const int first = points_of_first(query.kind);
  for (std::size_t k = 0; k < 3; ++k) {
    weights[0][k] = -(weights[1][k] + weights[2][k] + weights[3][k]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(first); ++i) weights[i][k] = -weights[i][k];
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(first); ++i) {
    for (std::size_t j = static_cast<std::size_t>(first); j < 4; ++j) {
      gaps[static_cast<std::size_t>(gap_count++)] = x[i] - x[j];
    }
  }
}

/// The features share a point at `time`, at which the four points are coplanar.
bool touch_in_plane(const Signs& signs, RootTime& time) {
  bool on_one_line = true;
  for (std::size_t k = 0; k < 3; ++k) {
    bool positive = false, negative = false;
    for (const Vector& weight : signs.weights) {
      const int sign_here = time.sign_of(weight[k]);
      positive |= sign_here > 0;
      negative |= sign_here < 0;
    }
    if (positive && negative) return false;
    on_one_line &= !positive && !negative;
  }
  if (!on_one_line) return true;
  for (std::size_t k = 0; k < 3; ++k) {
    bool above = true, below = true;
    for (const Vector& gap : std::span(signs.gaps).first(static_cast<std::size_t>(signs.gap_count))) {
      const int sign_here = time.sign_of(gap[k]);
      above &= sign_here > 0;
      below &= sign_here < 0;
    }
    if (above || below) return false;
  }
  return true;
}

bool touch_at_end(const Signs& signs, const Dyadic& t) {
  RootTime time(t);
  return signs.coplanarity.sign_at(t) == 0 && touch_in_plane(signs, time);
}

/// The earliest contact among the roots of p inside (0, 1), as a time that is not late; 2 if there is none.
double first_touch_at_roots(const Signs& signs, const Polynomial& p) {
  const Polynomial interior = interior_factor(p);
  for (RootTime& time : roots_inside_unit_interval(interior)) {
    if (!touch_in_plane(signs, time)) continue;
    time.narrow_to(kTimeBits);
    return round_down(time.lower());
  }
  return 2;
}

/// The earliest contact inside (0, 1); 2 if there is none.
double first_touch_inside(const Signs& signs) {
  if (!signs.coplanarity.is_zero()) return first_touch_at_roots(signs, signs.coplanarity);
  double first = 2;
  const auto try_roots_of = [&](std::span<const Vector> vectors) {
    bool any = false;
    for (const Vector& vector : vectors) {
      for (const Polynomial& p : vector) {
        if (p.is_zero()) continue;
        any = true;
        first = std::min(first, first_touch_at_roots(signs, p));
      }
    }
    return any;
  };
  if (!try_roots_of(signs.weights)) {
    try_roots_of(std::span(signs.gaps).first(static_cast<std::size_t>(signs.gap_count)));
  }
  return first;
}

/// A finite double as an odd integer times a power of two (0 as 0).
struct Parts {
  std::int64_t mantissa = 0;
  int exponent = 0;
};

Parts parts_of(double value) {
  if (value == 0) return {};
  Parts parts;
  const double fraction = std::frexp(value, &parts.exponent);
  parts.mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  parts.exponent -= 53;
  while (parts.mantissa % 2 == 0) {
    parts.mantissa /= 2;
    ++parts.exponent;
  }
  return parts;
}

}  // namespace

IntegerQuery to_integers(const CcdQuery& query) {
  std::array<Parts, 24> parts;
  int lowest = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < 24; ++i) {
    const auto& points = i < 12 ? query.start : query.end;
    parts[i] = parts_of(points[(i % 12) / 3][static_cast<Eigen::Index>(i % 3)]);
    if (parts[i].mantissa != 0) lowest = std::min(lowest, parts[i].exponent);
  }
  IntegerQuery result;
  result.kind = query.kind;
  for (std::size_t i = 0; i < 24; ++i) {
    if (parts[i].mantissa == 0) continue;
    auto& points = i < 12 ? result.start : result.end;
    points[(i % 12) / 3][i % 3] = Integer(parts[i].mantissa)
                                  << static_cast<unsigned>(parts[i].exponent - lowest);
  }
  return result;
}

CcdResult decide_exactly(const IntegerQuery& query) {
  const Signs signs(query);
  const Dyadic zero{0, 0}, one{1, 0};
  if (touch_at_end(signs, zero)) return {.hit = true, .time_of_impact = 0, .path = CcdPath::exact};
  const double inside = first_touch_inside(signs);
  if (inside <= 1) return {.hit = true, .time_of_impact = inside, .path = CcdPath::exact};
  return {.hit = touch_at_end(signs, one), .time_of_impact = 1, .path = CcdPath::exact};
}

}  // namespace jade
