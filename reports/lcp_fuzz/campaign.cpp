#include "lcp_fuzz/campaign.h"

#include <algorithm>
#include <cmath>

#include "campaign/index_pool.h"

namespace jade::reports {
namespace {

const char* name_of(Claim claim) {
  switch (claim) {
    case Claim::solved:
      return "";
    case Claim::gave_up:
      return "gave up";
    case Claim::crashed:
      return "crashed";
    case Claim::garbage:
      return "garbage";
    case Claim::hung:
      return "hung";
  }
  return "";
}

void record(FuzzCell& cell, const Verdict& verdict, const SolverReply& reply, std::uint64_t index) {
  ++cell.problems;
  cell.microseconds.push_back(static_cast<float>(reply.microseconds));
  if (std::isfinite(verdict.residual)) cell.worst_residual = std::max(cell.worst_residual, verdict.residual);
  if (verdict.valid) ++cell.valid;
  if (verdict.compliant) ++cell.compliant;
  if (verdict.wrong_claim) ++cell.wrong_claims;
  if (verdict.acceptable()) return;
  ++cell.reasons[verdict.reason];
  if (cell.failures.size() < FuzzCell::kFailuresKept)
    cell.failures.push_back({index, verdict.residual, verdict.reason, reply.detail});
}

void merge(FuzzCell& into, FuzzCell& from) {
  into.problems += from.problems;
  into.valid += from.valid;
  into.compliant += from.compliant;
  into.wrong_claims += from.wrong_claims;
  into.worst_residual = std::max(into.worst_residual, from.worst_residual);
  for (const auto& [reason, count] : from.reasons) into.reasons[reason] += count;
  into.failures.insert(into.failures.end(), from.failures.begin(), from.failures.end());
  into.microseconds.insert(into.microseconds.end(), from.microseconds.begin(), from.microseconds.end());
}

/// What one thread has seen.
class Worker {
 public:
  explicit Worker(const FuzzSettings& settings)
      : cells(settings.families.size() * settings.solvers.size()), settings_(settings) {
    for (const SolverSpec& solver : settings.solvers) solvers_.push_back(solver.make());
  }

  void run_problem(std::uint64_t k) {
    const std::size_t family = k % settings_.families.size();
    const std::uint64_t index = k / settings_.families.size();
    const LcpProblem problem = generators::make_lcp_problem(problem_id(settings_, family, index));
    for (std::size_t s = 0; s < solvers_.size(); ++s) {
      const SolverReply reply = solvers_[s]->solve(problem);
      const Verdict verdict =
          verdict_on(problem, reply, settings_.families[family].may_have_no_solution, settings_.tolerance);
      record(cells[family * solvers_.size() + s], verdict, reply, index);
    }
  }

  std::vector<FuzzCell> cells;

 private:
  const FuzzSettings& settings_;
  std::vector<std::unique_ptr<FuzzSolver>> solvers_;
};

}  // namespace

Verdict verdict_on(const LcpProblem& problem, const SolverReply& reply, bool may_have_no_solution,
                   double tolerance) {
  Verdict verdict;
  if (reply.claim != Claim::solved && reply.claim != Claim::gave_up) {
    verdict.residual = std::numeric_limits<double>::infinity();
    verdict.reason = name_of(reply.claim);
    return verdict;
  }
  const reference::LcpJudgement judgement = reference::judge(problem, reply.f, {.tolerance = tolerance});
  verdict.residual = judgement.residual;
  verdict.valid = judgement.valid;
  if (verdict.valid) return verdict;
  verdict.wrong_claim = reply.claim == Claim::solved;
  if (may_have_no_solution && reply.claim == Claim::gave_up && reply.regularisation > 0) {
    verdict.compliant =
        reference::judge(problem, reply.f, {.tolerance = tolerance, .regularisation = reply.regularisation})
            .valid;
  }
  if (!verdict.compliant) {
    verdict.reason =
        reply.claim == Claim::gave_up ? name_of(Claim::gave_up) : reference::name_of(judgement.fault);
  }
  return verdict;
}

generators::LcpProblemId problem_id(const FuzzSettings& settings, std::size_t family, std::uint64_t index) {
  return {.seed = settings.seed,
          .family = settings.families[family].name,
          .index = index,
          .max_contacts = settings.max_contacts,
          .exact = settings.exact_contacts};
}

FuzzResult run_campaign(const FuzzSettings& settings) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (int j = 0; j < std::max(1, settings.jobs); ++j) workers.push_back(std::make_unique<Worker>(settings));
  FuzzResult result;
  result.done = run_indices({settings.count, settings.jobs, settings.stop, settings.progress},
                            [&](std::size_t worker, std::uint64_t k) { workers[worker]->run_problem(k); });
  result.interrupted = result.done < settings.count;
  result.cells.resize(settings.families.size() * settings.solvers.size());
  for (auto& worker : workers)
    for (std::size_t c = 0; c < result.cells.size(); ++c) merge(result.cells[c], worker->cells[c]);
  for (FuzzCell& cell : result.cells) {
    std::ranges::sort(cell.failures, {}, &Failure::index);
    if (cell.failures.size() > FuzzCell::kFailuresKept) cell.failures.resize(FuzzCell::kFailuresKept);
    std::ranges::sort(cell.microseconds);
  }
  return result;
}

}  // namespace jade::reports
