#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/lcp_fuzz_command.h"
#include "cli/numbers.h"
#include "jade/lcp/lcp_solver.h"
#include "lcp_fuzz/fuzz_solver.h"
#include "lcp_io/lcp_file.h"
#include "lcp_judge/lcp_judge.h"

namespace jade::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const VecX& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(value);
  return array;
}

Json to_json(const reference::LcpJudgement& judgement) {
  Json json{{"valid", judgement.valid}};
  json["residual"] = std::isfinite(judgement.residual) ? Json(judgement.residual) : Json(nullptr);
  json["worst_row"] = judgement.worst_row;
  json["why"] = reference::name_of(judgement.fault);
  return json;
}

std::string in_words(const reference::LcpJudgement& judgement) {
  if (judgement.valid) return fmt::format("valid, residual {:.2e}", judgement.residual);
  if (judgement.worst_row < 0) return fmt::format("NOT valid: {}", reference::name_of(judgement.fault));
  return fmt::format("NOT valid: {} at row {}, residual {:.2e}", reference::name_of(judgement.fault),
                     judgement.worst_row, judgement.residual);
}

struct SolveArguments {
  std::string file, solver = "jade";
  double timeout = 10;
  bool json = false;
};

/// What any solver has to say about a problem, before it is judged.
struct SolveReport {
  std::string status;
  VecX f;
  bool answers = false;  ///< it claims a solution, or that there is none
  Json more = Json::object();
};

SolveReport solve_with_method(const LcpProblem& problem, LcpMethod method) {
  const LcpSolution solution = solve(recognise_contacts(problem), {.method = method});
  SolveReport report{std::string(name_of(solution.status)), solution.f};
  report.answers = solution.status == LcpStatus::solved || solution.status == LcpStatus::infeasible;
  report.more = {{"stage", solution.stage}, {"pivots", solution.pivots}};
  if (solution.regularisation > 0) report.more["regularisation"] = solution.regularisation;
  return report;
}

SolveReport solve_with_peer(const LcpProblem& problem, const SolveArguments& arguments) {
  const auto solver = reports::solver_named(arguments.solver, peer_folder(), arguments.timeout).make();
  const reports::SolverReply reply = solver->solve(problem);
  SolveReport report;
  report.f = reply.f;
  switch (reply.claim) {
    case reports::Claim::solved:
      report.status = "solved";
      break;
    case reports::Claim::gave_up:
      report.status = "no_solution_found";
      break;
    case reports::Claim::crashed:
      report.status = "crashed";
      break;
    case reports::Claim::garbage:
      report.status = "garbage";
      break;
    case reports::Claim::hung:
      report.status = "hung";
      break;
  }
  report.answers = reply.claim == reports::Claim::solved;
  report.more["microseconds"] = reply.microseconds;
  if (!reply.detail.empty()) report.more["detail"] = reply.detail;
  return report;
}

int run_solve(const SolveArguments& arguments) {
  const LcpProblem problem = reference::read_lcp_file(arguments.file);
  const auto method = lcp_method_named(arguments.solver);
  const SolveReport report =
      method ? solve_with_method(problem, *method) : solve_with_peer(problem, arguments);
  const reference::LcpJudgement judgement = reference::judge(problem, report.f);
  // "There is no solution" is an answer too; the judge has nothing to say about it.
  const bool infeasible = report.status == name_of(LcpStatus::infeasible);
  if (arguments.json) {
    Json json{{"solver", arguments.solver}, {"status", report.status}, {"f", to_json(report.f)}};
    json["judge"] = to_json(judgement);
    json.update(report.more);
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}: {}\n", arguments.solver, report.status);
    for (const auto& [key, value] : report.more.items())
      fmt::print("{}: {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    if (!infeasible) fmt::print("judge: {}\n", in_words(judgement));
    for (int i = 0; i < report.f.size(); ++i) fmt::print("f[{}] = {:.17g}\n", i, report.f[i]);
  }
  return report.answers && (infeasible || judgement.valid) ? kSuccess : kFailure;
}

struct CheckArguments {
  std::string file, solution;
  double tolerance = 1e-10;
  bool json = false;
};

int run_check(const CheckArguments& arguments) {
  const LcpProblem problem = reference::read_lcp_file(arguments.file);
  const reference::LcpAnswer answer = reference::read_lcp_answer_file(arguments.solution);
  const reference::LcpJudgement judgement =
      reference::judge(problem, answer.f, {.tolerance = arguments.tolerance});
  if (arguments.json) {
    fmt::print("{}\n", to_json(judgement).dump(2));
  } else {
    fmt::print("{}\n", in_words(judgement));
  }
  return judgement.valid ? kSuccess : kFailure;
}

}  // namespace

std::string peer_folder() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "peers").string();
}

void add_lcp_command(CLI::App& app, int& exit_code) {
  CLI::App* lcp = app.add_subcommand("lcp", "Solve, check and fuzz contact complementarity problems");
  lcp->require_subcommand(1);
  add_lcp_fuzz_command(*lcp, exit_code);

  const auto solving = std::make_shared<SolveArguments>();
  CLI::App* solve =
      lcp->add_subcommand("solve", "Solve a problem file and judge the answer; exit 1 if it is not valid");
  solve->add_option("FILE", solving->file, "JSON problem, or a Siconos .dat file")->required();
  solve->add_option("--solver", solving->solver, "jade, dantzig, ergodic, lemke, pgs, or a peer")
      ->capture_default_str();
  solve->add_option("--timeout", solving->timeout, "seconds a peer may take")
      ->check(waiting_seconds())
      ->capture_default_str();
  solve->add_flag("--json", solving->json, "print JSON");
  solve->callback([solving, &exit_code] { exit_code = run_solve(*solving); });

  const auto checking = std::make_shared<CheckArguments>();
  CLI::App* check = lcp->add_subcommand("check", "Judge a claimed solution; exit 1 if it is not valid");
  check->add_option("FILE", checking->file, "problem file, as for solve")->required();
  check->add_option("SOLUTION", checking->solution, "file with {\"f\": [...]}")->required();
  check->add_option("--tolerance", checking->tolerance, "largest residual that is valid")
      ->check(zero_or_more())
      ->capture_default_str();
  check->add_flag("--json", checking->json, "print JSON");
  check->callback([checking, &exit_code] { exit_code = run_check(*checking); });
}

}  // namespace jade::cli
