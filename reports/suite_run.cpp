#include "reports/suite_run.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace jade::reports {

using cases::CaseResult;
using cases::Verdict;

SuiteRun run_suite(std::vector<cases::Case> cases, std::vector<reference::Engine> engines,
                   const SuiteOptions& options) {
  SuiteRun run;
  run.environment = this_environment();
  run.tolerance_scale = options.tolerance_scale;
  run.cases = std::move(cases);
  run.engines = std::move(engines);
  const int all = static_cast<int>(run.cases.size() * run.engines.size());
  run.results.resize(all);

  // Each result has its place before anything starts: who computes it makes no difference.
  std::atomic<int> next{0};
  std::mutex reporting;
  int done = 0;
  const auto work = [&] {
    for (int i; (i = next++) < all;) {
      const std::size_t n = run.engines.size(), k = static_cast<std::size_t>(i);
      const cases::Case& c = run.cases[k / n];
      const reference::Engine& engine = run.engines[k % n];
      CaseResult& result = run.results[k];
      try {
        result = run_case(c, engine, options.tolerance_scale);
      } catch (const std::exception& error) {
        result = {.case_name = c.name, .engine = engine.name, .ours = engine.ours};
        result.verdict = Verdict::engine_error;
        result.reason = error.what();
      }
      const std::lock_guard lock(reporting);
      ++done;
      if (options.on_result) options.on_result(result, done, all);
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 1; i < std::min(options.jobs, all); ++i) threads.emplace_back(work);
  work();
  threads.clear();
  return run;
}

Tally tally(const SuiteRun& run, const std::string& engine) {
  Tally t;
  for (const CaseResult& r : run.results) {
    if (r.engine != engine) continue;
    switch (r.verdict) {
      case Verdict::pass:
        ++t.passed;
        break;
      case Verdict::fail:
        ++t.failed;
        break;
      case Verdict::not_applicable:
        ++t.not_applicable;
        break;
      case Verdict::engine_error:
        ++t.errors;
        break;
    }
  }
  return t;
}

bool ours_failed(const SuiteRun& run) {
  return std::any_of(run.results.begin(), run.results.end(), [](const CaseResult& r) {
    return r.ours && (r.verdict == Verdict::fail || r.verdict == Verdict::engine_error);
  });
}

std::string recording_file(const CaseResult& result) {
  std::string name = result.case_name + "." + result.engine;
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (!plain) c = '-';
  }
  return name + ".jsonl";
}

}  // namespace jade::reports
