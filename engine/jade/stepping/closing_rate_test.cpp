#include "jade/stepping/closing_rate.h"

#include <gtest/gtest.h>

namespace jade {
namespace {

constexpr double kStandoff = 1e-5, kClearance = 2e-6, kStep = 0.01;
const double l = push_out_length(kStandoff, kClearance);

double rate(double c, double s, double h = kStep) { return closing_rate(c, s, h, l).value; }

TEST(ClosingRate, SlopesAreThoseOfItsValue) {
  for (const double s : {kStep, 0.7 * kStep, 0.1 * kStep})
    for (const double c : {2e-6, -1e-8, -1e-6, -4e-6}) {
      const ClosingRate at = closing_rate(c, s, kStep, l);
      const double dc = 1e-4 * std::abs(c), dt = 1e-5 * s, size = std::abs(c) / (s * s);
      // Central differences: squares of the steps.
      EXPECT_NEAR((rate(c + dc, s) - rate(c - dc, s)) / (2 * dc), at.by_excess, 1e-6 / s);
      EXPECT_NEAR((rate(c, s + dt) - rate(c, s - dt)) / (2 * dt), at.by_s, 1e-6 * size);
      EXPECT_NEAR((rate(c, s, kStep + dt) - rate(c, s, kStep - dt)) / (2 * dt), at.by_h, 1e-6 * size);
    }
}

/// A resting contact of a part of a step has one derivative, which holds to a millionth a nanometre away.
TEST(ClosingRate, HasOneSlopeAroundTheStandoff) {
  for (const double s : {kStep, 0.5 * kStep, 0.3 * kStep})
    for (const double c : {-1e-12, -1e-9, 1e-12, 1e-9})
      EXPECT_NEAR(closing_rate(c, s, kStep, l).by_excess * s, 1, 1e-6) << s << " " << c;
}

TEST(ClosingRate, PushesNothingOutSoFastThatItsRowLetsGo) {
  const double slack = 1.5 * (kStandoff - kClearance);
  for (const double s : {kStep, 0.9 * kStep, 0.5 * kStep, 1e-3 * kStep, 1e-6 * kStep})
    for (const double c : {-1e-9, -1e-6, -1e-5, -2e-5}) {
      EXPECT_LT(rate(c, s), 0);
      EXPECT_LT(-rate(c, s) * kStep, slack);
    }
}

}  // namespace
}  // namespace jade
