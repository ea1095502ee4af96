#include "jade/lcp/class_inverse.h"

#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace jade {
namespace {

class RandomNumbers {
 public:
  explicit RandomNumbers(unsigned seed) : random_(seed) {}
  double one() { return 2 * (random_() / 4294967296.0) - 1; }
  RowMatX matrix(int rows, int columns) {
    RowMatX m(rows, columns);
    for (double& x : m.reshaped()) x = one();
    return m;
  }

 private:
  std::mt19937 random_;  // its sequence is fixed by the standard
};

/// Contacts that slip and depend on each other: K = N Tᵀ of lower rank, with left and right null spaces of their own. The
/// solution is the one that meets its definition, to rounding, and the transposes are transposes.
TEST(ClassInverse, SharesTheLoadOfDependentRowsAsItsDefinitionSays) {
  for (unsigned world = 0; world < 50; ++world) {
    RandomNumbers random(world);
    const int n = 3 + static_cast<int>(world % 6), rank = n - 1 - static_cast<int>(world % 2);
    const RowMatX N = random.matrix(n, rank), T = N + 0.3 * random.matrix(n, rank);
    const RowMatX K = N * T.transpose();
    VecX W(n);
    for (double& w : W) w = 1.5 + random.one();
    ClassInverse inverse;
    ASSERT_TRUE(inverse.factor_shared(K, W));

    const RowMatX left = K.transpose().fullPivLu().kernel().transpose();
    ASSERT_EQ(left.rows(), n - rank);
    const RowMatX r = K * random.matrix(n, 3), r3 = random.matrix(n, 3);
    RowMatX x = r, x3 = r3;
    inverse.solve(x);
    inverse.null_part(x3);
    const double size = 1 + x.lpNorm<Eigen::Infinity>() + x3.lpNorm<Eigen::Infinity>();
    EXPECT_LT((K * x - r).lpNorm<Eigen::Infinity>(), 1e-12 * size);
    EXPECT_LT((left * W.asDiagonal() * x).lpNorm<Eigen::Infinity>(), 1e-12 * size);
    EXPECT_LT((K * x3).lpNorm<Eigen::Infinity>(), 1e-12 * size);
    EXPECT_LT((left * (W.asDiagonal() * x3 - r3)).lpNorm<Eigen::Infinity>(), 1e-12 * size);

    const VecX w = random.matrix(n, 1);
    VecX by_solve = w, by_null_part = w;
    inverse.solve_transposed(by_solve);
    inverse.null_part_transposed(by_null_part);
    EXPECT_LT((by_solve.transpose() * r - w.transpose() * x).norm(), 1e-12 * size);
    EXPECT_LT((by_null_part.transpose() * r3 - w.transpose() * x3).norm(), 1e-12 * size);
  }
}

}  // namespace
}  // namespace jade
