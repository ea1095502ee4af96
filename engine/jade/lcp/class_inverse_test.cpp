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

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// The limit of a vanishing compliance, by one that is small in long double.
MatX compliant_velocities(const RowMatX& K, const VecX& W, const RowMatX& r) {
  Long compliant = K.cast<long double>();
  for (long i = 0; i < K.rows(); ++i) compliant(i, i) += 1e-9L * static_cast<long double>(W[i]);
  const Long rhs = r.cast<long double>();
  return (K.cast<long double>() * compliant.fullPivLu().solve(rhs)).cast<double>();
}

TEST(ClassInverse, MeetsAMeanOfWhatContradictsItselfAsAVanishingComplianceDoes) {
  for (unsigned world = 0; world < 50; ++world) {
    RandomNumbers random(world);
    const int n = 3 + static_cast<int>(world % 6), rank = n - 1 - static_cast<int>(world % 2);
    const RowMatX N = random.matrix(n, rank), K = N * N.transpose();
    const VecX W = K.diagonal();
    ClassInverse inverse;
    ASSERT_TRUE(inverse.factor_mean(K, W));
    const RowMatX r = random.matrix(n, 3);
    RowMatX x = r;
    inverse.solve(x);
    const double size = 1 + x.lpNorm<Eigen::Infinity>();
    // The compliance of 1e-9 itself leaves as much, times the condition of K.
    EXPECT_LT((K * x - compliant_velocities(K, W, r)).lpNorm<Eigen::Infinity>(), 1e-6 * size) << world;
    // What does not contradict itself is met.
    RowMatX agreed = K * random.matrix(n, 3);
    const RowMatX asked = agreed;
    inverse.solve(agreed);
    EXPECT_LT((K * agreed - asked).lpNorm<Eigen::Infinity>(), 1e-12 * (1 + agreed.lpNorm<Eigen::Infinity>()));

    const VecX w = random.matrix(n, 1);
    VecX transposed = w;
    inverse.solve_transposed(transposed);
    EXPECT_LT((transposed.transpose() * r - w.transpose() * x).norm(), 1e-12 * size);
  }
}

TEST(ClassInverse, LeavesOutTheLightestOfRowsThatDependOnEachOther) {
  RandomNumbers random(7);
  const RowMatX N = random.matrix(4, 3), K = N * N.transpose();
  for (int lightest = 0; lightest < 4; ++lightest) {
    VecX weights = VecX::Ones(4);
    weights[lightest] = 1e-4;
    RowMatX x = RowMatX::Ones(4, 1);
    ClassInverse inverse;
    ASSERT_TRUE(inverse.factor_independent(K, K.diagonal(), weights));
    inverse.solve(x);
    for (int i = 0; i < 4; ++i) {
      const double missed = std::abs(K.row(i).dot(x.col(0)) - 1);
      if (i == lightest)
        EXPECT_GT(missed, 1e-3);
      else
        EXPECT_LT(missed, 1e-12);
    }
  }
}

}  // namespace
}  // namespace jade
