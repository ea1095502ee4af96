#include "jade/lcp/few_equations.h"

#include <cmath>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "jade/lcp/lcp_test_problems.h"

namespace jade::lcp {
namespace {

/// Some rows of a contact matrix, the last `slipping` of which carry a tangent along, and K = S A P as it is defined.
struct Drawn {
  LcpProblem problem;
  ClassRows rows;
  MatX K;
};

Drawn draw(int k, int slipping, unsigned seed) {
  const int contacts = k;
  Drawn drawn{.problem = lcp_test::random_contacts(contacts, 3 * contacts, 0.4, seed)};
  const MatX& A = drawn.problem.A;
  MatX P = MatX::Zero(A.rows(), k);
  for (int q = 0; q < k; ++q) {
    const int normal = 3 * q;
    drawn.rows.free.push_back(normal);
    P(normal, q) = 1;
    if (q < k - slipping) continue;
    const double slope = q % 2 == 0 ? 0.4 : -0.4;
    drawn.rows.slips.push_back({q - (k - slipping), normal + 1, slope});
    P(normal + 1, q) = slope;
  }
  drawn.rows.plain = k - slipping;
  drawn.K = (A * P)(drawn.rows.free, Eigen::all);
  return drawn;
}

TEST(FewEquations, AreSolvedAsTheyAreDefined) {
  int solved = 0;
  for (int k = 1; k <= FewEquations::kMostRows; ++k) {
    for (int slipping = 0; slipping <= k; ++slipping) {
      const Drawn drawn = draw(k, slipping, static_cast<unsigned>(10 * k + slipping));
      FewEquations equations;
      const bool factored =
          equations.factor(drawn.rows, drawn.problem.A.data(), drawn.problem.size(), 0, 1e-3);
      EXPECT_TRUE(factored || slipping > 0) << k;
      if (!factored) continue;
      ++solved;
      const VecX r = VecX::LinSpaced(k, 1, 2);
      std::vector<double> x(static_cast<std::size_t>(ClassEquations::room(k)),
                            1e300);  // beyond k nothing counts
      for (int q = 0; q < k; ++q) x[static_cast<std::size_t>(q)] = r[q];
      equations.solve(x.data());
      const VecX expected = drawn.K.fullPivLu().solve(r);
      // Pivots of 1e-3 cost three digits, and some for the condition of K.
      EXPECT_LT((Eigen::Map<VecX>(x.data(), k) - expected).norm(), 1e-10 * expected.norm())
          << k << " " << slipping;
    }
  }
  EXPECT_GE(solved, 80);  // of 90; a pivot that slip has made small may be refused
}

TEST(FewEquations, RefuseRowsThatDependOnEachOther) {
  for (const int k : {2, 5}) {
    Drawn drawn = draw(k, 0, 3);
    drawn.rows.free.back() = drawn.rows.free.front();
    EXPECT_FALSE(FewEquations().factor(drawn.rows, drawn.problem.A.data(), drawn.problem.size(), 0, 1e-3))
        << k;
  }
}

/// Rows that depend on each other, with some compliance: the limit that ClassEquations finds too.
TEST(FewEquations, ShareLoadsAsClassEquationsDo) {
  constexpr double epsilon = 1e-6;
  for (const int k : {4, 7, 12}) {
    for (const int slipping : {0, k / 2, k}) {
      Drawn drawn = draw(k, slipping, static_cast<unsigned>(k));
      if (slipping < k - 1) drawn.rows.free[1] = drawn.rows.free[0];
      const double* A = drawn.problem.A.data();
      const int n = drawn.problem.size();
      FewEquations few;
      ASSERT_TRUE(few.factor(drawn.rows, A, n, epsilon, 0.1 * epsilon)) << k << " " << slipping;
      ClassEquations all;
      all.rows() = drawn.rows;
      const auto column = [&](int j) { return A + static_cast<std::ptrdiff_t>(j) * n; };
      ASSERT_TRUE(all.factor(column, epsilon, ClassEquations::kAnyPivot));
      std::vector<double> x(static_cast<std::size_t>(ClassEquations::room(k)), 1), y = x;
      few.solve(x.data());
      all.solve(y.data());
      for (int q = 0; q < k; ++q) {
        const auto i = static_cast<std::size_t>(q);
        // ε costs six digits of those that rounding leaves.
        EXPECT_NEAR(x[i], y[i], 1e-8 * (1 + std::abs(y[i]))) << k << " " << slipping << " " << q;
      }
    }
  }
}

}  // namespace
}  // namespace jade::lcp
