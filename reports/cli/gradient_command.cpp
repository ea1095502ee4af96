#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/campaign_terminal.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/gradient_fuzz_command.h"
#include "cli/named.h"
#include "gradients/gradient_table.h"
#include "jade/base/atomic_file.h"

namespace jade::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> names;
  std::string table;
  bool json = false, list = false;
};

int run_check(const CheckOptions& options) {
  const std::vector<cases::GradientCase> chosen =
      select_named(cases::all_gradient_cases(), options.names, "gradient case");
  if (options.list) {
    for (const cases::GradientCase& c : chosen) fmt::print("{:<28}  {}\n", c.name, c.claim);
    return kSuccess;
  }
  std::vector<cases::GradientResult> results;
  {
    ProgressBar bar(chosen.size());
    for (const cases::GradientCase& c : chosen) {
      results.push_back(cases::run_gradient_case(c));
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
      results, [](const cases::GradientResult& r) { return r.verdict == cases::Verdict::pass; });
  return passed ? kSuccess : kFailure;
}

}  // namespace

void add_gradient_command(CLI::App& app, int& exit_code) {
  CLI::App* gradient =
      app.add_subcommand("gradient", "Gradients of trajectories: against closed forms and differences");
  gradient->require_subcommand(1);
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* check =
      gradient->add_subcommand("check", "Differentiate the gradient cases and compare with the truth");
  check->add_option("CASE", options->names, "Gradient cases; all when none is named");
  check->add_flag("--list", options->list, "Only list the cases and what they claim");
  check->add_option("--table", options->table, "Also write the table to this file, as JSON for the report");
  check->add_flag("--json", options->json, "Print everything as JSON");
  check->footer("Exit code 1 if a gradient is wrong.");
  check->callback([options, &exit_code] { exit_code = run_check(*options); });
  add_gradient_fuzz_command(*gradient, exit_code);
}

}  // namespace jade::cli
