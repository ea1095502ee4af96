#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/campaign_terminal.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/named.h"
#include "gradients/optimisation_table.h"
#include "jade/base/atomic_file.h"

namespace jade::cli {
namespace {

struct OptimiseOptions {
  std::vector<std::string> names;
  std::string table;
  bool json = false;
};

int run(const OptimiseOptions& options) {
  const std::vector<cases::OptimisationCase> chosen =
      select_named(cases::all_optimisation_cases(), options.names, "optimisation case");
  if (chosen.empty()) throw std::runtime_error("built without Ceres: there are no optimisation cases");
  std::vector<cases::OptimisationResult> results;
  {
    ProgressBar bar(chosen.size());
    for (const cases::OptimisationCase& c : chosen) {
      results.push_back(cases::run_optimisation_case(c));
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
  const bool passed = std::ranges::all_of(
      results, [](const cases::OptimisationResult& r) { return r.verdict == cases::Verdict::pass; });
  return passed ? kSuccess : kFailure;
}

}  // namespace

void add_optimise_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<OptimiseOptions>();
  CLI::App* optimise =
      app.add_subcommand("optimise", "Solve tasks with known answers by gradients and a real optimiser");
  optimise->add_option("CASE", options->names, "Optimisation cases; all when none is named");
  optimise->add_option("--table", options->table,
                       "Also write the table to this file, as JSON for the report");
  optimise->add_flag("--json", options->json, "Print everything as JSON");
  optimise->footer("Exit code 1 if a goal is missed; 3 if this build has no optimiser.");
  optimise->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace jade::cli
