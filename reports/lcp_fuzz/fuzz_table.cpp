#include "lcp_fuzz/fuzz_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace jade::reports {
namespace {

using Json = nlohmann::ordered_json;

/// Never rounded up: 100 means all.
double percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return 0;
  return std::floor(1e6 * static_cast<double>(part) / static_cast<double>(whole)) / 1e4;
}

/// Of sorted times.
double percentile(const std::vector<float>& sorted, double fraction) {
  if (sorted.empty()) return 0;
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(place))];
}

/// "gave up 12, NaN 1 (claimed success: 1)"
std::string why(const FuzzCell& cell) {
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  for (const auto& [reason, count] : cell.reasons) reasons.emplace_back(count, reason);
  std::ranges::sort(reasons, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string text;
  for (const auto& [count, reason] : reasons)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, count);
  if (cell.wrong_claims > 0) text += fmt::format(" (claimed success: {})", cell.wrong_claims);
  if (cell.compliant > 0) {
    text +=
        fmt::format("{}no solution found, valid for A + εI: {}", text.empty() ? "" : "; ", cell.compliant);
  }
  return text;
}

const FuzzCell& cell_of(const FuzzSettings& settings, const FuzzResult& result, std::size_t family,
                        std::size_t solver) {
  return result.cells[family * settings.solvers.size() + solver];
}

template <class Visit>
void for_each_cell(const FuzzSettings& settings, const FuzzResult& result, Visit&& visit) {
  // Solvable families first: the others are counted apart.
  for (const bool apart : {false, true}) {
    for (std::size_t f = 0; f < settings.families.size(); ++f) {
      if (settings.families[f].may_have_no_solution != apart) continue;
      for (std::size_t s = 0; s < settings.solvers.size(); ++s) {
        visit(settings.families[f], settings.solvers[s], cell_of(settings, result, f, s));
      }
    }
  }
}

std::string contacts_in_words(const FuzzSettings& settings) {
  return fmt::format("{} {} contacts", settings.exact_contacts ? "exactly" : "1 to", settings.max_contacts);
}

}  // namespace

std::string text_table(const FuzzSettings& settings, const FuzzResult& result) {
  std::size_t family_width = 6, solver_width = 6;
  for (const auto& family : settings.families) family_width = std::max(family_width, family.name.size());
  for (const auto& solver : settings.solvers) solver_width = std::max(solver_width, solver.name.size());
  std::string text =
      fmt::format("{:{}}  {:{}}  {:>9}  {:>8}  {:>9}  {:>8}  {:>8}  {}\n", "family", family_width, "solver",
                  solver_width, "problems", "% valid", "worst r", "µs p50", "µs p99", "why not");
  bool apart = false;
  for_each_cell(settings, result, [&](const auto& family, const auto& solver, const FuzzCell& cell) {
    if (family.may_have_no_solution && !std::exchange(apart, true)) text += "-- may have no solution --\n";
    if (cell.problems == 0) {
      text += fmt::format("{:{}}  {:{}}  {:>9}  {:>8}\n", family.name, family_width, solver.name,
                          solver_width, 0, "–");
      return;
    }
    text += fmt::format("{:{}}  {:{}}  {:>9}  {:>8.4f}  {:>9.1e}  {:>8.1f}  {:>8.1f}  {}\n", family.name,
                        family_width, solver.name, solver_width, cell.problems,
                        percent(cell.valid, cell.problems), cell.worst_residual,
                        percentile(cell.microseconds, 0.5), percentile(cell.microseconds, 0.99), why(cell));
  });
  return text;
}

Json report_table(const FuzzSettings& settings, const FuzzResult& result) {
  Json rows = Json::array();
  for_each_cell(settings, result, [&](const auto& family, const auto& solver, const FuzzCell& cell) {
    rows.push_back({family.name, solver.name, cell.problems, percent(cell.valid, cell.problems),
                    cell.worst_residual, why(cell), percentile(cell.microseconds, 0.5),
                    percentile(cell.microseconds, 0.99)});
  });
  Json notes = {
      fmt::format("seed {}, {}; valid: residual at most {:.0e}, judged outside the solvers in long double.",
                  settings.seed, contacts_in_words(settings), settings.tolerance),
      "Peers are timed inside their own process, without reading and writing; ours cold.",
      "mixed_restitution and position_bias hold problems without any solution."};
  if (result.interrupted)
    notes.push_back(fmt::format("Interrupted after {} of {}.", result.done, settings.count));
  return {{"title", "Contact LCP solvers on generated problems"},
          {"columns",
           {"family", "solver", "problems", "% valid", "worst residual", "why not", "µs p50", "µs p99"}},
          {"rows", rows},
          {"notes", notes}};
}

Json to_json(const FuzzSettings& settings, const FuzzResult& result) {
  Json cells = Json::array();
  for_each_cell(settings, result, [&](const auto& family, const auto& solver, const FuzzCell& cell) {
    Json failures = Json::array();
    for (const Failure& failure : cell.failures) {
      Json entry{{"index", failure.index}, {"reason", failure.reason}};
      if (!failure.detail.empty()) entry["detail"] = failure.detail;
      entry["residual"] = std::isfinite(failure.residual) ? Json(failure.residual) : Json(nullptr);
      failures.push_back(std::move(entry));
    }
    cells.push_back(
        {{"family", family.name},
         {"may_have_no_solution", family.may_have_no_solution},
         {"solver", solver.name},
         {"problems", cell.problems},
         {"valid", cell.valid},
         {"valid_for_compliant_problem", cell.compliant},
         {"claimed_success_wrongly", cell.wrong_claims},
         {"worst_residual", cell.worst_residual},
         {"reasons", cell.reasons},
         {"failures", std::move(failures)},
         {"microseconds",
          {{"p50", percentile(cell.microseconds, 0.5)}, {"p99", percentile(cell.microseconds, 0.99)}}}});
  });
  return {{"schema", 1},
          {"seed", settings.seed},
          {"count", settings.count},
          {"done", result.done},
          {"interrupted", result.interrupted},
          {"max_contacts", settings.max_contacts},
          {"exact_contacts", settings.exact_contacts},
          {"tolerance", settings.tolerance},
          {"cells", cells}};
}

}  // namespace jade::reports
