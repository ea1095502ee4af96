#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/campaign_terminal.h"
#include "cli/exit_code.h"
#include "gradients/gradient_table.h"
#include "gradients/optimisation_table.h"
#include "jade/base/atomic_file.h"

namespace jade::cli {

/// What every command takes that runs named cases and prints one table of them.
struct CaseRunOptions {
  std::vector<std::string> names;
  std::string table;
  bool json = false;

  void add_to(CLI::App& command, const std::string& kind) {
    command.add_option("CASE", names, kind + "s; all when none is named");
    command.add_option("--table", table, "Also write the table to this file, as JSON for the report");
    command.add_flag("--json", json, "Print everything as JSON");
  }
};

/// Runs the cases under a progress bar, prints their table or JSON, and fails unless all of them pass.
template <class Case, class Run>
int run_cases(const std::vector<Case>& chosen, const CaseRunOptions& options, Run&& run) {
  make_ready({.folder = {}, .file = options.table});
  std::vector<decltype(run(chosen.front()))> results;
  {
    ProgressBar bar(chosen.size());
    for (const Case& c : chosen) {
      results.push_back(run(c));
      bar.show(results.size());
    }
  }
  const reports::Table table = reports::table_of(results);
  if (options.json) {
    fmt::print("{}\n", reports::to_json(results).dump(2));
  } else {
    fmt::print("{}", to_text(table));
  }
  std::fflush(stdout);
  if (!options.table.empty()) write_file(options.table, reports::to_json(table).dump(2) + "\n");
  const bool passed =
      std::ranges::all_of(results, [](const auto& r) { return r.verdict == cases::Verdict::pass; });
  return passed ? kSuccess : kFailure;
}

}  // namespace jade::cli
