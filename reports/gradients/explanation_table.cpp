#include "gradients/explanation_table.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace jade::reports {
namespace {

using gradient_trial::Explanation;
using gradient_trial::NudgeTrial;
using gradient_trial::StageTrial;
using Json = nlohmann::ordered_json;

// Stages that are shown before and after the first that parts.
constexpr int kBefore = 4, kAfter = 4;

std::string short_number(double x) { return std::isfinite(x) ? fmt::format("{:.1e}", x) : "—"; }
/// JSON knows no infinity.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

Table nudge_table(const Explanation& explanation) {
  const DerivativeCheck& check = explanation.trial.check;
  const Regularity& regularity = explanation.trial.regularity;
  Table table{
      .title = "Two steps, nudged: distances from the gradient",
      .columns = {"nudge", "central", "right", "left", "gradient above", "gradient below", "same decisions"},
      .rows = {},
      .notes = {fmt::format("Differences are {}, of size {:.1e} known to {:.1e}; the gradient is off by "
                            "{:.1e} and says that it is {}.",
                            name_of(check.differences.smoothness), check.differences.size,
                            check.differences.error, check.error,
                            regularity.regular ? "regular" : "at a kink")}};
  if (!regularity.why.empty())
    table.notes.push_back(fmt::format("The nearest kink that it knows of is {} away: {}.",
                                      short_number(regularity.distance), regularity.why));
  for (const NudgeTrial& nudge : explanation.nudges) {
    const char* same = nudge.same_above && nudge.same_below ? "both sides"
                       : nudge.same_above                   ? "above"
                       : nudge.same_below                   ? "below"
                                                            : "neither side";
    table.rows.push_back({short_number(nudge.s), short_number(nudge.central), short_number(nudge.right),
                          short_number(nudge.left), short_number(nudge.gradient_above),
                          short_number(nudge.gradient_below), std::string(same)});
  }
  return table;
}

Table stage_table(const Explanation& explanation, bool all) {
  Table table{.title = "The tape, cut off at each stage: smallest distances from nudged traces",
              .columns = {"stage", "size", "central", "right", "left", "scatter", "decisions"},
              .rows = {},
              .notes = {}};
  const int first = explanation.first(), count = static_cast<int>(explanation.stages.size());
  table.notes = {
      first < 0 ? "Tape and differences part at no stage that neighbours have as well."
                : fmt::format("They part at: {}.", explanation.stages[static_cast<std::size_t>(first)].name)};
  for (int i = 0; i < count; ++i) {
    const StageTrial& stage = explanation.stages[static_cast<std::size_t>(i)];
    const bool near = first >= 0 && i >= first - kBefore && i <= first + kAfter;
    const bool other = !stage.above.empty() || !stage.below.empty();
    if (!all && !near && !other) continue;
    std::string decisions = stage.decisions;
    if (!stage.above.empty()) decisions += "; above: " + stage.above;
    if (!stage.below.empty()) decisions += "; below: " + stage.below;
    table.rows.push_back({stage.name + (i == first ? " ←" : ""), short_number(stage.size),
                          short_number(stage.central), short_number(stage.right), short_number(stage.left),
                          short_number(stage.scatter), decisions});
  }
  return table;
}

}  // namespace

std::vector<Table> tables_of(const Explanation& explanation, bool all_stages) {
  return {nudge_table(explanation), stage_table(explanation, all_stages)};
}

Json to_json(const Explanation& explanation) {
  const DerivativeCheck& check = explanation.trial.check;
  Json nudges = Json::array(), stages = Json::array();
  for (const NudgeTrial& nudge : explanation.nudges)
    nudges.push_back({{"nudge", nudge.s},
                      {"central", number(nudge.central)},
                      {"right", number(nudge.right)},
                      {"left", number(nudge.left)},
                      {"gradient_above", number(nudge.gradient_above)},
                      {"gradient_below", number(nudge.gradient_below)},
                      {"same_decisions_above", nudge.same_above},
                      {"same_decisions_below", nudge.same_below}});
  for (const StageTrial& stage : explanation.stages)
    stages.push_back({{"stage", stage.name},
                      {"size", stage.size},
                      {"central", number(stage.central)},
                      {"right", number(stage.right)},
                      {"left", number(stage.left)},
                      {"scatter", number(stage.scatter)},
                      {"decisions", stage.decisions},
                      {"decisions_above", stage.above},
                      {"decisions_below", stage.below}});
  return {{"differences", name_of(check.differences.smoothness)},
          {"differences_known_to", number(check.differences.error)},
          {"size", check.differences.size},
          {"relative_error", number(check.error)},
          {"claims_regular", explanation.trial.regularity.regular},
          {"distance", number(explanation.trial.regularity.distance)},
          {"nearest_kink", explanation.trial.regularity.why},
          {"first_stage_that_parts", explanation.first()},
          {"nudges", std::move(nudges)},
          {"stages", std::move(stages)}};
}

}  // namespace jade::reports
