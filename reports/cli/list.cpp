#include <algorithm>
#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cases/gradient_case.h"
#include "cases/optimisation_case.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/selection.h"
#include "reports/results_json.h"

namespace jade::cli {
namespace {

template <class Named>
nlohmann::ordered_json named_json(const std::vector<Named>& all) {
  auto list = nlohmann::ordered_json::array();
  for (const Named& one : all)
    list.push_back({{"name", one.name}, {"claim", one.claim}, {"source", one.source}});
  return list;
}

}  // namespace

void add_list_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("list", "List the cases and the engines they can be run on");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON instead of text");
  command->callback([json, &exit_code] {
    exit_code = kSuccess;
    const auto cases = select_cases({});
    const auto engines = select_engines({}, {}, 0);
    if (*json) {
      auto document = nlohmann::ordered_json::parse(reports::list_json(cases, engines));
      document["gradient_cases"] = named_json(cases::all_gradient_cases());
      document["optimisation_cases"] = named_json(cases::all_optimisation_cases());
      fmt::print("{}\n", document.dump(2));
      return;
    }
    std::size_t width = 0;
    for (const auto& c : cases::all_gradient_cases()) width = std::max(width, c.name.size());
    for (const auto& c : cases) width = std::max(width, c.name.size());
    for (const auto& e : engines) width = std::max(width, e.name.size());
    fmt::print("Cases\n");
    for (const auto& c : cases) fmt::print("  {:<{}}  {}\n", c.name, width, c.claim);
    fmt::print("\nGradient cases (jade gradient check)\n");
    for (const auto& c : cases::all_gradient_cases()) fmt::print("  {:<{}}  {}\n", c.name, width, c.claim);
    fmt::print("\nOptimisation cases (jade optimise)\n");
    for (const auto& c : cases::all_optimisation_cases())
      fmt::print("  {:<{}}  {}\n", c.name, width, c.claim);
    fmt::print("\nEngines\n");
    for (const auto& e : engines) {
      fmt::print("  {:<{}}  {}{}\n", e.name, width, e.description,
                 e.missing.empty() ? "" : " [not here: " + e.missing + "]");
    }
  });
}

}  // namespace jade::cli
