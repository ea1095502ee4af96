// The boxed-LCP solvers of DART (linked against its shared library, never a copy of it).
#include <dart/constraint/DantzigBoxedLcpSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>

#include "lcp_peers/peer_solver.h"

namespace jade::reference {
namespace {

template <class Solver>
PeerAnswer run(Solver& solver, const LcpProblem& problem) {
  PeerProblem peer = to_peer_problem(problem);  // DART overwrites it
  PeerAnswer answer;
  answer.f = VecX::Zero(problem.size());
  answer.microseconds = timed([&] {
    answer.claims_success = solver.solve(peer.n, peer.A.data(), answer.f.data(), peer.b.data(), 0,
                                         peer.lo.data(), peer.hi.data(), peer.findex.data(), false);
  });
  return answer;
}

PeerAnswer dantzig(const LcpProblem& problem) {
  dart::constraint::DantzigBoxedLcpSolver solver;
  return run(solver, problem);
}

PeerAnswer pgs(const LcpProblem& problem) {
  dart::constraint::PgsBoxedLcpSolver solver;
  return run(solver, problem);
}

PeerAnswer patient_pgs(const LcpProblem& problem) {
  dart::constraint::PgsBoxedLcpSolver solver;
  // No early stop but at the last bits: what the iteration can reach, not what its thresholds allow.
  solver.setOption(dart::constraint::PgsBoxedLcpSolver::Option(5000, 1e-16, 1e-16, 1e-9, false));
  return run(solver, problem);
}

constexpr PeerSolver kSolvers[] = {
    {"dart-dantzig", "DantzigBoxedLcpSolver, no early termination", dantzig},
    {"dart-pgs", "PgsBoxedLcpSolver, its defaults (30 iterations)", pgs},
    {"dart-pgs-5000", "PgsBoxedLcpSolver, 5000 iterations, thresholds 1e-16", patient_pgs},
};

}  // namespace

std::span<const PeerSolver> dart_lcp_solvers() { return kSolvers; }

}  // namespace jade::reference
