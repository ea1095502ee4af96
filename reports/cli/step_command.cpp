#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/campaign_terminal.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/numbers.h"
#include "jade/base/atomic_file.h"
#include "jade/base/error.h"
#include "jade/base/suggest.h"
#include "jade/model/scene_json.h"
#include "step_fuzz/shrink_world.h"
#include "step_fuzz/step_table.h"

namespace jade::cli {
namespace {

using reports::StepFailure;
using reports::StepFuzzResult;
using reports::StepFuzzSettings;
using step_trial::Fault;

struct StepFuzzArguments {
  StepFuzzSettings settings;
  std::vector<std::string> families;
  std::string save, table;
  bool json = false;
};

std::vector<step_trial::WorldFamily> families_named(const std::vector<std::string>& names) {
  if (names.empty()) return step_trial::world_families();
  std::vector<std::string> known;
  for (const auto& family : step_trial::world_families()) known.push_back(family.name);
  std::vector<step_trial::WorldFamily> chosen;
  std::vector<Mistake> mistakes;
  for (const std::string& name : names) {
    if (const auto family = step_trial::world_family_named(name)) {
      chosen.push_back(*family);
    } else {
      mistakes.push_back({"family \"" + name + "\"", "is unknown", suggest(name, known)});
    }
  }
  if (!mistakes.empty()) throw InvalidInput("arguments", mistakes);
  return chosen;
}

std::string origin_of(const StepFuzzSettings& settings, std::size_t family, std::uint64_t index) {
  return fmt::format("seed {}, family {}, world {}", settings.seed, settings.families[family].name, index);
}

/// The failing world made small: from the state before the failing step if it fails from there too, else from its start.
/// Returns how many steps it takes to see it fail.
int make_small(const StepFuzzSettings& settings, std::size_t family, generators::World& world) {
  step_trial::TrialSettings trial = trial_settings(settings, family);
  const step_trial::Trial whole = try_world(world, trial);
  const auto fails = [&](const generators::World& candidate) {
    return !interrupted && try_world(candidate, trial).fault == whole.fault;
  };
  trial.steps = 1;
  if (const auto late = reports::world_at(world, whole.before); fails(late)) {
    world = late;
  } else {
    trial.steps = whole.steps + 1;
  }
  world = reports::shrink(world, fails);
  return trial.steps;
}

void save_failures(const StepFuzzSettings& settings, std::size_t family, const reports::StepFuzzRow& row,
                   const std::filesystem::path& folder) {
  constexpr std::size_t kept = 20;
  for (std::size_t k = 0; k < std::min(kept, row.failures.size()) && !interrupted; ++k) {
    const StepFailure& failure = row.failures[k];
    generators::World world = world_of(settings, family, failure.index);
    const std::size_t bodies = world.scene.bodies.size();
    int steps = settings.steps;
    // Worlds that are too slow are not run again and again.
    if (failure.fault != Fault::too_slow) steps = make_small(settings, family, world);
    const std::filesystem::path file =
        folder /
        fmt::format("{}_seed{}_{}.json", settings.families[family].name, settings.seed, failure.index);
    const std::string arguments = fmt::format("--h {} --steps {}", world.h, steps);
    world.scene.name = fmt::format("{}: {}; run with {}", origin_of(settings, family, failure.index),
                                   name_of(failure.fault), arguments);
    save_scene(world.scene, file);
    fmt::print(stderr, "saved {} bodies of {}; replay: jade run --scene {} {} --engine jade\n",
               world.scene.bodies.size(), bodies, file.string(), arguments);
  }
  if (row.failures.size() > kept)
    fmt::print(stderr, "{}: {} further failures, to be made again from seed and index\n",
               settings.families[family].name, row.failures.size() - kept);
}

void print_failures(const StepFuzzSettings& settings, const StepFuzzResult& result) {
  constexpr std::size_t shown = 5;
  for (std::size_t f = 0; f < settings.families.size(); ++f) {
    const auto& failures = result.rows[f].failures;
    for (std::size_t k = 0; k < std::min(shown, failures.size()); ++k)
      fmt::print("{}: {}: {}\n", origin_of(settings, f, failures[k].index), name_of(failures[k].fault),
                 failures[k].what);
    if (failures.size() > shown)
      fmt::print("… and {} more; --json lists them all\n", failures.size() - shown);
  }
}

int run_fuzz(const StepFuzzArguments& arguments) {
  StepFuzzSettings settings = arguments.settings;
  settings.families = families_named(arguments.families);
  if (settings.jobs <= 0) settings.jobs = default_jobs();
  settings.stop = &interrupted;
  make_ready({.folder = arguments.save, .file = arguments.table});
  listen_for_interrupt();
  StepFuzzResult result;
  {
    ProgressBar bar(settings.count);
    settings.progress = [&](std::uint64_t done) { bar.show(done); };
    result = run_campaign(settings);
  }
  const reports::Table table = table_of(settings, result);
  if (arguments.json) {
    fmt::print("{}\n", to_json(settings, result).dump(2));
  } else {
    fmt::print("{}", to_text(table));
    if (result.interrupted) fmt::print("interrupted after {} of {} worlds\n", result.done, settings.count);
    print_failures(settings, result);
  }
  std::fflush(stdout);
  if (!arguments.table.empty()) write_file(arguments.table, to_json(table).dump(2) + "\n");
  if (!arguments.save.empty()) {
    listen_for_interrupt();
    for (std::size_t f = 0; f < settings.families.size(); ++f)
      save_failures(settings, f, result.rows[f], arguments.save);
  }
  const bool failed = std::ranges::any_of(result.rows, [](const auto& row) { return row.failed() > 0; });
  return failed ? kFailure : kSuccess;
}

std::string families_for_help() {
  std::string text = "\nFamilies:\n";
  for (const auto& family : step_trial::world_families())
    text += fmt::format("  {:10} {}\n", family.name, family.meaning);
  return text +
         "\nA world fails when two shapes share a point at the end of a step or within it, when the step "
         "gives up or\n"
         "is not finite, when energy or momentum goes beyond its bound, or when it takes too long. Time that "
         "a step\n"
         "could not certify and LCPs without solution are counted. Exit code 1 if a world failed.\n";
}

void add_fuzz(CLI::App& step, int& exit_code) {
  const auto arguments = std::make_shared<StepFuzzArguments>();
  StepFuzzSettings& settings = arguments->settings;
  settings.jobs = 0;
  CLI::App* fuzz =
      step.add_subcommand("fuzz", "Step random worlds and have every state judged; shrink what fails");
  fuzz->add_option("--count", settings.count, "worlds in total over the families")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))
      ->capture_default_str();
  fuzz->add_option("--steps", settings.steps, "steps of each world")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  fuzz->add_option("--seed", settings.seed, "a world depends on seed, family and index alone")
      ->capture_default_str();
  fuzz->add_option("--family", arguments->families, "families (default: all)")->delimiter(',');
  fuzz->add_option(
          "--spacing", settings.spacing,
          "how far anything goes between two states judged within a step [m, rad]; 0: only ends of steps")
      ->check(zero_or_more())
      ->capture_default_str();
  fuzz->add_option("--timeout", settings.seconds, "seconds of work that a world may take")
      ->check(waiting_seconds())
      ->capture_default_str();
  fuzz->add_option("--jobs", settings.jobs, "threads (default: all cores); the results do not depend on it")
      ->check(job_count());
  fuzz->add_option("--save", arguments->save,
                   "folder for failing worlds, shrunk, as scenes that `jade run --scene` replays");
  fuzz->add_option("--table", arguments->table, "also write the table as JSON for the report");
  fuzz->add_flag("--json", arguments->json, "print JSON instead of the table");
  fuzz->add_flag("--without-continuous-detection{false}", settings.step.continuous,
                 "switch the certificate off, to see what it is for");
  fuzz->footer(families_for_help);
  fuzz->callback([arguments, &exit_code] { exit_code = run_fuzz(*arguments); });
}

}  // namespace

void add_step_command(CLI::App& app, int& exit_code) {
  CLI::App* step = app.add_subcommand("step", "The step of the engine on random worlds");
  step->require_subcommand(1);
  add_fuzz(*step, exit_code);
}

}  // namespace jade::cli
