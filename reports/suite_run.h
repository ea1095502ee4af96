#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cases/case.h"
#include "reference/engines.h"

namespace jade::reports {

/// The machine and the build that made a run.
struct Environment {
  std::string version, commit, compiler, build_type, cpu, system;
  int cores = 0;
};
Environment this_environment();

/// A table that a benchmark program left for the report.
struct BenchmarkTable {
  std::string file;  ///< its name without folder
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< numbers as short text
  std::vector<std::string> notes;
};

/// Every *.json in the folder, by name: {"title": …, "columns": […], "rows": [[…]], "notes": […]}. A file that
/// is no such table becomes a table without rows whose note says why.
std::vector<BenchmarkTable> load_benchmark_tables(const std::string& folder);

/// Everything a report shows.
struct SuiteRun {
  Environment environment;
  double tolerance_scale = 1;
  std::vector<cases::Case> cases;
  std::vector<reference::Engine> engines;
  std::vector<cases::CaseResult> results;  ///< case by case, in each the engines in their order
  std::vector<BenchmarkTable> benchmarks;

  const cases::CaseResult& result(std::size_t c, std::size_t engine) const {
    return results[c * engines.size() + engine];
  }
};

struct SuiteOptions {
  int jobs = 1;
  double tolerance_scale = 1;
  /// Called after each result, one at a time, in the order they get done.
  std::function<void(const cases::CaseResult&, int done, int all)> on_result;
};

/// Runs every case on every engine. Measurements do not depend on the number of jobs; wall times may.
[[nodiscard]] SuiteRun run_suite(std::vector<cases::Case> cases, std::vector<reference::Engine> engines,
                                 const SuiteOptions& options);

struct Tally {
  int passed = 0, failed = 0, not_applicable = 0, errors = 0;
};
Tally tally(const SuiteRun& run, const std::string& engine);

/// Whether anything of ours failed or did not finish.
bool ours_failed(const SuiteRun& run);

/// `pendulum.bullet-multibody.jsonl`: a file name that every file system takes.
std::string recording_file(const cases::CaseResult& result);

}  // namespace jade::reports
