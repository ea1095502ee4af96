#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "campaign/table.h"
#include "jade/base/atomic_file.h"
#include "jade/model/scene_json.h"
#include "reference/protocol.h"
#include "reports/scene_run.h"
#include "reports/suite_run.h"

namespace jade::reports {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

std::string title_of(const SceneRun& run) {
  const std::string& name = run.request.scene.name;
  return name.empty() ? "scene" : name;
}

Table table_of(const SceneRun& run) {
  Table table{
      .title = fmt::format("{}: {} steps of {} s", title_of(run), run.request.steps, run.request.time_step),
      .columns = {"engine", "verdict", "smallest clearance m", "at s", "between", "energy first J", "last J",
                  "most J", "states within steps"},
      .rows = {},
      .notes = {}};
  for (const SceneResult& r : run.results) {
    std::vector<Table::Cell> row;
    row.emplace_back(r.engine);
    row.emplace_back(r.verdict());
    const auto add = [&](bool known, Table::Cell cell) {
      row.emplace_back(known ? std::move(cell) : Table::Cell(std::string("–")));
    };
    add(r.can_meet, r.clearance);
    add(r.can_meet, r.clearance_time);
    add(r.can_meet, r.nearest);
    const SceneResult::Energy energy = r.energy.value_or(SceneResult::Energy{});
    for (const double joule : {energy.first, energy.last, energy.most}) add(r.energy.has_value(), joule);
    row.emplace_back(r.states_within);
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "Clearance and overlap are measured by exact predicates on every frame, for our own engine also on the "
      "motion within its steps. A negative clearance is minus the depth that is certain.",
      "Energy is computed from the recorded poses and velocities and the masses of the scene."};
  for (const MeshChange& change : run.mesh_changes)
    table.notes.push_back(fmt::format("Repaired {}: {}.", change.place, change.what));
  if (run.separated.pairs > 0)
    table.notes.push_back(
        fmt::format("Separated {} pairs that touched at the start; nothing was moved by more than {:.3g} m.",
                    run.separated.pairs, run.separated.farthest));
  return table;
}

std::string recording_name(const SceneResult& result) {
  return recording_file({.case_name = "scene", .engine = result.engine});
}

}  // namespace

std::string scene_table(const SceneRun& run) { return to_text(table_of(run)); }

std::string scene_json(const SceneRun& run) {
  Json results = Json::array();
  for (const SceneResult& r : run.results) {
    Json one{{"engine", r.engine},
             {"version", r.recording.info.version},
             {"ours", r.ours},
             {"status", r.recording.status == reference::RunStatus::done             ? "done"
                        : r.recording.status == reference::RunStatus::not_applicable ? "not_applicable"
                                                                                     : "error"},
             {"sound", r.sound()},
             {"verdict", r.verdict()},
             {"frames", r.recording.frames.size()},
             {"overlapping_frames", r.overlapping_frames},
             {"smallest_clearance", r.can_meet ? number(r.clearance) : Json()},
             {"smallest_clearance_time", number(r.clearance_time)},
             {"nearest", r.nearest},
             {"states_within_steps", r.states_within},
             {"fault_within_steps", r.fault_within},
             {"lost_body_seconds", number(r.recording.lost_time)},
             {"wall_seconds", number(r.recording.wall_seconds)}};
    one["energy"] = r.energy ? Json{{"first", number(r.energy->first)},
                                    {"last", number(r.energy->last)},
                                    {"most", number(r.energy->most)}}
                             : Json();
    results.push_back(std::move(one));
  }
  Json repairs = Json::array();
  for (const MeshChange& change : run.mesh_changes)
    repairs.push_back({{"place", change.place}, {"what", change.what}});
  const Json json{{"schema", "jade-scene-run-1"},
                  {"scene", run.request.scene.name},
                  {"time_step", run.request.time_step},
                  {"steps", run.request.steps},
                  {"spacing", run.request.spacing},
                  {"mesh_repairs", repairs},
                  {"separated", {{"pairs", run.separated.pairs}, {"farthest", run.separated.farthest}}},
                  {"results", results}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string scene_report(const SceneRun& run) {
  const Table table = table_of(run);
  std::string text = fmt::format("# {}\n\n", table.title);
  const auto line = [&](const auto& cells, auto&& print) {
    text += '|';
    for (const auto& cell : cells) text += ' ' + print(cell) + " |";
    text += '\n';
  };
  const auto as_is = [](const std::string& s) { return s; };
  line(table.columns, as_is);
  line(table.columns, [](const std::string&) { return std::string("---"); });
  for (const auto& row : table.rows) line(row, [](const Table::Cell& cell) { return to_text(cell); });
  text += '\n';
  for (const std::string& note : table.notes) text += note + "\n\n";
  text +=
      "Recordings: `recordings/`, the lines of reference/protocol.h. Replay: `jade run --scene scene.json";
  text += fmt::format(" --h {} --steps {}`.\n", run.request.time_step, run.request.steps);
  return text;
}

void write_scene_run(const SceneRun& run, const std::string& folder) {
  const std::filesystem::path base(folder);
  std::filesystem::create_directories(base / "recordings");
  for (const SceneResult& r : run.results)
    if (!r.recording.frames.empty())
      write_file(base / "recordings" / recording_name(r), reference::recording_lines(r.recording));
  save_scene(run.request.scene, base / "scene.json");
  write_file(base / "results.json", scene_json(run));
  write_file(base / "report.md", scene_report(run));
}

}  // namespace jade::reports
