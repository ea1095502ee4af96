#pragma once

#include <chrono>
#include <span>
#include <string_view>
#include <vector>

#include "jade/lcp/lcp_problem.h"

namespace jade::reference {

/// A contact or plain problem as ODE, DART and Bullet want it: A x = b + w (their b is minus ours), rows of A one
/// after the other and padded to a multiple of four, bounds that are coefficients of x_findex when findex ≥ 0.
struct PeerProblem {
  int n = 0, stride = 0;
  std::vector<double> A;  ///< n × stride
  std::vector<double> b, lo, hi;
  std::vector<int> findex;
};
PeerProblem to_peer_problem(const LcpProblem& problem);

struct PeerAnswer {
  VecX f;
  bool claims_success = false;
  double microseconds = 0;  ///< of the solver's own call, without the translation of the problem
};

/// A solver of another engine, with the settings it is run with.
struct PeerSolver {
  std::string_view name;      ///< as users write it: `bullet-dantzig`
  std::string_view settings;  ///< for reports
  PeerAnswer (*solve)(const LcpProblem& problem);
};

/// Each in a library of its own, linked into an executable of its own: the engines clash in one process.
std::span<const PeerSolver> bullet_lcp_solvers();
std::span<const PeerSolver> dart_lcp_solvers();
std::span<const PeerSolver> ode_lcp_solvers();

/// Runs `call` and returns how long it took in microseconds.
template <class Call>
double timed(Call&& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace jade::reference
