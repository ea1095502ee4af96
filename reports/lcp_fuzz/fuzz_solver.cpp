#include "lcp_fuzz/fuzz_solver.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <stdexcept>

#include <fmt/core.h>

#include "lcp_fuzz/command_solver.h"

namespace jade::reports {
namespace {

constexpr std::array kMethods = {LcpMethod::jade, LcpMethod::dantzig, LcpMethod::ergodic, LcpMethod::lemke,
                                 LcpMethod::pgs};

struct Peer {
  std::string_view name, program;
};
constexpr Peer kPeers[] = {
    {"bullet-dantzig", "lcp_peer_bullet"}, {"bullet-lemke", "lcp_peer_bullet"},
    {"bullet-pgs", "lcp_peer_bullet"},     {"bullet-pgs-5000", "lcp_peer_bullet"},
    {"dart-dantzig", "lcp_peer_dart"},     {"dart-pgs", "lcp_peer_dart"},
    {"dart-pgs-5000", "lcp_peer_dart"},    {"ode-dantzig", "lcp_peer_ode"},
};

/// A method of this engine, called cold with warm memory, as a stepper would on a new contact set.
class OwnSolver : public FuzzSolver {
 public:
  explicit OwnSolver(LcpMethod method) { settings_.method = method; }

  SolverReply solve(const LcpProblem& problem) override {
    SolverReply reply;
    const auto begin = std::chrono::steady_clock::now();
    jade::solve(problem, settings_, {}, workspace_, solution_);
    const auto end = std::chrono::steady_clock::now();
    reply.microseconds = std::chrono::duration<double, std::micro>(end - begin).count();
    reply.f = solution_.f;
    if (solution_.status == LcpStatus::solved) return reply;
    reply.claim = Claim::gave_up;
    reply.regularisation = solution_.regularisation;
    return reply;
  }

 private:
  LcpSettings settings_;
  LcpWorkspace workspace_;
  LcpSolution solution_;
};

}  // namespace

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kMethods) + std::size(kPeers));
  for (const LcpMethod method : kMethods) names.emplace_back(name_of(method));
  for (const Peer& peer : kPeers) names.emplace_back(peer.name);
  return names;
}

SolverSpec solver_named(std::string_view name, const std::string& peer_folder, double timeout_seconds) {
  if (const auto method = lcp_method_named(name)) {
    return {std::string(name), *method == LcpMethod::jade,
            [method] { return std::make_unique<OwnSolver>(*method); }};
  }
  for (const Peer& peer : kPeers) {
    if (name != peer.name) continue;
    const std::filesystem::path program = std::filesystem::path(peer_folder) / peer.program;
    if (!std::filesystem::exists(program)) {
      throw std::runtime_error(fmt::format("solver `{}`: {} is missing; build the target {}", name,
                                           program.string(), peer.program));
    }
    SolverSpec spec = solver_command(fmt::format("exec '{}' {}", program.string(), name), timeout_seconds);
    spec.name = name;
    spec.must_be_valid = false;
    return spec;
  }
  std::string names;
  for (const std::string& known : solver_names()) names += " " + known;
  throw InvalidInput("solver", {{"--solver", fmt::format("`{}` is not known", name), "use one of:" + names}});
}

SolverSpec solver_command(const std::string& command, double timeout_seconds) {
  return {"command", true, [=] { return std::make_unique<CommandSolver>(command, timeout_seconds); }};
}

}  // namespace jade::reports
