// The MLCP solvers of Bullet's double-precision build.
#include <algorithm>
#include <cmath>

#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btLemkeSolver.h>
#include <BulletDynamics/MLCPSolvers/btSolveProjectedGaussSeidel.h>

#include "lcp_peers/peer_solver.h"

static_assert(sizeof(btScalar) == 8, "Bullet must be built in double precision");

namespace jade::reference {
namespace {

struct BulletProblem {
  btMatrixXu A;
  btVectorXu b, x, lo, hi;
  btAlignedObjectArray<int> dependency;
};

BulletProblem to_bullet(const PeerProblem& peer) {
  constexpr double no_bound = 1e30;  // Lemke adds to its bounds, so infinity would become NaN
  BulletProblem bullet;
  const int n = peer.n;
  bullet.A.resize(n, n);
  for (btVectorXu* vector : {&bullet.b, &bullet.x, &bullet.lo, &bullet.hi}) vector->resize(n);
  bullet.dependency.resize(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) bullet.A.setElem(i, j, peer.A[static_cast<std::size_t>(i) * peer.stride + j]);
    bullet.b[i] = peer.b[i];
    bullet.x[i] = 0;
    bullet.lo[i] = std::max(peer.lo[i], -no_bound);
    bullet.hi[i] = std::min(peer.hi[i], no_bound);
    bullet.dependency[i] = peer.findex[i];
  }
  return bullet;
}

PeerAnswer run(btMLCPSolverInterface& solver, BulletProblem& problem, int iterations) {
  PeerAnswer answer;
  answer.microseconds = timed([&] {
    answer.claims_success = solver.solveMLCP(problem.A, problem.b, problem.x, problem.lo, problem.hi,
                                             problem.dependency, iterations);
  });
  answer.f.resize(problem.b.rows());
  for (int i = 0; i < answer.f.size(); ++i) answer.f[i] = problem.x[i];
  return answer;
}

PeerAnswer dantzig(const LcpProblem& problem) {
  BulletProblem bullet = to_bullet(to_peer_problem(problem));
  btDantzigSolver solver;
  return run(solver, bullet, 0);
}

/// Bullet's Lemke knows constant bounds alone. It is helped the way Dantzig helps itself: solve without friction,
/// then freeze the bounds at those normal forces.
PeerAnswer lemke(const LcpProblem& problem) {
  PeerProblem peer = to_peer_problem(problem);
  BulletProblem frictionless = to_bullet(peer);
  for (int i = 0; i < peer.n; ++i) {
    if (peer.findex[i] >= 0) frictionless.lo[i] = frictionless.hi[i] = 0;
  }
  btLemkeSolver solver;
  const PeerAnswer normals = run(solver, frictionless, 0);
  for (int i = 0; i < peer.n; ++i) {
    if (peer.findex[i] < 0) continue;
    const double force = std::max(normals.f[peer.findex[i]], 0.0);
    peer.lo[i] *= force;
    peer.hi[i] *= force;
    peer.findex[i] = -1;
  }
  BulletProblem bullet = to_bullet(peer);
  PeerAnswer answer = run(solver, bullet, 0);
  answer.microseconds += normals.microseconds;
  answer.claims_success = answer.claims_success && normals.claims_success;
  return answer;
}

PeerAnswer gauss_seidel(const LcpProblem& problem, int iterations) {
  BulletProblem bullet = to_bullet(to_peer_problem(problem));
  btSolveProjectedGaussSeidel solver;
  return run(solver, bullet, iterations);
}
PeerAnswer pgs(const LcpProblem& problem) { return gauss_seidel(problem, 10); }
PeerAnswer patient_pgs(const LcpProblem& problem) { return gauss_seidel(problem, 5000); }

constexpr PeerSolver kSolvers[] = {
    {"bullet-dantzig", "btDantzigSolver, double precision", dantzig},
    {"bullet-lemke", "btLemkeSolver, double precision, bounds frozen at the frictionless normals", lemke},
    {"bullet-pgs", "btSolveProjectedGaussSeidel, double precision, Bullet's default of 10 iterations", pgs},
    {"bullet-pgs-5000", "btSolveProjectedGaussSeidel, double precision, 5000 iterations", patient_pgs},
};

}  // namespace

std::span<const PeerSolver> bullet_lcp_solvers() { return kSolvers; }

}  // namespace jade::reference
