// Problems from the literature whose answers are known, and small ones that are solved by hand.
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "generators/lcp_families.h"
#include "jade/lcp/lcp_solver.h"
#include "lcp_judge/lcp_judge.h"

namespace jade {
namespace {

using reference::judge;

LcpProblem plain(const MatX& M, const VecX& q) {
  LcpProblem problem;
  problem.form = LcpForm::plain;
  problem.A = M;
  problem.b = q;
  return problem;
}

VecX solved(const LcpProblem& problem) {
  const LcpSolution solution = solve(problem);
  EXPECT_EQ(solution.status, LcpStatus::solved);
  EXPECT_TRUE(judge(problem, solution.f).valid);
  return solution.f;
}

TEST(ClassicalLcp, MurtysExponentialProblemIsSolved) {
  // K. G. Murty, "Linear Complementarity, Linear and Nonlinear Programming", 1988, chapter 6: M has 1 on and 2 below
  // the diagonal, q = −1. Pivoting visits 2ⁿ bases from some starts; the solution is the first unit vector.
  for (const int n : {1, 2, 6, 12}) {
    MatX M = MatX::Identity(n, n);
    M.triangularView<Eigen::StrictlyLower>().setConstant(2);
    const VecX x = solved(plain(M, -VecX::Ones(n)));
    EXPECT_LE((x - VecX::Unit(n, 0)).lpNorm<Eigen::Infinity>(), 1e-12) << n;
  }
}

TEST(ClassicalLcp, ASingularProblemHasASolutionOnItsSegment) {
  // M = 1 1ᵀ, q = −1: every x ≥ 0 with x₁ + x₂ = 1.
  const VecX x = solved(plain(MatX::Ones(2, 2), -VecX::Ones(2)));
  EXPECT_NEAR(x.sum(), 1, 1e-12);
}

/// Whether the strategies x/Σx and y/Σy are an equilibrium of the costs A (of the first player) and B: neither player
/// pays less by any pure strategy.
bool is_equilibrium(const MatX& A, const MatX& B, VecX x, VecX y) {
  x /= x.sum();
  y /= y.sum();
  constexpr double rounding = 1e-12;
  return x.minCoeff() >= 0 && y.minCoeff() >= 0 && x.dot(A * y) <= (A * y).minCoeff() + rounding &&
         x.dot(B * y) <= (B.transpose() * x).minCoeff() + rounding;
}

/// w = (A y, Bᵀ x) − 1: its solutions other than zero are the equilibria, of which every game has one (Nash).
LcpProblem game(const MatX& A, const MatX& B) {
  const long m = A.rows(), n = A.cols();
  MatX M = MatX::Zero(m + n, m + n);
  M.topRightCorner(m, n) = A;
  M.bottomLeftCorner(n, m) = B.transpose();
  return plain(M, -VecX::Ones(m + n));
}

TEST(ClassicalLcp, ABimatrixGameIsSolved) {
  // Lemke's own path must end in a ray here: M ≥ 0 with a zero diagonal is copositive but not copositive plus (Cottle,
  // Pang, Stone, section 4.4), and the first row to enter moves nothing. An equilibrium is found all the same.
  const MatX A = (MatX(2, 2) << 10, 20, 30, 15).finished();
  const LcpProblem both = game(A, A);
  EXPECT_TRUE(judge(both, Vec4(0.1, 0, 0.1, 0)).valid);
  EXPECT_FALSE(judge(both, Vec4(0.1, 0, 0, 0.1)).valid);
  const VecX x = solved(both);
  EXPECT_TRUE(is_equilibrium(A, A, x.head(2), x.tail(2)));
  // Matching pennies with costs 1 and 3: the only equilibrium is mixed, one half each.
  const MatX pennies = (MatX(2, 2) << 1, 3, 3, 1).finished();
  const MatX other = MatX::Constant(2, 2, 4) - pennies;
  const VecX mixed = solved(game(pennies, other));
  EXPECT_TRUE(is_equilibrium(pennies, other, mixed.head(2), mixed.tail(2)));
  EXPECT_LE((mixed - VecX::Constant(4, 0.25)).lpNorm<Eigen::Infinity>(), 1e-12);
}

TEST(ClassicalLcp, ARandomBimatrixGameIsSolved) {
  // Costs from a fixed sequence; sizes up to seven strategies each.
  std::uint64_t state = 20261116;
  const auto cost = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return 1 + static_cast<double>(state >> 40) * 0x1p-24;
  };
  for (int round = 0; round < 20; ++round) {
    const long m = 1 + round % 7, n = 1 + round / 3 % 7;
    const MatX A = MatX::NullaryExpr(m, n, cost), B = MatX::NullaryExpr(m, n, cost);
    const VecX x = solved(game(A, B));
    EXPECT_TRUE(is_equilibrium(A, B, x.head(m), x.tail(n))) << round;
  }
}

TEST(ClassicalLcp, AProblemWithoutSolutionThatIsFeasibleEndsInARay) {
  // w₁ = x₂ − 1, w₂ = −x₂ + 2 with x₁ w₁ = x₂ w₂ = 0: x₂ = 0 violates w₁, w₂ = 0 asks for x₂ = 2, then w₁ = 1 and x₁ = 0:
  // solved. With w₂ = x₂ + 1 instead nothing but x₂ = 0 is left: feasible, and without solution.
  MatX M(2, 2);
  M << 0, 1, 0, -1;
  EXPECT_LE((solved(plain(M, Vec2(-1, 2))) - Vec2(0, 2)).norm(), 1e-12);
  M << 0, 1, 0, 1;
  EXPECT_EQ(solve(plain(M, Vec2(-1, 1))).status, LcpStatus::ray);
}

TEST(ClassicalLcp, AnInfeasibleProblemIsCalledThat) {
  // w = −x − 1 is negative for every x ≥ 0; so is the second row here whatever the first does.
  EXPECT_EQ(solve(plain(-MatX::Identity(1, 1), -VecX::Ones(1))).status, LcpStatus::infeasible);
  MatX M(2, 2);
  M << 1, 0, -1, 0;
  EXPECT_EQ(solve(plain(M, Vec2(-1, -1))).status, LcpStatus::infeasible);
}

TEST(ClassicalLcp, BoxesStopAtTheirBounds) {
  LcpProblem problem;
  problem.form = LcpForm::boxed;
  problem.A.resize(3, 3);
  problem.A << 2, 0, 0, 0, 2, 0, 0, 0, 2;
  problem.b = Vec3(-10, 10, -2);
  problem.lo = Vec3(-1, -1, -4);
  problem.hi = Vec3(3, 4, 4);
  problem.findex = {-1, -1, -1};
  const VecX x = solved(problem);
  EXPECT_LE((x - Vec3(3, -1, 1)).lpNorm<Eigen::Infinity>(), 1e-12);
}

/// One normal and one tangent that jam: three valid solutions, by hand from the three classes of the tangent.
LcpProblem jammed() {
  LcpProblem problem;
  problem.A.resize(2, 2);
  problem.A << 1, -0.8, -0.8, 1;
  problem.b = Vec2(0.1, -1);
  problem.rows = {{.kind = RowKind::normal}, {.kind = RowKind::tangent, .normal = 0, .mu = 1.5}};
  return problem;
}

TEST(JammedContact, HasThreeValidSolutions) {
  EXPECT_TRUE(judge(jammed(), Vec2(0, 0)).valid);
  EXPECT_TRUE(judge(jammed(), Vec2(0.5, 0.75)).valid);  // f_t = 1.5 f_n, f_n − 1.2 f_n + 0.1 = 0
  EXPECT_TRUE(judge(jammed(), Vec2(0.7 / 0.36, 0.92 / 0.36)).valid);  // both velocities zero
  EXPECT_FALSE(judge(jammed(), Vec2(1, 1.5)).valid);
}

TEST(JammedContact, IsSolvedWithTheLeastImpulse) {
  const LcpSolution solution = solve(jammed());
  EXPECT_EQ(solution.status, LcpStatus::solved);
  EXPECT_EQ(solution.f, VecX(Vec2(0, 0)));
}

TEST(LcpFamilies, AreFunctionsOfTheirIdAlone) {
  for (const generators::LcpFamily& family : generators::lcp_families()) {
    for (const std::uint64_t index : {0, 7, 123456}) {
      const generators::LcpProblemId id{.seed = 9, .family = family.name, .index = index};
      const LcpProblem a = generators::make_lcp_problem(id), b = generators::make_lcp_problem(id);
      EXPECT_EQ(a.A, b.A) << family.name;
      EXPECT_EQ(a.b, b.b) << family.name;
      EXPECT_TRUE(check_problem(a).empty()) << family.name;
      EXPECT_LE(a.rows.size(), 3U * 16 + 2 * 8) << family.name;
    }
  }
}

/// Found by a campaign: limits and contacts that nearly depend on each other need forces that grow as compliance vanishes, until
/// it is small enough. That looks like a problem without solution, which this one is not.
TEST(LcpSolution, IsFoundWhereForcesGrowForALongTime) {
  const LcpProblem problem =
      generators::make_lcp_problem({.seed = 23, .family = "joint_limits", .index = 44902});
  const LcpSolution solution = solve(problem);
  EXPECT_EQ(solution.status, LcpStatus::solved);
  EXPECT_TRUE(reference::judge(problem, solution.f).valid);
}

TEST(LcpFamilies, HaveExactlyAsManyContactsAsAsked) {
  for (const generators::LcpFamily& family : generators::lcp_families()) {
    for (const int contacts : {1, 5, 64}) {
      const LcpProblem problem =
          generators::make_lcp_problem({.family = family.name, .max_contacts = contacts, .exact = true});
      int normals = 0;
      for (const LcpRow& row : problem.rows) normals += row.kind == RowKind::normal;
      EXPECT_EQ(normals, contacts) << family.name;
    }
  }
}

TEST(LcpFamilies, RefuseUnknownNamesAndSizes) {
  EXPECT_THROW(generators::make_lcp_problem({.family = "no such family"}), InvalidInput);
  EXPECT_THROW(generators::make_lcp_problem({.max_contacts = 0}), InvalidInput);
}

}  // namespace
}  // namespace jade
