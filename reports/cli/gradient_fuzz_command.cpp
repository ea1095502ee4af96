#include "cli/gradient_fuzz_command.h"

#include <filesystem>
#include <memory>
#include <string>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/campaign_terminal.h"
#include "cli/exit_code.h"
#include "cli/numbers.h"
#include "gradients/gradient_fuzz.h"
#include "jade/base/atomic_file.h"

namespace jade::cli {
namespace {

using namespace reports;

struct FuzzArguments {
  GradientFuzzSettings settings;
  std::string save, table;
  bool json = false;
};

void print_failures(const GradientFuzzSettings& settings, const GradientFuzzResult& result) {
  constexpr std::size_t shown = 10;
  for (std::size_t k = 0; k < std::min(shown, result.failures.size()); ++k) {
    const GradientFailure& f = result.failures[k];
    fmt::print("failed: index {}, {}: relative error {:.1e}{}\n", f.index, f.what(), f.error,
               f.why.empty() ? "" : "; " + f.why);
  }
  if (result.failures.size() > shown)
    fmt::print("… and {} more; --json lists them all\n", result.failures.size() - shown);
  if (!result.failures.empty())
    fmt::print("where they part: jade gradient explain {} --seed {}{}\n", result.failures.front().index,
               settings.seed, settings.climate.touching ? " --touching" : "");
}

void save_failures(const GradientFuzzSettings& settings, const GradientFuzzResult& result,
                   const std::string& folder) {
  for (const GradientFailure& f : result.failures) {
    const auto file = std::filesystem::path(folder) /
                      fmt::format("gradient_seed{}_{}_{}.json", settings.seed, f.index, f.direction);
    write_file(file, saved_draw(settings, f));
    fmt::print(stderr, "saved {}\n", file.string());
  }
}

int run_fuzz(FuzzArguments arguments) {
  GradientFuzzSettings& settings = arguments.settings;
  if (settings.jobs <= 0) settings.jobs = default_jobs();
  make_ready({.folder = arguments.save, .file = arguments.table});
  listen_for_interrupt();
  settings.stop = &interrupted;
  GradientFuzzResult result;
  {
    ProgressBar bar(settings.count);
    settings.progress = [&](std::uint64_t done) { bar.show(done); };
    result = fuzz_gradients(settings);
  }
  const Table table = table_of(settings, result);
  if (arguments.json) {
    fmt::print("{}\n", to_json(settings, result).dump(2));
  } else {
    fmt::print("{}", to_text(table));
    if (result.interrupted) fmt::print("interrupted after {} of {} worlds\n", result.done, settings.count);
    print_failures(settings, result);
  }
  std::fflush(stdout);
  if (!arguments.table.empty()) write_file(arguments.table, to_json(table).dump(2) + "\n");
  if (!arguments.save.empty()) save_failures(settings, result, arguments.save);
  return result.failures.empty() ? kSuccess : kFailure;
}

}  // namespace

void add_gradient_fuzz_command(CLI::App& gradient, int& exit_code) {
  const auto arguments = std::make_shared<FuzzArguments>();
  GradientFuzzSettings& settings = arguments->settings;
  settings.jobs = 0;
  CLI::App* fuzz = gradient.add_subcommand(
      "fuzz",
      "Gradients of two steps of random worlds, in three random directions each, against differences");
  fuzz->add_option("--count", settings.count, "worlds")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))
      ->capture_default_str();
  fuzz->add_option("--seed", settings.seed, "a world and its directions depend on seed and index alone")
      ->capture_default_str();
  fuzz->add_option("--first", settings.first, "index of the first world; with --count 1 this one alone")
      ->capture_default_str();
  fuzz->add_flag("--touching", settings.climate.touching,
                 "draw also worlds in which things are placed to touch without a load");
  fuzz->add_flag(
      "--screen", settings.trial.screen,
      "pass a direction where a near central difference agrees: only wrong gradients are looked for, "
      "in many more worlds");
  fuzz->add_option("--tolerance", settings.trial.tolerance, "largest relative error that passes")
      ->check(positive())
      ->capture_default_str();
  fuzz->add_option("--jobs", settings.jobs, "threads (default: all cores); the results do not depend on it")
      ->check(job_count());
  fuzz->add_option("--save", arguments->save, "folder for failures: scene, time step and direction as JSON");
  fuzz->add_option("--table", arguments->table, "also write the table as JSON for the report");
  fuzz->add_flag("--json", arguments->json, "print JSON instead of the table");
  fuzz->footer(
      "A direction is regular where differences from both sides settle on one value, whatever the gradient "
      "says of itself.\nWorlds are in general position: without gravity nothing is placed exactly on what it "
      "would rest on. There the physics\nitself has a kink, at a start of measure zero; --touching draws "
      "those worlds as well.\nExit code 1 if a gradient is off by more than the tolerance in a regular "
      "direction, if a derivative to one side of a kink is,\nor if products from the left differ from the "
      "Jacobian by more than 1e-12 beyond rounding. Ctrl-C ends the campaign with\nwhat it has.");
  fuzz->callback([arguments, &exit_code] { exit_code = run_fuzz(*arguments); });
}

}  // namespace jade::cli
