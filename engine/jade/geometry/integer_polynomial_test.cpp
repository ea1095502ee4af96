#include "jade/geometry/integer_polynomial.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace jade {
namespace {

Polynomial polynomial(std::initializer_list<int> ascending) {
  Polynomial p;
  int i = 0;
  for (const int c : ascending) p.set(i++, c);
  return p;
}

/// den · t − num: the root is num / den.
Polynomial root_at(int num, int den) { return polynomial({-num, den}); }

TEST(IntegerPolynomial, RemainderIsAPositiveMultipleOfTheRemainder) {
  // t³ − 1 = (t² + t + 1)(t − 1) + 0, and by −2t + 3: the value at 3/2 is 19/8.
  EXPECT_TRUE(remainder(polynomial({-1, 0, 0, 1}), polynomial({1, 1, 1})).is_zero());
  const Polynomial rest = remainder(polynomial({-1, 0, 0, 1}), polynomial({3, -2}));
  ASSERT_EQ(rest.degree(), 0);
  EXPECT_GT(rest[0], 0);
}

TEST(IntegerPolynomial, InteriorFactorDropsRepeatedRootsAndTheEnds) {
  const Polynomial half = root_at(1, 2);
  EXPECT_EQ(interior_factor(half * half * half).degree(), 1);
  EXPECT_EQ(interior_factor(root_at(0, 1) * root_at(1, 1) * half).degree(), 1);
  EXPECT_EQ(interior_factor(root_at(0, 1) * root_at(0, 1) * root_at(1, 1)).degree(), 0);
}

TEST(IntegerPolynomial, RootsThatDifferByAMillionthAreTold) {
  const Polynomial p = interior_factor(root_at(333333, 1000000) * root_at(333334, 1000000) * root_at(1, 3));
  auto roots = roots_inside_unit_interval(p);
  ASSERT_EQ(roots.size(), 3U);
  const Polynomial third = root_at(1, 3);
  EXPECT_LT(roots[0].sign_of(third), 0);
  EXPECT_EQ(roots[1].sign_of(third), 0);
  EXPECT_GT(roots[2].sign_of(third), 0);
}

TEST(IntegerPolynomial, SignAtAnIrrationalRootIsExact) {
  const Polynomial p = polynomial({-1, 0, 2});  // root √½
  const Polynomial interior = interior_factor(p);
  auto roots = roots_inside_unit_interval(interior);
  ASSERT_EQ(roots.size(), 1U);
  EXPECT_EQ(roots[0].sign_of(p), 0);
  EXPECT_LT(roots[0].sign_of(polynomial({0, -1, 1})), 0);
  // 665857/470832 is a convergent of √2, so half of it exceeds √½ by about 1e-12.
  EXPECT_LT(roots[0].sign_of(root_at(665857, 2 * 470832)), 0);
  roots[0].narrow_to(50);
  EXPECT_LE(round_down(roots[0].lower()), std::sqrt(0.5));
  EXPECT_NEAR(round_down(roots[0].lower()), std::sqrt(0.5), 0x1p-49);  // the width asked for, and rounding
}

TEST(IntegerPolynomial, RoundDownNeverRoundsUp) {
  const Integer big = (Integer(1) << 80) + 1;
  EXPECT_EQ(round_down({big, 80}), 1.0);
  EXPECT_EQ(round_down({-big, 80}), -1 - 0x1p-52);
  EXPECT_EQ(round_down({Integer(3), 2}), 0.75);
}

RC_GTEST_PROP(IntegerPolynomial, FindsEveryRationalRootInTheOpenIntervalInOrder, ()) {
  std::set<std::pair<int, int>> inside;  // in lowest terms
  Polynomial p = polynomial({1});
  for (int i = 0; i < 3; ++i) {
    const int den = *rc::gen::inRange(1, 40);
    const int num = *rc::gen::inRange(-5, 45);
    p = p * root_at(num, den);
    const int common = std::gcd(num, den);
    if (num > 0 && num < den) inside.insert({num / common, den / common});
  }
  std::vector<std::pair<int, int>> expected(inside.begin(), inside.end());
  std::sort(expected.begin(), expected.end(),
            [](const auto& a, const auto& b) { return a.first * b.second < b.first * a.second; });
  const Polynomial interior = interior_factor(p);
  auto roots = roots_inside_unit_interval(interior);
  RC_ASSERT(roots.size() == expected.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    RC_ASSERT(roots[i].sign_of(root_at(expected[i].first, expected[i].second)) == 0);
  }
}

}  // namespace
}  // namespace jade
