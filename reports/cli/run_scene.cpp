#include "cli/run_scene.h"

#include <cmath>

#include <fmt/core.h>

#include "cli/campaign_terminal.h"
#include "cli/exit_code.h"
#include "cli/selection.h"
#include "jade/base/error.h"
#include "jade/model/scene_json.h"
#include "reports/scene_run.h"

namespace jade::cli {
namespace {

int steps_of(const SceneArguments& arguments) {
  if (arguments.steps > 0) return arguments.steps;
  if (arguments.duration <= 0) return 100;
  constexpr double most = 1e9;
  const double steps = std::round(arguments.duration / arguments.h);
  if (!(steps >= 1 && steps <= most))
    throw InvalidInput("arguments", {{"--duration", fmt::format("is {} steps of {} s", steps, arguments.h),
                                      "give at least one step, and at most a billion"}});
  return static_cast<int>(steps);
}

}  // namespace

int run_scene(const SceneArguments& arguments) {
  reports::SceneRunRequest request{.scene = load_scene(arguments.file),
                                   .time_step = arguments.h,
                                   .steps = steps_of(arguments),
                                   .record_every = arguments.record_every,
                                   .spacing = arguments.spacing,
                                   .separate = arguments.separate};
  const auto engines = select_engines(arguments.engines, arguments.commands, arguments.timeout);
  make_ready({.folder = arguments.out, .file = {}});
  const auto progress = [&](const reports::SceneResult& result) {
    if (!arguments.json) fmt::print(stderr, "{}: {}\n", result.engine, result.verdict());
  };
  const reports::SceneRun run = reports::run_scene(request, engines, progress);
  if (!arguments.out.empty()) write_scene_run(run, arguments.out);
  if (arguments.json) {
    fmt::print("{}", scene_json(run));
  } else {
    fmt::print("{}", scene_table(run));
    if (!arguments.out.empty()) fmt::print("report: {}/report.md\n", arguments.out);
  }
  return ours_failed(run) ? kFailure : kSuccess;
}

}  // namespace jade::cli
