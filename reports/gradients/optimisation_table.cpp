#include "gradients/optimisation_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace jade::reports {

using cases::OptimisationResult;
using cases::OptimisationRow;
using Json = nlohmann::ordered_json;

Table table_of(const std::vector<OptimisationResult>& results) {
  Table table{.title = "Tasks solved by gradients",
              .columns = {"case", "method", "found", "measured", "error", "tolerance", "simulations",
                          "verdict", "why"},
              .rows = {},
              .notes = {"Rows without a tolerance are shown for comparison."}};
  for (const OptimisationResult& result : results) {
    if (result.rows.empty())
      table.rows.push_back(
          {result.case_name, "", "", "", "", "", "", name_of(result.verdict), result.reason});
    for (const OptimisationRow& row : result.rows) {
      const bool asked = row.tolerance > 0;
      table.rows.push_back({result.case_name, row.method, row.found, row.quantity,
                            fmt::format("{:.3g}{}{}", row.error, row.unit.empty() ? "" : " ", row.unit),
                            asked ? fmt::format("{:.0e}", row.tolerance) : "–",
                            row.evaluations > 0 ? fmt::format("{}", row.evaluations) : "–",
                            asked ? name_of(row.verdict()) : "–", row.why});
    }
  }
  return table;
}

Json to_json(const std::vector<OptimisationResult>& results) {
  Json cases = Json::array();
  for (const OptimisationResult& result : results) {
    Json rows = Json::array();
    for (const OptimisationRow& row : result.rows) {
      rows.push_back({{"method", row.method},
                      {"found", row.found},
                      {"measured", row.quantity},
                      {"error", row.error},
                      {"unit", row.unit},
                      {"tolerance", row.tolerance > 0 ? Json(row.tolerance) : Json(nullptr)},
                      {"simulations", row.evaluations},
                      {"verdict", name_of(row.verdict())},
                      {"why", row.why}});
    }
    cases.push_back({{"case", result.case_name},
                     {"verdict", name_of(result.verdict)},
                     {"reason", result.reason},
                     {"rows", std::move(rows)}});
  }
  return {{"cases", std::move(cases)}};
}

}  // namespace jade::reports
