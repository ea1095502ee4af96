#include "jade/gradients/differentiate.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "jade/base/error.h"
#include "jade/stepping/step.h"

namespace jade {
namespace {

VecX one(double x) { return VecX::Constant(1, x); }

TEST(Differences, FindTheDerivativeOfASmoothFunctionToTenDigits) {
  for (const double at : {0.0, 0.7, 3.0}) {
    const Differences d = differentiate([&](double s) {
      VecX f(3);
      f << std::sin(at + s), std::exp(at + s), 1e-3 * std::pow(at + s, 3);
      return f;
    });
    ASSERT_EQ(d.smoothness, Smoothness::regular);
    VecX exact(3);
    exact << std::cos(at), std::exp(at), 3e-3 * at * at;
    // Rounding of order-one values over steps of 1e-3 and extrapolation.
    EXPECT_LT((d.value - exact).lpNorm<Eigen::Infinity>(), 1e-10 * d.size);
  }
}

TEST(Differences, EstimateOfTheErrorIsNotFarBelowTheError) {
  for (const double rate : {1.0, 30.0, 300.0}) {
    const Differences d = differentiate([&](double s) { return one(std::sin(rate * s + 0.3)); });
    const double error = std::abs(d.value[0] - rate * std::cos(0.3)) / d.size;
    EXPECT_LT(error, 10 * d.error + 1e-12) << rate;
  }
}

TEST(Differences, TellBothSidesOfAKink) {
  const Differences d = differentiate([](double s) { return one(s < 0 ? 2 * s + s * s : -3 * s); });
  EXPECT_EQ(d.smoothness, Smoothness::kink);
  EXPECT_NEAR(d.left[0], 2, 1e-6);
  EXPECT_NEAR(d.right[0], -3, 1e-6);
}

/// A central difference of this one is exactly zero at every step.
TEST(Differences, DoNotTakeTheMeanAtAKinkForADerivative) {
  EXPECT_EQ(differentiate([](double s) { return one(std::abs(s)); }).smoothness, Smoothness::kink);
}

/// Below its resolution a quantity does not move at all, and does not scatter either: small steps agree on a slope that is not the
/// function's. Who is told of the resolution looks beyond it; a kink that is farther away than that is still seen.
TEST(Differences, KnowTheRoundingThatTheyAreTold) {
  const auto rounded = [](double s) {
    const double fine = std::ldexp(std::nearbyint(std::ldexp(3e-6 * s, 43)), -43);
    return VecX(Vec2(std::sin(s), 0.1 * std::sin(s) + fine));
  };
  const VecX exact = Vec2(1, 0.1 + 3e-6);
  const double resolution = std::ldexp(0.5, -43);
  const Differences told = differentiate(rounded, 0, {.rounding = VecX::Constant(2, resolution)});
  ASSERT_EQ(told.smoothness, Smoothness::regular);
  EXPECT_LE((told.value - exact).lpNorm<Eigen::Infinity>(), 1e-7);
  const Differences untold = differentiate(rounded, 0);
  EXPECT_GT((untold.value - exact).lpNorm<Eigen::Infinity>(), 1e-6);

  const auto kinked = [&](double s) { return VecX(rounded(s) + Vec2(0, 1e-3) * std::abs(s)); };
  EXPECT_EQ(differentiate(kinked, 0, {.rounding = VecX::Constant(2, resolution)}).smoothness,
            Smoothness::kink);
}

TEST(Differences, StepBetweenKinksThatAreNear) {
  for (const double distance : {1e-3, 1e-4, 1e-5}) {
    const Differences d = differentiate(
        [&](double s) { return one(std::cos(1 + s) + (s > distance ? 5 * (s - distance) : 0)); });
    ASSERT_EQ(d.smoothness, Smoothness::regular) << distance;
    // Rounding of 1e-16 over steps of a few hundredths of the distance.
    EXPECT_NEAR(d.value[0], -std::sin(1.0), 1e-13 / distance) << distance;
  }
}

TEST(Differences, DoNotSettleAtAJump) {
  EXPECT_EQ(differentiate([](double s) { return one(s > 0 ? 1 + s : s); }).smoothness,
            Smoothness::unresolved);
}

TEST(Differences, DoNotSettleOnNoise) {
  // Pseudo-random up to 1e-6: no derivative of order one can be told.
  const auto noise = [](double s) { return 1e-6 * std::sin(1e12 * s + 1e7 * std::sin(1e9 * s)); };
  EXPECT_EQ(differentiate([&](double s) { return one(s + noise(s)); }).smoothness, Smoothness::unresolved);
}

/// Pseudo-random, −½ … ½.
double rounding(double s) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(s) * 0x9e3779b97f4a7c15u;
  bits ^= bits >> 29;
  return static_cast<double>((bits * 0xbf58476d1ce4e5b9u) >> 11) * 0x1p-53 - 0.5;
}

/// Rounding of a few 1e-13 of the value, as fast spins have it after some tens of segments: nothing at steps of 1e-3.
TEST(Differences, SettleAboveTheirRounding) {
  for (const double scatter : {3e-14, 3e-13}) {
    const Differences d =
        differentiate([&](double s) { return one(100 * std::exp(s) + 100 * scatter * rounding(s)); });
    EXPECT_EQ(d.smoothness, Smoothness::regular) << scatter;
    EXPECT_NEAR(d.value[0], 100, 1e-7) << scatter;
  }
}

/// A model's parameters are the same numbers within 1e-13 of where they are, and so is what is computed from them.
TEST(Differences, MeasureRoundingWhereArgumentsAreOtherNumbers) {
  const Differences d =
      differentiate([](double s) { return one(std::exp(s) + 1e-12 * rounding(std::round(s / 2e-13))); }, 1);
  EXPECT_EQ(d.smoothness, Smoothness::regular);
  EXPECT_NEAR(d.value[0], 1, 2e-7);
}

/// Where a function bends a hundred thousand times as fast as it rises, slopes of both sides are known from steps so small that
/// rounding is much of what they differ by. Who is told of it does not call that a kink, but still calls one that is more.
TEST(Differences, TakeNoRoundingThatTheyAreToldOfForAKink) {
  constexpr double size = 3e-14;
  constexpr int draws = 40;
  int untold = 0, told = 0, seen = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const auto bent = [&](double kink) {
      // Arguments are rounded: nothing scatters within 1e-10.
      return [=](double s) {
        return one(std::expm1(4e5 * s) / 4e5 + kink * std::abs(s) +
                   size * rounding(std::round(s / 1e-10) + 1000 * draw + 0.5));
      };
    };
    const DifferenceSettings with{.fits = false, .rounding = VecX::Constant(1, size)};
    untold += differentiate(bent(0), 1, {.fits = false}).smoothness == Smoothness::kink;
    told += differentiate(bent(0), 1, with).smoothness == Smoothness::kink;
    seen += differentiate(bent(0.1), 1, with).smoothness == Smoothness::kink;
  }
  EXPECT_GT(untold, draws / 4);
  EXPECT_EQ(told, 0);
  EXPECT_EQ(seen, draws);
}

