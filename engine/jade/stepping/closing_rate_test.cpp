#include "jade/stepping/closing_rate.h"

#include <gtest/gtest.h>

namespace jade {
namespace {

constexpr double kStandoff = 1e-5, kClearance = 2e-6, kStep = 0.01;
const double l = push_out_length(kStandoff, kClearance);

double rate(double c, double s, double h = kStep, double others = 0) {
  return closing_rate(c, s, h, l, others).value;
}

TEST(ClosingRate, SlopesAreThoseOfItsValue) {
  for (const double s : {kStep, 0.7 * kStep, 0.1 * kStep})
    for (const double c : {8e-6, 5e-6, 2e-6, -1e-8, -1e-6, -4e-6})
      for (const double others : {0.0, 1e-14, 4e-12}) {
        const ClosingRate at = closing_rate(c, s, kStep, l, others);
        const double dc = 1e-4 * std::abs(c), dt = 1e-5 * s, size = std::abs(c) / (s * s);
        // Central differences: squares of the steps.
        EXPECT_NEAR((rate(c + dc, s, kStep, others) - rate(c - dc, s, kStep, others)) / (2 * dc),
                    at.by_excess, 1e-6 / s);
        EXPECT_NEAR((rate(c, s + dt, kStep, others) - rate(c, s - dt, kStep, others)) / (2 * dt), at.by_s,
                    1e-6 * size);
        EXPECT_NEAR((rate(c, s, kStep + dt, others) - rate(c, s, kStep - dt, others)) / (2 * dt), at.by_h,
                    1e-6 * size);
        if (others == 0) continue;
        const double d = 1e-4 * others;
        EXPECT_NEAR((rate(c, s, kStep, others + d) - rate(c, s, kStep, others - d)) / (2 * d) * others,
                    at.by_others * others, 1e-6 * std::abs(c) / s);
      }
}

/// Gaps of the four corners of a face: c₀ + c₂ = c₁ + c₃ in every pose, and so the rates at which they may close.
TEST(ClosingRate, AsksTheCornersOfAFaceForAMotionThatTheyCanMake) {
  const double c[] = {-3e-7, 1e-7, 2e-6, 1.6e-6};
  double all = 0;
  for (const double one : c) all += squared_depth(one);
  for (const double s : {kStep, 0.5 * kStep, 0.05 * kStep}) {
    const auto of = [&](double one) { return rate(one, s, kStep, all - squared_depth(one)); };
    EXPECT_NEAR(of(c[0]) + of(c[2]), of(c[1]) + of(c[3]), 1e-15 * c[2] / s);
  }
}

/// A resting contact of a part of a step has one derivative, which holds to a millionth ten nanometres away.
TEST(ClosingRate, HasOneSlopeAroundTheStandoff) {
  for (const double s : {kStep, 0.5 * kStep, 0.1 * kStep})
    for (const double c : {-1e-12, -1e-8, 1e-12, 1e-8})
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
