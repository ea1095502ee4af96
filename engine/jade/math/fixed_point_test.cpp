#include "jade/math/fixed_point.h"

#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace jade {
namespace {

/// How many looks it takes until g(x) is x to a share of its size.
template <class Map>
int looks_until(const Map& g, VecX x, double share) {
  FixedPoint search;
  search.begin();
  for (int look = 1; look < 100; ++look) {
    const VecX image = g(x);
    if ((image - x).norm() <= share * image.norm()) return look;
    search.advance(x, image);
  }
  return 100;
}

MatX rotated(const VecX& eigenvalues) {
  const int n = static_cast<int>(eigenvalues.size());
  MatX Q(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) Q(i, j) = std::cos(1.3 * i * j + 0.4 * i + 0.1);
  return Q * eigenvalues.asDiagonal() * Q.inverse();
}

TEST(FixedPoint, OfALinearMapIsFoundInOneLookMoreThanItHasNumbers) {
  // 0.97 would take plain iteration a thousand looks; 1.5 and −2 would never come back.
  for (const double eigenvalue : {0.5, 0.97, 1.5, -2.0}) {
    VecX eigenvalues(4);
    eigenvalues << eigenvalue, 0.3, -0.6, 0.1;
    const MatX A = rotated(eigenvalues);
    const VecX b = VecX::LinSpaced(4, 1, 3);
    // One look more to see that it has arrived, and one for rounding.
    EXPECT_LE(looks_until([&](const VecX& x) -> VecX { return A * x + b; }, VecX::Zero(4), 1e-12), 7)
        << eigenvalue;
  }
}

TEST(FixedPoint, OfASmoothMapIsTheSameAsByPlainIteration) {
  const auto g = [](const VecX& x) -> VecX { return (0.9 * x.array().cos()).matrix(); };
  VecX plain = Vec3(0.2, 1, 0.2), mixed = plain;
  for (int i = 0; i < 2000; ++i) plain = g(plain);
  FixedPoint search;
  search.begin();
  for (int i = 0; i < 12; ++i) search.advance(mixed, g(mixed));
  EXPECT_LE((mixed - plain).norm(), 1e-13);
}

TEST(FixedPoint, StaysWhereItIs) {
  const VecX at = VecX::LinSpaced(5, -1, 4);
  VecX x = at;
  FixedPoint search;
  search.begin();
  for (int i = 0; i < 8; ++i) {
    search.advance(x, at);
    EXPECT_EQ(x, at);
  }
}

}  // namespace
}  // namespace jade
