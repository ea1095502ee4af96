#include "cases/verdict.h"

#include <cmath>

#include <gtest/gtest.h>

namespace jade::cases {
namespace {

Measurement judged(double error, const Tolerance& tolerance, double scale = 1, double tolerance_scale = 1) {
  Measurement m;
  m.error = error;
  judge(m, tolerance, scale, tolerance_scale);
  return m;
}

TEST(Verdict, ComparesTheErrorWithAbsolutePlusRelativeTolerance) {
  const Tolerance t{.absolute = 1, .relative = 0.5};
  EXPECT_EQ(judged(2.9, t, 4).verdict, Verdict::pass);
  EXPECT_EQ(judged(3.1, t, 4).verdict, Verdict::fail);
  EXPECT_DOUBLE_EQ(judged(6, t, 4).margin, 2);
}

TEST(Verdict, PassesAZeroToleranceOnlyWithoutAnyError) {
  EXPECT_EQ(judged(0, {}).verdict, Verdict::pass);
  EXPECT_EQ(judged(0, {}).margin, 0);
  EXPECT_EQ(judged(1e-300, {}).verdict, Verdict::fail);
  EXPECT_TRUE(std::isinf(judged(1e-300, {}).margin));
}

TEST(Verdict, FailsEverythingAtToleranceScaleZero) {
  EXPECT_EQ(judged(0, {.absolute = 1}, 1, 0).verdict, Verdict::fail);
  EXPECT_EQ(judged(0, {}, 1, 0).verdict, Verdict::fail);
  EXPECT_EQ(judged(0.5, {.absolute = 1}, 1, 0).error, 0.5) << "the residual is still shown";
}

TEST(Verdict, WidensTolerancesByTheScale) {
  EXPECT_EQ(judged(5, {.absolute = 1}, 1, 10).verdict, Verdict::pass);
  EXPECT_EQ(judged(0.5, {.absolute = 1}, 1, 0.1).verdict, Verdict::fail);
}

TEST(Verdict, CallsNumbersThatAreNotFiniteAnErrorOfTheEngine) {
  for (const double bad : {NAN, INFINITY, -INFINITY}) {
    const Measurement m = judged(bad, {.absolute = 1});
    EXPECT_EQ(m.verdict, Verdict::engine_error);
    EXPECT_FALSE(m.reason.empty());
    EXPECT_EQ(m.digits, 0);
  }
}

TEST(Verdict, TakesTheWorstOfSeveral) {
  using V = Verdict;
  EXPECT_EQ(worst({V::pass, V::fail, V::not_applicable}), V::fail);
  EXPECT_EQ(worst({V::pass, V::engine_error, V::fail}), V::engine_error);
  EXPECT_EQ(worst({V::pass, V::not_applicable}), V::pass);
  EXPECT_EQ(worst({V::not_applicable}), V::not_applicable);
  EXPECT_EQ(worst({}), V::not_applicable);
}

TEST(AccurateDigits, CountsDecimalsOfTheRelativeError) {
  EXPECT_DOUBLE_EQ(accurate_digits(1e-6, 1), 6);
  EXPECT_DOUBLE_EQ(accurate_digits(1e-6, 100), 8);
  EXPECT_EQ(accurate_digits(0, 1), 17);
  EXPECT_EQ(accurate_digits(50, 1), 0);
  EXPECT_EQ(accurate_digits(1, 0), 0);
}

}  // namespace
}  // namespace jade::cases
