#include "jade/gradients/gradient_check.h"

#include <cmath>

#include <gtest/gtest.h>

namespace jade {
namespace {

VecX one(double x) { return VecX::Constant(1, x); }

TEST(DerivativeCheck, AtAKinkAcceptsWhatIsBetweenTheSidesAndNothingElse) {
  const Differences d = differentiate([](double s) { return one(s < 0 ? 2 * s : -3 * s); });
  EXPECT_LT(check_derivative(one(2), d).error, 1e-8);
  EXPECT_LT(check_derivative(one(0.5), d).error, 1e-8);
  EXPECT_GT(check_derivative(one(2.1), d).error, 0.01);
  EXPECT_GT(check_derivative(one(-3.1), d).error, 0.01);
}

TEST(DerivativeCheck, NeverAcceptsNaN) {
  const Differences d = differentiate([](double s) { return one(s); });
  EXPECT_EQ(check_derivative(one(std::nan("")), d).digits, 0);
}

}  // namespace
}  // namespace jade
