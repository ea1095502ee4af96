#include <memory>
#include <thread>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/campaign_terminal.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/numbers.h"
#include "cli/run_scene.h"
#include "cli/selection.h"
#include "reports/markdown_report.h"
#include "reports/results_json.h"
#include "reports/suite_run.h"
#include "reports/write_report.h"

namespace jade::cli {
namespace {

struct RunOptions {
  std::vector<std::string> cases, engines, commands;
  int jobs = 1;
  double tolerance_scale = 1, timeout = 120;
  std::string out;
  bool json = false;
  SceneArguments scene;
};

/// Progress: one line that rewrites itself on a terminal, plain lines elsewhere; on standard error, so that
/// standard output stays clean for results.
class Progress {
 public:
  explicit Progress(bool wanted) : wanted_(wanted), terminal_(isatty(STDERR_FILENO) == 1) {}

  void operator()(const cases::CaseResult& r, int done, int all) const {
    if (!wanted_) return;
    const std::string line =
        fmt::format("[{}/{}] {} on {}: {}", done, all, r.case_name, r.engine, reports::short_verdict(r));
    if (terminal_) {
      fmt::print(stderr, "\r\033[K{}{}", line, done == all ? "\r\033[K" : "");
      std::fflush(stderr);
    } else {
      fmt::print(stderr, "{}\n", line);
    }
  }

 private:
  bool wanted_, terminal_;
};

void print_summary(const reports::SuiteRun& run) {
  std::size_t width = 4;
  for (const auto& c : run.cases) width = std::max(width, c.name.size());
  fmt::print("{:<{}}", "case", width);
  std::vector<std::size_t> columns;
  for (const auto& e : run.engines) columns.push_back(std::max<std::size_t>(e.name.size(), 15));
  for (std::size_t e = 0; e < run.engines.size(); ++e)
    fmt::print("  {:<{}}", run.engines[e].name, columns[e]);
  fmt::print("\n");
  for (std::size_t c = 0; c < run.cases.size(); ++c) {
    fmt::print("{:<{}}", run.cases[c].name, width);
    for (std::size_t e = 0; e < run.engines.size(); ++e) {
      fmt::print("  {:<{}}", reports::short_verdict(run.result(c, e)), columns[e]);
    }
    fmt::print("\n");
  }
  fmt::print("\nnumbers: largest error / tolerance of the case; a peer's failure is a finding\n");
  for (const auto& r : run.results) {
    const bool tell =
        r.verdict == cases::Verdict::engine_error || (r.ours && r.verdict == cases::Verdict::not_applicable);
    if (tell) fmt::print("{} on {}: {}: {}\n", r.case_name, r.engine, name_of(r.verdict), r.reason);
  }
  for (const auto& e : run.engines) {
    if (!e.missing.empty()) fmt::print("{}: not run: {}\n", e.name, e.missing);
  }
}

int run(const RunOptions& options) {
  if (!options.scene.file.empty()) {
    SceneArguments scene = options.scene;
    scene.engines = options.engines;
    scene.commands = options.commands;
    scene.timeout = options.timeout;
    scene.out = options.out;
    scene.json = options.json;
    return run_scene(scene);
  }
  const std::vector<cases::Case> cases = select_cases(options.cases);
  const std::vector<reference::Engine> engines =
      select_engines(options.engines, options.commands, options.timeout);
  make_ready({.folder = options.out, .file = {}});
  reports::SuiteRun result = reports::run_suite(cases, engines,
                                                {.jobs = options.jobs,
                                                 .tolerance_scale = options.tolerance_scale,
                                                 .on_result = Progress(!options.json)});
  if (!options.out.empty()) reports::write_report(result, options.out);
  if (options.json) {
    fmt::print("{}", reports::results_json(result));
  } else {
    print_summary(result);
    if (!options.out.empty()) fmt::print("report: {}/report.html\n", options.out);
  }
  return reports::ours_failed(result) ? kFailure : kSuccess;
}

/// The options of a scene of the user's own; without --scene they mean nothing and are refused.
void add_scene_options(CLI::App& command, SceneArguments& scene, CLI::Option* cases, CLI::Option* tolerance) {
  CLI::Option* file =
      command
          .add_option("--scene", scene.file,
                      "A scene file of your own (jade/model/scene_json.h) instead of cases: simulated, "
                      "recorded, and judged for overlap, energy and lost time")
          ->excludes(cases)
          ->excludes(tolerance);
  const auto add = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help)->needs(file);
  };
  add("--time-step,--h", scene.h, "Time step of the scene [s]")->check(positive())->capture_default_str();
  CLI::Option* steps = add("--steps", scene.steps, "Steps of the scene; 100 when no --duration is given")
                           ->check(CLI::Range(1, 1'000'000'000));
  add("--duration", scene.duration, "Seconds of the scene, instead of --steps")
      ->check(positive())
      ->excludes(steps);
  add("--record-every", scene.record_every, "Steps between frames of the recording")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  add("--spacing", scene.spacing,
      "How far anything goes between two states judged within steps of our engine [m, rad]; 0: frames only")
      ->check(zero_or_more())
      ->capture_default_str();
  command
      .add_flag(
          "--separate", scene.separate,
          "Move what touches at the start of the scene to the standoff that our engine keeps, and say by "
          "how much")
      ->needs(file);
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("run", "Run cases, or a scene of your own, on engines and write a report");
  command->footer(
      "Exit code: 0 everything of ours passed, 1 something of ours failed, 2 wrong arguments, 3 "
      "environment.\n"
      "A failed expectation of a peer engine is a finding and does not change the exit code.");
  const auto o = std::make_shared<RunOptions>();
  o->jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CLI::Option* cases = command->add_option("CASE", o->cases, "Cases to run; all when none is named");
  command
      ->add_option("--engine,-e", o->engines,
                   "Engine to run them on; may be repeated; all when none is named")
      ->allow_extra_args(false);  // what follows the name is a case
  command
      ->add_option("--engine-command", o->commands,
                   "NAME=COMMAND: an engine of your own that speaks the protocol of reference/protocol.h")
      ->allow_extra_args(false);
  command->add_option("--timeout", o->timeout, "Seconds after which a command of your own is stopped")
      ->capture_default_str()
      ->check(waiting_seconds());
  command->add_option("--jobs,-j", o->jobs, "Runs at the same time; results do not depend on it")
      ->capture_default_str()
      ->check(job_count());
  command->add_option("--out,-o", o->out,
                      "Folder for results.json, junit.xml, report.md, report.html and recordings/; tables in "
                      "its benchmarks/ join the report");
  CLI::Option* tolerance =
      command
          ->add_option("--tolerance-scale", o->tolerance_scale,
                       "Multiplies every tolerance; 0 fails everything and shows every residual")
          ->capture_default_str()
          ->check(zero_or_more());
  add_scene_options(*command, o->scene, cases, tolerance);
  command->add_flag("--json", o->json, "Print results as JSON on standard output, and nothing else");
  command->callback([o, &exit_code] { exit_code = run(*o); });
}

}  // namespace jade::cli
