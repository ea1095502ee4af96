#include "step_fuzz/step_table.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace jade::reports {
namespace {

using Json = nlohmann::ordered_json;
using step_trial::Fault;

long long count_of(const StepFuzzRow& row, Fault fault) {
  const auto found = row.faults.find(fault);
  return found == row.faults.end() ? 0 : found->second;
}

double mean_substeps(const StepFuzzRow& row) {
  return row.steps == 0 ? 0 : static_cast<double>(row.substeps) / static_cast<double>(row.steps);
}

/// "throws 2, gains energy 1"; intersections have a column of their own.
std::string other_faults(const StepFuzzRow& row) {
  std::string text;
  for (const auto& [fault, count] : row.faults) {
    if (fault == Fault::intersects) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(fault), count);
  }
  return text.empty() ? "–" : text;
}

}  // namespace

Table table_of(const StepFuzzSettings& settings, const StepFuzzResult& result) {
  Table table{.title = "Random worlds, stepped and judged",
              .columns = {"family", "worlds", "steps", "states judged", "intersections", "other faults",
                          "smallest clearance m", "sub-steps a step", "steps that lost time", "unsolved LCPs",
                          "energy gain of a step"},
              .rows = {},
              .notes = {}};
  for (std::size_t f = 0; f < settings.families.size(); ++f) {
    const StepFuzzRow& row = result.rows[f];
    const Table::Cell clearance =
        std::isfinite(row.clearance) ? Table::Cell(row.clearance) : Table::Cell(std::string("–"));
    table.rows.push_back({settings.families[f].name, row.worlds, row.steps, row.states,
                          count_of(row, Fault::intersects), other_faults(row), clearance, mean_substeps(row),
                          row.steps_with_loss, row.unsolved, row.energy_gain});
  }
  table.notes.push_back(
      fmt::format("Seed {}, {} steps a world. Judged by exact predicates on the ends of steps and within "
                  "them, nothing going "
                  "farther than {} m or rad from one state to the next.",
                  settings.seed, settings.steps, settings.spacing));
  table.notes.push_back(
      "Energy gain: the largest share of the kinetic energy that one step added, beyond lifting everything "
      "to the "
      "standoff.");
  for (const step_trial::WorldFamily& family : settings.families)
    table.notes.push_back(
        fmt::format("{}: {}; energy bound {}.", family.name, family.meaning, family.energy_bound));
  return table;
}

Json to_json(const StepFuzzSettings& settings, const StepFuzzResult& result) {
  Json rows = Json::array();
  for (std::size_t f = 0; f < settings.families.size(); ++f) {
    const StepFuzzRow& row = result.rows[f];
    Json faults = Json::object(), failures = Json::array();
    for (const auto& [fault, count] : row.faults) faults[name_of(fault)] = count;
    for (const StepFailure& failure : row.failures)
      failures.push_back(
          {{"index", failure.index}, {"fault", name_of(failure.fault)}, {"what", failure.what}});
    rows.push_back({{"family", settings.families[f].name},
                    {"worlds", row.worlds},
                    {"steps", row.steps},
                    {"states", row.states},
                    {"smallest_clearance", std::isfinite(row.clearance) ? Json(row.clearance) : Json()},
                    {"substeps", row.substeps},
                    {"most_substeps", row.most_substeps},
                    {"lost_body_seconds", row.lost_time},
                    {"steps_with_loss", row.steps_with_loss},
                    {"unsolved", row.unsolved},
                    {"energy_gain", row.energy_gain},
                    {"momentum_change", row.momentum_change},
                    {"faults", faults},
                    {"failures", failures}});
  }
  return {{"seed", settings.seed},
          {"worlds", result.done},
          {"interrupted", result.interrupted},
          {"steps_of_a_world", settings.steps},
          {"spacing", settings.spacing},
          {"families", rows}};
}

}  // namespace jade::reports
