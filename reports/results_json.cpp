#include "reports/results_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "jade/model/scene_json.h"
#include "reference/recording.h"

namespace jade::reports {
namespace {

using cases::CaseResult;
using cases::Measurement;
using cases::Verdict;
using Json = nlohmann::ordered_json;

/// Finite numbers as they are; others as null with a reason beside.
void put(Json& object, const std::string& key, double value, const std::string& reason) {
  object[key] = std::isfinite(value) ? Json(value) : Json(nullptr);
  if (!std::isfinite(value)) object[key + "_reason"] = reason;
}

Json measurement_json(const Measurement& m) {
  Json json;
  json["quantity"] = m.quantity;
  json["expectation"] = m.expectation;
  json["unit"] = m.unit;
  json["verdict"] = name_of(m.verdict);
  if (!m.reason.empty()) json["reason"] = m.reason;
  if (m.verdict == Verdict::not_applicable) return json;
  const std::string not_finite = "the engine's numbers are not finite";
  put(json, "error", m.error, not_finite);
  put(json, "tolerance", m.tolerance, "the tolerance is not finite");
  put(json, "margin", m.margin, std::isfinite(m.error) ? "an error over a tolerance of zero" : not_finite);
  put(json, "digits", m.digits, not_finite);
  put(json, "at", m.at, not_finite);
  put(json, "value", m.value, not_finite);
  put(json, "expected", m.expected, not_finite);
  json["covers"] = name_of(m.covers);
  json["why"] = m.why;
  return json;
}

Json result_json(const CaseResult& r) {
  Json json;
  json["engine"] = r.engine;
  json["verdict"] = name_of(r.verdict);
  if (!r.reason.empty()) json["reason"] = r.reason;
  if (!r.measurements.empty()) {
    put(json, "margin", r.margin(), "an error over a tolerance of zero, or numbers that are not finite");
    put(json, "digits", r.digits(), "nothing with digits was measured");
    put(json, "wall_seconds", r.recording.wall_seconds, "the engine did not say");
  }
  json["measurements"] = Json::array();
  for (const Measurement& m : r.measurements) json["measurements"].push_back(measurement_json(m));
  if (!r.recording.frames.empty()) json["recording"] = "recordings/" + recording_file(r);
  return json;
}

Json case_head(const cases::Case& c) {
  return {{"name", c.name},           {"claim", c.claim}, {"source", c.source},
          {"time_step", c.time_step}, {"steps", c.steps}, {"record_every", c.record_every}};
}

Json engine_json(const SuiteRun& run, const reference::Engine& engine) {
  Json json{{"name", engine.name}, {"description", engine.description}, {"ours", engine.ours}};
  if (!engine.missing.empty()) json["missing"] = engine.missing;
  for (const CaseResult& r : run.results) {
    if (r.engine != engine.name || r.recording.frames.empty()) continue;
    json["version"] = r.recording.info.version;
    json["scheme"] = reference::name_of(r.recording.info.scheme);
    json["settings"] = Json::object();
    for (const auto& [key, value] : r.recording.info.settings) json["settings"][key] = value;
    break;
  }
  const Tally t = tally(run, engine.name);
  json["passed"] = t.passed;
  json["failed"] = t.failed;
  json["not_applicable"] = t.not_applicable;
  json["errors"] = t.errors;
  return json;
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string results_json(const SuiteRun& run) {
  Json json;
  json["schema"] = "jade-results-1";
  const Environment& e = run.environment;
  json["environment"] = {{"version", e.version},       {"commit", e.commit}, {"compiler", e.compiler},
                         {"build_type", e.build_type}, {"cpu", e.cpu},       {"cores", e.cores},
                         {"system", e.system}};
  json["tolerance_scale"] = run.tolerance_scale;
  json["ours_failed"] = ours_failed(run);
  json["engines"] = Json::array();
  for (const reference::Engine& engine : run.engines) json["engines"].push_back(engine_json(run, engine));
  json["cases"] = Json::array();
  for (std::size_t c = 0; c < run.cases.size(); ++c) {
    Json one = case_head(run.cases[c]);
    one["results"] = Json::array();
    for (std::size_t i = 0; i < run.engines.size(); ++i)
      one["results"].push_back(result_json(run.result(c, i)));
    json["cases"].push_back(std::move(one));
  }
  json["benchmarks"] = Json::array();
  for (const BenchmarkTable& t : run.benchmarks) {
    json["benchmarks"].push_back(
        {{"file", t.file}, {"title", t.title}, {"columns", t.columns}, {"rows", t.rows}, {"notes", t.notes}});
  }
  return text_of(json);
}

std::string list_json(const std::vector<cases::Case>& cases, const std::vector<reference::Engine>& engines) {
  Json json;
  json["cases"] = Json::array();
  for (const cases::Case& c : cases) json["cases"].push_back(case_head(c));
  json["engines"] = Json::array();
  for (const reference::Engine& e : engines) {
    Json one{
        {"name", e.name}, {"description", e.description}, {"ours", e.ours}, {"available", e.missing.empty()}};
    if (!e.missing.empty()) one["missing"] = e.missing;
    json["engines"].push_back(std::move(one));
  }
  return text_of(json);
}

std::string case_json(const cases::Case& c) {
  Json json = case_head(c);
  json["expects"] = Json::array();
  using reference::Scheme;
  for (const cases::Expectation& e : c.expects) {
    Json one{{"quantity", e.quantity().name},
             {"expectation", e.kind()},
             {"unit", e.quantity().unit},
             {"tolerances", Json::object()}};
    for (const Scheme scheme : {Scheme::midpoint, Scheme::semi_implicit_euler, Scheme::explicit_euler}) {
      const cases::Tolerance& t = e.tolerance(scheme);
      one["tolerances"][reference::name_of(scheme)] = {
          {"absolute", t.absolute}, {"relative", t.relative}, {"covers", name_of(t.covers)}, {"why", t.why}};
    }
    json["expects"].push_back(std::move(one));
  }
  json["scene"] = Json::parse(scene_to_json(c.scene()));
  return text_of(json);
}

}  // namespace jade::reports
