#include <algorithm>
#include <memory>

#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/selection.h"
#include "reports/results_json.h"

namespace jade::cli {

void add_list_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("list", "List the cases and the engines they can be run on");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON instead of text");
  command->callback([json, &exit_code] {
    exit_code = kSuccess;
    const auto cases = select_cases({});
    const auto engines = select_engines({}, {}, 0);
    if (*json) {
      fmt::print("{}", reports::list_json(cases, engines));
      return;
    }
    std::size_t width = 0;
    for (const auto& c : cases) width = std::max(width, c.name.size());
    for (const auto& e : engines) width = std::max(width, e.name.size());
    fmt::print("Cases\n");
    for (const auto& c : cases) fmt::print("  {:<{}}  {}\n", c.name, width, c.claim);
    fmt::print("\nEngines\n");
    for (const auto& e : engines) {
      fmt::print("  {:<{}}  {}{}\n", e.name, width, e.description,
                 e.missing.empty() ? "" : " [not here: " + e.missing + "]");
    }
  });
}

}  // namespace jade::cli
