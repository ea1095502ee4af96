#include <memory>

#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/selection.h"
#include "jade/model/scene_json.h"
#include "reports/results_json.h"

namespace jade::cli {
namespace {

void show_tolerance(const char* who, const cases::Tolerance& t) {
  std::string size;
  if (t.absolute != 0 || t.relative == 0) size = fmt::format("{:.3g}", t.absolute);
  if (t.relative != 0) size += fmt::format("{}{:.3g} relative", size.empty() ? "" : " + ", t.relative);
  fmt::print("      {}: {} ({}: {})\n", who, size, name_of(t.covers), t.why);
}

}  // namespace

void add_show_command(CLI::App& app, int& exit_code) {
  struct Options {
    std::string name;
    bool json = false, scene = false;
  };
  CLI::App* command =
      app.add_subcommand("show", "Show one case: its claim, its source, its expectations and tolerances");
  const auto options = std::make_shared<Options>();
  command->add_option("CASE", options->name, "Name of a case; `jade list` names them")->required();
  command->add_flag("--json", options->json, "Print JSON instead of text, scene included");
  command->add_flag("--scene", options->scene, "Print the scene alone, as a scene file");
  command->callback([options, &exit_code] {
    exit_code = kSuccess;
    const cases::Case c = select_cases({options->name}).front();
    if (options->scene) {
      fmt::print("{}\n", scene_to_json(c.scene()));
      return;
    }
    if (options->json) {
      fmt::print("{}", reports::case_json(c));
      return;
    }
    fmt::print("{}\n  {}\n  truth: {}\n  h = {} s, {} steps\n  expects\n", c.name, c.claim, c.source,
               c.time_step, c.steps);
    using reference::Scheme;
    for (const cases::Expectation& e : c.expects) {
      fmt::print("    {} {} [{}]\n", e.quantity().name, e.kind(), e.quantity().unit);
      show_tolerance("tolerance", e.tolerance(Scheme::midpoint));
      for (const Scheme scheme : {Scheme::semi_implicit_euler, Scheme::explicit_euler}) {
        if (const std::string reason = e.reason_not_for(scheme); !reason.empty()) {
          fmt::print("      {}: not asked ({})\n", reference::name_of(scheme), reason);
        } else if (&e.tolerance(scheme) != &e.tolerance(Scheme::midpoint)) {
          show_tolerance(reference::name_of(scheme), e.tolerance(scheme));
        }
      }
    }
  });
}

}  // namespace jade::cli
