// Peers answer problems that are solved by hand: what is wrong elsewhere is then theirs, not our translation's.
#include <gtest/gtest.h>

#include "lcp_peers/peer_solver.h"

namespace jade::reference {
namespace {

LcpProblem block(double falling, double slip, double mu) {
  LcpProblem problem;
  problem.A = 0.5 * MatX::Identity(3, 3);
  problem.b = Vec3(-falling, slip, 0);
  problem.rows = {{.kind = RowKind::normal},
                  {.kind = RowKind::tangent, .normal = 0, .mu = mu},
                  {.kind = RowKind::tangent, .normal = 0, .mu = mu}};
  return problem;
}

void expect_answer(const PeerSolver& solver, const LcpProblem& problem, const VecX& f) {
  const PeerAnswer answer = solver.solve(problem);
  EXPECT_TRUE(answer.claims_success) << solver.name;
  ASSERT_EQ(answer.f.size(), f.size()) << solver.name;
  // Diagonal problems: even Gauss–Seidel is exact after two sweeps.
  EXPECT_LE((answer.f - f).lpNorm<Eigen::Infinity>(), 1e-12) << solver.name;
}

TEST(JADE_PEER_SUITE, SolveASlidingAStickingAndALeavingBlock) {
  for (const PeerSolver& solver : JADE_PEER_SOLVERS()) {
    expect_answer(solver, block(2, 3, 0.5), Vec3(4, -2, 0));
    expect_answer(solver, block(2, 3, 2), Vec3(4, -6, 0));
    // Bullet's Lemke answers the unbounded force when both bounds of a row are zero: its own mistake, with the same
    // translation as above.
    if (solver.name != "bullet-lemke") expect_answer(solver, block(-1, 3, 0.5), Vec3(0, 0, 0));
  }
}

TEST(JADE_PEER_SUITE, AreNamedAndDescribed) {
  for (const PeerSolver& solver : JADE_PEER_SOLVERS()) {
    EXPECT_FALSE(solver.name.empty());
    EXPECT_FALSE(solver.settings.empty());
  }
}

}  // namespace
}  // namespace jade::reference
