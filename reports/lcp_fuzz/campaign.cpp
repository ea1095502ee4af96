#include "lcp_fuzz/campaign.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

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

void record(FuzzCell& cell, const Verdict& verdict, double microseconds, std::uint64_t index) {
  ++cell.problems;
  cell.microseconds.push_back(static_cast<float>(microseconds));
  if (std::isfinite(verdict.residual)) cell.worst_residual = std::max(cell.worst_residual, verdict.residual);
  if (verdict.valid) ++cell.valid;
  if (verdict.compliant) ++cell.compliant;
  if (verdict.wrong_claim) ++cell.wrong_claims;
  if (verdict.acceptable()) return;
  ++cell.reasons[verdict.reason];
  if (cell.failures.size() < FuzzCell::kFailuresKept)
    cell.failures.push_back({index, verdict.residual, verdict.reason});
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

/// Takes problems from the common counter until there are none.
class Worker {
 public:
  Worker(const FuzzSettings& settings, std::atomic<std::uint64_t>& next, std::atomic<std::uint64_t>& done)
      : settings_(settings),
        next_(next),
        done_(done),
        cells(settings.families.size() * settings.solvers.size()) {
    for (const SolverSpec& solver : settings.solvers) solvers_.push_back(solver.make());
  }

  void run() {
    try {
      while (!(settings_.stop && *settings_.stop)) {
        const std::uint64_t k = next_++;
        if (k >= settings_.count) break;
        run_problem(k);
        ++done_;
      }
    } catch (...) {
      error = std::current_exception();
      next_ = settings_.count;  // the others need not go on
    }
  }

  std::exception_ptr error;

 private:
  void run_problem(std::uint64_t k) {
    const std::size_t family = k % settings_.families.size();
    const std::uint64_t index = k / settings_.families.size();
    const LcpProblem problem = generators::make_lcp_problem(problem_id(settings_, family, index));
    for (std::size_t s = 0; s < solvers_.size(); ++s) {
      const SolverReply reply = solvers_[s]->solve(problem);
      const Verdict verdict =
          verdict_on(problem, reply, settings_.families[family].may_have_no_solution, settings_.tolerance);
      record(cells[family * solvers_.size() + s], verdict, reply.microseconds, index);
    }
  }

  const FuzzSettings& settings_;
  std::atomic<std::uint64_t>&next_, &done_;
  std::vector<std::unique_ptr<FuzzSolver>> solvers_;

 public:
  std::vector<FuzzCell> cells;
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
  std::atomic<std::uint64_t> next = 0, done = 0;
  std::vector<std::unique_ptr<Worker>> workers;
  for (int j = 0; j < std::max(1, settings.jobs); ++j) {
    workers.push_back(std::make_unique<Worker>(settings, next, done));
  }
  std::atomic<std::size_t> running = workers.size();
  std::vector<std::jthread> threads;
  for (auto& worker : workers) {
    threads.emplace_back([&running, &worker = *worker] {
      worker.run();
      --running;
    });
  }
  while (running > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (settings.progress) settings.progress(done);
  }
  threads.clear();

  FuzzResult result;
  result.cells.resize(settings.families.size() * settings.solvers.size());
  for (auto& worker : workers) {
    if (worker->error) std::rethrow_exception(worker->error);
    for (std::size_t c = 0; c < result.cells.size(); ++c) merge(result.cells[c], worker->cells[c]);
  }
  for (FuzzCell& cell : result.cells) {
    std::ranges::sort(cell.failures, {}, &Failure::index);
    if (cell.failures.size() > FuzzCell::kFailuresKept) cell.failures.resize(FuzzCell::kFailuresKept);
    std::ranges::sort(cell.microseconds);
  }
  result.done = done;
  result.interrupted = done < settings.count;
  return result;
}

}  // namespace jade::reports