/// As in a stack of boxes, which may be moved by a micrometre until contacts change their minds.
TEST(Differences, SettleInTheLittleRoomThatContactsLeave) {
  const Differences d = differentiate(
      [](double s) { return one(std::exp(s) + 1e-13 * rounding(s) + std::max(0.0, s - 1e-6)); }, 1);
  EXPECT_EQ(d.smoothness, Smoothness::regular);
  EXPECT_NEAR(d.value[0], 1, 5e-7);
}

/// What is pressed from one side and free from the other has a derivative, and a second one on either side: a central difference
/// then comes nearer with h and not with h².
TEST(Differences, SettleWhereBothSidesBendDifferently) {
  const Differences d = differentiate(
      [](double s) {
        return one(std::exp(s) + 3e3 * s * std::abs(s) + 2e-15 * rounding(s) + std::max(0.0, s - 1e-7));
      },
      1);
  EXPECT_EQ(d.smoothness, Smoothness::regular);
  EXPECT_NEAR(d.value[0], 1, 5e-7);
}

/// Less room still: each single step is rounding to some millionths, many together are not.
TEST(Differences, SettleOnManyPlacesWhereEachIsRounding) {
  const auto f = [](double s) {
    return one(std::exp(s) + 1e9 * s * s * s + 1e-13 * rounding(s) + std::max(0.0, 1e3 * (s - 2e-7)));
  };
  const Differences d = differentiate(f, 1);
  EXPECT_EQ(d.smoothness, Smoothness::regular);
  EXPECT_NEAR(d.value[0], 1, 2e-7);
  const Differences bent = differentiate([&](double s) { return VecX(f(s) + one(2e-5 * std::abs(s))); }, 1);
  EXPECT_NE(bent.smoothness, Smoothness::regular);
}

