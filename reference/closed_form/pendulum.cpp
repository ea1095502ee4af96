#include "reference/closed_form/pendulum.h"

#include <cmath>

#include "reference/closed_form/elliptic.h"

namespace jade::closed_form {

double Pendulum::angle(double t) const {
  const double k = std::sin(amplitude / 2);
  const Jacobi j = jacobi(rate * t, k);
  return 2 * std::asin(k * j.cn / j.dn);
}

double Pendulum::angle_rate(double t) const {
  const double k = std::sin(amplitude / 2);
  const Jacobi j = jacobi(rate * t, k);
  return -2 * rate * k * std::cos(amplitude / 2) * j.sn / j.dn;
}

double Pendulum::period() const { return 4 * quarter_period(std::sin(amplitude / 2)) / rate; }

}  // namespace jade::closed_form
