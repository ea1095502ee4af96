#include "lcp_peers/peer_solver.h"

#include <limits>

namespace jade::reference {

PeerProblem to_peer_problem(const LcpProblem& problem) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  PeerProblem peer;
  const int n = peer.n = problem.size();
  peer.stride = n > 1 ? ((n - 1) | 3) + 1 : n;
  peer.A.assign(static_cast<std::size_t>(n) * peer.stride, 0.0);
  peer.b.resize(n);
  peer.lo.assign(n, 0.0);
  peer.hi.assign(n, infinity);
  peer.findex.assign(n, -1);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) peer.A[static_cast<std::size_t>(i) * peer.stride + j] = problem.A(i, j);
    peer.b[i] = -problem.b[i];
    if (problem.form == LcpForm::boxed) {
      peer.lo[i] = problem.lo[i];
      peer.hi[i] = problem.hi[i];
      if (!problem.findex.empty()) peer.findex[i] = problem.findex[i];
    }
    if (problem.form == LcpForm::contact && problem.rows[i].kind == RowKind::tangent) {
      peer.lo[i] = -problem.rows[i].mu;
      peer.hi[i] = problem.rows[i].mu;
      peer.findex[i] = problem.rows[i].normal;
    }
  }
  return peer;
}

}  // namespace jade::reference
