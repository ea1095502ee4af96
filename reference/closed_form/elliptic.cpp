#include "reference/closed_form/elliptic.h"

#include <array>
#include <cmath>

namespace jade::closed_form {

double quarter_period(double k) { return std::comp_ellint_1(k); }

Jacobi jacobi(double u, double k) {
  constexpr int kLevels = 16;  // c shrinks quadratically: 16 halvings are far beyond double precision
  std::array<double, kLevels + 1> a{}, c{};
  double b = std::sqrt((1 - k) * (1 + k));
  a[0] = 1;
  c[0] = k;
  int n = 0;
  while (n < kLevels && std::abs(c[n]) > 1e-17) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
    ++n;
  }
  // Whole periods are taken off first, so that large arguments lose no digits in the doublings.
  const double period = 4 * quarter_period(k);
  double phi = std::ldexp(a[n] * std::remainder(u, period), n);
  for (; n > 0; --n) phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  const double sn = std::sin(phi), cn = std::cos(phi);
  return {sn, cn, std::sqrt(1 - k * k * sn * sn)};
}

}  // namespace jade::closed_form
