// A peer's solvers as a program: `lcp_peer_X --list` names them; `lcp_peer_X NAME` reads a problem a line and
// answers a line, the protocol of `jade lcp fuzz --solver-command`.
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

#include "lcp_io/lcp_json.h"
#include "lcp_peers/peer_solver.h"

namespace {

using namespace jade::reference;

int serve(const PeerSolver& solver) {
  // Peers print to stdout; the answers go to a copy of it that they do not know.
  std::FILE* answers = fdopen(dup(STDOUT_FILENO), "w");
  if (!answers || !std::freopen("/dev/null", "w", stdout)) return 3;
  std::string line;
  while (std::getline(std::cin, line)) {
    const PeerAnswer found = solver.solve(parse_lcp_json(line, "problem"));
    const LcpAnswer answer{found.f, !found.claims_success, 0, found.microseconds};
    fmt::print(answers, "{}\n", to_json_line(answer));
    std::fflush(answers);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc == 2 ? argv[1] : "--help";
  for (const PeerSolver& solver : JADE_PEER_SOLVERS()) {
    if (wanted == "--list") fmt::print("{}  {}\n", solver.name, solver.settings);
    if (wanted != solver.name) continue;
    try {
      return serve(solver);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", solver.name, error.what());
      return 2;
    }
  }
  if (wanted == "--list") return 0;
  fmt::print(stderr,
             "usage: {} NAME | --list\nReads a contact problem a line, answers {{\"f\": […]}} a line.\n",
             argv[0]);
  return wanted == "--help" ? 0 : 2;
}
