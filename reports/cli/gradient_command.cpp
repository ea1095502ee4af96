#include <memory>

#include "cli/case_run.h"
#include "cli/commands.h"
#include "cli/gradient_explain_command.h"
#include "cli/gradient_fuzz_command.h"
#include "cli/named.h"

namespace jade::cli {
namespace {

struct CheckOptions : CaseRunOptions {
  bool list = false;
};

int run_check(const CheckOptions& options) {
  const std::vector<cases::GradientCase> chosen =
      select_named(cases::all_gradient_cases(), options.names, "gradient case");
  if (!options.list) return run_cases(chosen, options, cases::run_gradient_case);
  for (const cases::GradientCase& c : chosen) fmt::print("{:<28}  {}\n", c.name, c.claim);
  return kSuccess;
}

}  // namespace

void add_gradient_command(CLI::App& app, int& exit_code) {
  CLI::App* gradient =
      app.add_subcommand("gradient", "Gradients of trajectories: against closed forms and differences");
  gradient->require_subcommand(1);
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* check =
      gradient->add_subcommand("check", "Differentiate the gradient cases and compare with the truth");
  options->add_to(*check, "Gradient case");
  check->add_flag("--list", options->list, "Only list the cases and what they claim");
  check->footer("Exit code 1 if a gradient is wrong.");
  check->callback([options, &exit_code] { exit_code = run_check(*options); });
  add_gradient_fuzz_command(*gradient, exit_code);
  add_gradient_explain_command(*gradient, exit_code);
}

}  // namespace jade::cli
