#include "cli/gradient_explain_command.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/exit_code.h"
#include "cli/numbers.h"
#include "gradients/explanation_table.h"
#include "gradients/gradient_fuzz.h"
#include "jade/base/error.h"
#include "jade/model/scene_json.h"
#include "jade/stepping/step.h"

namespace jade::cli {
namespace {

using namespace reports;

struct ExplainArguments {
  GradientFuzzSettings settings;
  std::optional<std::uint64_t> index;
  std::string scene;  ///< in the place of a world of a campaign
  double h = 0.01;
  std::vector<std::size_t> directions;
  bool all = false, json = false;
};

int run_explain(ExplainArguments arguments) {
  if (arguments.index.has_value() != arguments.scene.empty())
    throw InvalidInput("arguments",
                       {{"index", "and --scene are two ways to name a world", "give one of them"}});
  const std::uint64_t numbers = arguments.index.value_or(0);
  const GradientDraw one =
      arguments.index ? draw(arguments.settings, numbers)
                      : GradientDraw{{.scene = load_scene(arguments.scene), .h = arguments.h},
                                     generators::mixed_seed(arguments.settings.seed, "gradient", numbers)};
  const std::string world = arguments.index
                                ? fmt::format("world {} of seed {}", numbers, arguments.settings.seed)
                                : fmt::format("scene {}", arguments.scene);
  if (arguments.directions.empty()) arguments.directions = {0, 1, 2};
  nlohmann::ordered_json document = {{"seed", arguments.settings.seed}};
  if (arguments.index) document["index"] = numbers;
  if (!arguments.index) document["scene"] = arguments.scene;
  document["directions"] = nlohmann::ordered_json::array();
  for (const std::size_t k : arguments.directions) {
    const char* name = gradient_trial::GradientTrial::kDirections[k];
    gradient_trial::Explanation explanation;
    try {
      explanation = gradient_trial::explain(one.world, one.numbers, k, arguments.settings.trial);
    } catch (const StepError& error) {
      fmt::print(stderr, "error: {} cannot be stepped: {}\n", world, error.what());
      return kUsage;
    }
    if (arguments.json) {
      nlohmann::ordered_json entry = to_json(explanation);
      entry["direction"] = name;
      document["directions"].push_back(std::move(entry));
      continue;
    }
    fmt::print("{}, by {}\n", world, name);
    for (const Table& table : tables_of(explanation, arguments.all)) fmt::print("{}\n", to_text(table));
  }
  if (arguments.json) fmt::print("{}\n", document.dump(2));
  return kSuccess;
}

}  // namespace

void add_gradient_explain_command(CLI::App& gradient, int& exit_code) {
  const auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* explain = gradient.add_subcommand(
      "explain",
      "Where on the way of two steps a gradient and differences part, for a world of fuzz or a scene");
  explain->add_option("index", arguments->index, "of the world, as `fuzz` names it")->check(zero_or_more());
  explain->add_option("--scene", arguments->scene, "a scene of your own instead, as JSON")
      ->check(CLI::ExistingFile);
  explain->add_option("--time-step", arguments->h, "of that scene [s]")
      ->check(positive())
      ->capture_default_str();
  explain
      ->add_option("--warm-up", arguments->settings.trial.warm_up,
                   "at most so many steps are made before the two; the seed chooses how many")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  explain->add_option("--seed", arguments->settings.seed, "of the campaign")->capture_default_str();
  explain
      ->add_option("--direction", arguments->directions,
                   "0 by state and effort, 1 by parameters, 2 by everything (default: all three)")
      ->check(CLI::Range(0, 2));
  explain->add_flag("--touching", arguments->settings.climate.touching, "the campaign was run with it");
  explain->add_flag("--all", arguments->all,
                    "show all stages, not only those about the first that parts, or whose decisions change");
  explain->add_flag("--json", arguments->json, "print JSON instead of tables: all stages");
  explain->footer(
      "Nudges: differences of all sizes, and the gradient at nudged starts. If that is another one on both "
      "sides, however small the\nnudge, the start alone is solved in another way than its neighbours.\n"
      "Stages: a step finds contacts, applies impulses, solves segments and moves. The tape is cut off after "
      "each of them and held\nagainst differences of the same number in nudged traces; the arrow is at the "
      "first stage at which they part.\nDecisions: classes of rows by contact (C touches, N does not, F "
      "sticks, H and L slip), and why a segment ends.");
  explain->callback([arguments, &exit_code] { exit_code = run_explain(*arguments); });
}

}  // namespace jade::cli
