#include <memory>
#include <stdexcept>

#include "cli/case_run.h"
#include "cli/commands.h"
#include "cli/named.h"

namespace jade::cli {
namespace {

int run(const CaseRunOptions& options) {
  const std::vector<cases::OptimisationCase> chosen =
      select_named(cases::all_optimisation_cases(), options.names, "optimisation case");
  if (chosen.empty()) throw std::runtime_error("built without Ceres: there are no optimisation cases");
  return run_cases(chosen, options, cases::run_optimisation_case);
}

}  // namespace

void add_optimise_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<CaseRunOptions>();
  CLI::App* optimise =
      app.add_subcommand("optimise", "Solve tasks with known answers by gradients and a real optimiser");
  options->add_to(*optimise, "Optimisation case");
  optimise->footer("Exit code 1 if a goal is missed; 3 if this build has no optimiser.");
  optimise->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace jade::cli