/// Two steps of many impacts: small changes arrive ten thousand times larger, and kinks are as much nearer.
TEST(Differences, StepCloserWhereTheDerivativeIsLarge) {
  const Differences d = differentiate(
      [](double s) { return one(std::sin(1 + 2e4 * s) + std::abs(1e5 * (s - 2e-9)) + 1e-13 * rounding(s)); });
  ASSERT_EQ(d.smoothness, Smoothness::regular);
  EXPECT_NEAR(d.value[0] / (2e4 * std::cos(1.0) - 1e5), 1, 2e-7);
}

/// However little room there is, a kink above its rounding is none of a derivative.
TEST(Differences, SeeAKinkInLittleRoom) {
  const Differences d = differentiate(
      [](double s) {
        return one(std::exp(s) + 1e-13 * rounding(s) + 1e-5 * std::abs(s) + std::max(0.0, s - 1e-6));
      },
      1);
  EXPECT_NE(d.smoothness, Smoothness::regular);
}

/// A kink that is a millionth of the slope is seen beside the rounding of a smooth part a hundred times the size of one.
TEST(Differences, SeeAKinkAboveTheirRounding) {
  for (const double turn : {1e-4, 1e-2, 1.0}) {
    const Differences d =
        differentiate([&](double s) { return one(100 * std::exp(s) + turn * std::abs(s)); });
    EXPECT_EQ(d.smoothness, Smoothness::kink) << turn;
  }
}

/// Of a fast body and a slow one: what scatters by a millionth of the largest number does not hide a kink of another one that
/// hardly scatters.
TEST(Differences, SeeAKinkOfANumberBesideOneThatScatters) {
  const auto f = [](double s, double turn) {
    const double fast = 1400 * s + 1.2e4 * s * s + 1e-11 * rounding(s) + std::max(0.0, 100 * (s - 3e-8));
    return VecX(Vec2(fast, s + turn * std::abs(s)));
  };
  EXPECT_EQ(differentiate([&](double s) { return f(s, 0); }).smoothness, Smoothness::regular);
  EXPECT_EQ(differentiate([&](double s) { return f(s, 2.3e-3); }).smoothness, Smoothness::kink);
}

/// At the smallest steps both sides have one slope, as far as these know; at all others they have two. The mean of those is no
/// derivative.
TEST(Differences, SeeAKinkThatIsNearerThanRoundingLetsThemStep) {
  const struct {
    double at, kink, scatter;
  } functions[] = {{6e-9, 8e-6, 1e-14}, {1e-8, 6e-6, 1e-14}, {4e-8, 1.4e-5, 1e-13}};
  for (const auto& [at, kink, scatter] : functions) {
    const auto f = [at = at, kink = kink, scatter = scatter](double s) {
      return one(std::sin(s) + kink * std::max(0.0, s - at) + scatter * rounding(s));
    };
    const Differences d = differentiate(f, 1);
    if (d.smoothness == Smoothness::regular) {
      EXPECT_NEAR(d.value[0], 1, 1e-6) << at;
    }
  }
}

/// A jump by a billionth is no rounding, and neither side of it is missing.
TEST(Differences, DoNotTakeASmallJumpForRounding) {
  const Differences d = differentiate([](double s) { return one(s > 0 ? s + 1e-9 : s); });
  EXPECT_EQ(d.smoothness, Smoothness::unresolved);
}

TEST(Differences, UseTheOnlySideThatExists) {
  const Differences d = differentiate([](double s) -> VecX {
    if (s < 0) throw InvalidInput("parameter", {{"s", "is negative", "give at least 0"}});
    return one(std::exp(s));
  });
  EXPECT_EQ(d.smoothness, Smoothness::edge);
  EXPECT_EQ(d.left.size(), 0);
  // One-sided extrapolation loses about half of the digits that are left.
  EXPECT_NEAR(d.value[0], 1, 1e-7);
}

TEST(Differences, LeaveOutStepsAtWhichNothingIsDefined) {
  const Differences d = differentiate([](double s) -> VecX {
    if (s > 1e-4) throw StepError("bodies intersect");
    return one(std::sin(s + 1));
  });
  EXPECT_EQ(d.smoothness, Smoothness::regular);
  EXPECT_NEAR(d.value[0], std::cos(1.0), 1e-9);
}

}  // namespace
}  // namespace jade
