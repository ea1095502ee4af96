#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/gradient_fuzz_command.h"
#include "cli/progress_bar.h"
#include "gradients/gradient_table.h"
#include "jade/base/atomic_file.h"
#include "jade/base/suggest.h"

namespace jade::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> names;
  std::string table;
  bool json = false, list = false;
};

std::vector<cases::GradientCase> select_gradient_cases(const std::vector<std::string>& names) {
  const std::vector<cases::GradientCase>& all = cases::all_gradient_cases();
  if (names.empty()) return all;
  std::vector<std::string> known;
  for (const cases::GradientCase& c : all) known.push_back(c.name);
  std::vector<Mistake> mistakes;
  for (const std::string& name : names)
    if (std::ranges::count(known, name) == 0)
      mistakes.push_back({"gradient case \"" + name + "\"", "is unknown", suggest(name, known)});
  if (!mistakes.empty()) throw InvalidInput("arguments", mistakes);
  std::vector<cases::GradientCase> chosen;
  for (const cases::GradientCase& c : all)
    if (std::ranges::count(names, c.name) > 0) chosen.push_back(c);
  return chosen;
}

int run_check(const CheckOptions& options) {
  const std::vector<cases::GradientCase> chosen = select_gradient_cases(options.names);
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
