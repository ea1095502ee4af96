#include "jade/lcp/few_equations.h"

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
      const bool factored = equations.factor(drawn.rows, drawn.problem.A.data(), drawn.problem.size(), 1e-3);
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
  EXPECT_GE(solved, 40);  // of 44; a pivot that slip has made small may be refused
}

TEST(FewEquations, RefuseRowsThatDependOnEachOther) {
  for (const int k : {2, 5}) {
    Drawn drawn = draw(k, 0, 3);
    drawn.rows.free.back() = drawn.rows.free.front();
    EXPECT_FALSE(FewEquations().factor(drawn.rows, drawn.problem.A.data(), drawn.problem.size(), 1e-3)) << k;
  }
}

}  // namespace
}  // namespace jade::lcp
