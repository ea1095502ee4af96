#include "gradients/gradient_table.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace jade::reports {

using cases::GradientMeasurement;
using cases::GradientResult;
using Json = nlohmann::ordered_json;

Table table_of(const std::vector<GradientResult>& results) {
  Table table{
      .title = "Gradients of whole trajectories",
      .columns = {"case", "of", "by", "analytic", "closed form", "differences", "digits", "point",
                  "error/tolerance", "verdict"},
      .rows = {},
      .notes = {"Differences: Ridders' extrapolation over whole trajectories; at a kink both sides are "
                "given and the gradient must be one of them or between.",
                "Digits: against the closed form where there is one, else against differences."}};
  for (const GradientResult& result : results) {
    if (result.measurements.empty()) {
      table.rows.push_back({result.case_name, "", "", "", "", "", "", "", "",
                            std::string(name_of(result.verdict)) + ": " + result.reason});
    }
    for (const GradientMeasurement& m : result.measurements) {
      const GradientEntry& e = m.entry;
      const bool kink = e.smoothness == Smoothness::kink;
      table.rows.push_back(
          {result.case_name, e.outcome, e.variable, fmt::format("{:.9g}", e.analytic),
           m.exact ? fmt::format("{:.9g}", *m.exact) : "–",
           kink ? fmt::format("{:.6g} | {:.6g}", e.left, e.right)
                : (e.smoothness == Smoothness::unresolved ? "–" : fmt::format("{:.9g}", e.difference)),
           fmt::format("{:.1f}", m.digits), name_of(e.smoothness), m.margin,
           m.reason.empty() ? name_of(m.verdict) : fmt::format("{}: {}", name_of(m.verdict), m.reason)});
    }
  }
  return table;
}

Json to_json(const std::vector<GradientResult>& results) {
  Json cases = Json::array();
  for (const GradientResult& result : results) {
    Json entries = Json::array();
    for (const GradientMeasurement& m : result.measurements) {
      const GradientEntry& e = m.entry;
      entries.push_back({{"of", e.outcome},
                         {"by", e.variable},
                         {"analytic", e.analytic},
                         {"closed_form", m.exact ? Json(*m.exact) : Json(nullptr)},
                         {"difference", e.difference},
                         {"left", e.left},
                         {"right", e.right},
                         {"difference_error", e.estimated_error},
                         {"point", name_of(e.smoothness)},
                         {"error", m.error},
                         {"tolerance", m.tolerance},
                         {"digits", m.digits},
                         {"verdict", name_of(m.verdict)},
                         {"reason", m.reason}});
    }
    // JSON has no infinity: no kink is known anywhere.
    const double distance = result.regularity.distance;
    cases.push_back({{"case", result.case_name},
                     {"verdict", name_of(result.verdict)},
                     {"reason", result.reason},
                     {"regular", result.regularity.regular},
                     {"exists", result.regularity.exists},
                     {"distance", std::isfinite(distance) ? Json(distance) : Json(nullptr)},
                     {"nearest_kink", result.regularity.why},
                     {"derivatives", std::move(entries)}});
  }
  return {{"cases", std::move(cases)}};
}

}  // namespace jade::reports
