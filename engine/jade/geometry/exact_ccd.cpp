#include "jade/geometry/exact_ccd.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "jade/base/error.h"
#include "jade/geometry/ccd_filter.h"
#include "jade/geometry/exact_contact.h"

namespace jade {
namespace {

[[noreturn]] void refuse(const char* problem, const char* remedy) {
  throw InvalidInput("continuous collision query", {{"coordinates", problem, remedy}});
}

struct Ratio {
  Integer numerator, denominator;
};

Ratio parse(const RationalCcdQuery::Fraction& fraction) {
  Ratio ratio;
  try {
    ratio = {Integer(fraction.numerator), Integer(fraction.denominator)};
  } catch (const std::exception&) {
    refuse("contain something that is no integer", "write numerators and denominators in decimal digits");
  }
  if (ratio.denominator.is_zero()) refuse("contain a denominator of 0", "give denominators other than 0");
  const Integer common = gcd(ratio.numerator, ratio.denominator) * ratio.denominator.sign();
  return {ratio.numerator / common, ratio.denominator / common};
}

/// The fraction, in lowest terms, as a double, if it is one.
std::optional<double> as_double(const Ratio& ratio) {
  if (ratio.numerator.is_zero()) return 0.0;
  const Integer size = abs(ratio.numerator);
  const unsigned down = msb(ratio.denominator);
  const unsigned up = lsb(size);
  if (lsb(ratio.denominator) != down || msb(size) - up >= 53) return std::nullopt;
  const auto mantissa = static_cast<double>(static_cast<long long>(Integer(ratio.numerator >> up)));
  if (down > 4000 || up > 4000) return std::nullopt;
  const int exponent = static_cast<int>(up) - static_cast<int>(down);
  const double value = std::ldexp(mantissa, exponent);
  // Outside the range of doubles the scaling loses bits or overflows, and does not lead back.
  if (!std::isfinite(value) || std::ldexp(value, -exponent) != mantissa) return std::nullopt;
  return value;
}

}  // namespace

CcdResult exact_ccd(const CcdQuery& query) {
  require_finite(query);
  if (const std::optional<CcdResult> proven = filter_ccd(query)) return *proven;
  return decide_exactly(to_integers(query));
}

CcdResult exact_ccd(const RationalCcdQuery& query) {
  std::array<Ratio, 24> ratios;
  Integer common = 1;
  for (std::size_t i = 0; i < 24; ++i) {
    const auto& points = i < 12 ? query.start : query.end;
    ratios[i] = parse(points[(i % 12) / 3][i % 3]);
    common = lcm(common, ratios[i].denominator);
  }
  IntegerQuery integers;
  integers.kind = query.kind;
  for (std::size_t i = 0; i < 24; ++i) {
    auto& points = i < 12 ? integers.start : integers.end;
    points[(i % 12) / 3][i % 3] = ratios[i].numerator * (common / ratios[i].denominator);
  }
  return decide_exactly(integers);
}

bool to_doubles(const RationalCcdQuery& rational, CcdQuery& query) {
  query.kind = rational.kind;
  for (std::size_t i = 0; i < 24; ++i) {
    const auto& points = i < 12 ? rational.start : rational.end;
    const std::optional<double> value = as_double(parse(points[(i % 12) / 3][i % 3]));
    if (!value) return false;
    (i < 12 ? query.start : query.end)[(i % 12) / 3][static_cast<Eigen::Index>(i % 3)] = *value;
  }
  return true;
}

}  // namespace jade
