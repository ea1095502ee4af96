#include "jade/math/differences.h"

#include <gtest/gtest.h>

namespace jade {
namespace {

VecX smooth(double s) { return VecX{{std::sin(1 + s), std::exp(2 * s), 3.0}}; }
const VecX kSlope = VecX{{std::cos(1.0), 2.0, 0.0}};

TEST(RiddersDerivative, CentralIsAccurateAndKnowsItsError) {
  const Derivative d = ridders_derivative(smooth);
  const double error = (d.value - kSlope).lpNorm<Eigen::Infinity>();
  EXPECT_LT(error, 1e-11);
  EXPECT_LT(error, 10 * d.error + 1e-15);
}

TEST(RiddersDerivative, OneSidedSeesOnlyItsSideOfAKink) {
  const auto kink = [](double s) { return VecX{{s > 0 ? 3 * s + s * s : -s}}; };
  EXPECT_NEAR(ridders_derivative(kink, {.one_sided = true}).value[0], 3, 1e-10);
  const auto mirrored = [&](double s) { return kink(-s); };
  EXPECT_NEAR(-ridders_derivative(mirrored, {.one_sided = true}).value[0], -1, 1e-10);
}

}  // namespace
}  // namespace jade
