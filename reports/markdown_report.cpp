#include "reports/markdown_report.h"

#include <cmath>

#include <fmt/format.h>

namespace jade::reports {
namespace {

using cases::CaseResult;
using cases::Measurement;
using cases::Verdict;

std::string in_cell(std::string text) {
  for (std::size_t i = 0; (i = text.find_first_of("|\n", i)) != std::string::npos; i += 2)
    text.replace(i, 1, text[i] == '|' ? "\\|" : "  ");
  return text;
}

std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += fmt::format(" {} |", in_cell(cell));
  return line + "\n";
}

std::string table(const std::vector<std::string>& columns,
                  const std::vector<std::vector<std::string>>& rows) {
  std::string text = row(columns) + "|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& cells : rows) text += row(cells);
  return text + "\n";
}

std::string matrix(const SuiteRun& run) {
  std::vector<std::string> columns{"case"};
  for (const reference::Engine& e : run.engines) columns.push_back(e.name);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t c = 0; c < run.cases.size(); ++c) {
    rows.push_back({run.cases[c].name});
    for (std::size_t e = 0; e < run.engines.size(); ++e)
      rows.back().push_back(short_verdict(run.result(c, e)));
  }
  return table(columns, rows);
}

std::string case_section(const SuiteRun& run, std::size_t c) {
  const cases::Case& one = run.cases[c];
  std::string text = fmt::format("### {}\n\n{}\n\nTruth: {}. h = {} s, {} steps.\n\n", one.name, one.claim,
                                 one.source, one.time_step, one.steps);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t e = 0; e < run.engines.size(); ++e) {
    const CaseResult& r = run.result(c, e);
    if (r.measurements.empty()) rows.push_back({r.engine, "", name_of(r.verdict), "", "", "", "", r.reason});
    for (const Measurement& m : r.measurements) {
      if (m.verdict == Verdict::not_applicable) {
        rows.push_back({r.engine, m.quantity + " " + m.expectation, "n/a", "", "", "", "", m.reason});
        continue;
      }
      const bool orders = m.unit == "order";
      rows.push_back(
          {r.engine, m.quantity + " " + m.expectation, name_of(m.verdict),
           orders ? fmt::format("order {:.3f}", m.value) : fmt::format("{:.3g} {}", m.error, m.unit),
           fmt::format("{:.3g}", m.tolerance), fmt::format("{:.3g}", m.margin),
           orders ? "" : fmt::format("{:.1f}", m.digits),
           fmt::format("{}: {}{}", name_of(m.covers), m.why, m.reason.empty() ? "" : " (" + m.reason + ")")});
    }
  }
  return text + table({"engine", "expectation", "verdict", "error", "tolerance", "margin", "digits",
                       "the tolerance covers"},
                      rows);
}

std::string engine_section(const SuiteRun& run) {
  std::string text = "## Engines\n\n";
  for (const reference::Engine& engine : run.engines) {
    text += fmt::format("- **{}**: {}", engine.name, engine.description);
    if (!engine.missing.empty()) text += ". Not run: " + engine.missing;
    for (const CaseResult& r : run.results) {
      if (r.engine != engine.name || r.recording.frames.empty()) continue;
      text += fmt::format("; version {}", r.recording.info.version);
      for (const auto& [key, value] : r.recording.info.settings) text += fmt::format("; {} = {}", key, value);
      break;
    }
    text += "\n";
  }
  return text + "\n";
}

}  // namespace

std::string short_verdict(const CaseResult& result) {
  switch (result.verdict) {
    case Verdict::pass:
      return fmt::format("pass {:.2g}", result.margin());
    case Verdict::fail:
      return fmt::format("{} {:.2g}", result.ours ? "FAIL" : "finding", result.margin());
    case Verdict::engine_error:
      return result.ours ? "ERROR" : "error";
    case Verdict::not_applicable:
      break;
  }
  return "n/a";
}

std::string markdown_report(const SuiteRun& run) {
  const Environment& e = run.environment;
  std::string text = "# Jade: report\n\n";
  text += fmt::format("Version {}, commit {}, {} ({}), {}, {} cores, {}.\n\n", e.version, e.commit,
                      e.compiler, e.build_type, e.cpu, e.cores, e.system);
  text +=
      "Each cell: verdict and largest error over tolerance (below 1 passes). A failed expectation of a peer "
      "is a finding.\n\n";
  if (run.tolerance_scale != 1)
    text += fmt::format("**Every tolerance is scaled by {}.**\n\n", run.tolerance_scale);
  text += matrix(run);
  for (const BenchmarkTable& t : run.benchmarks) {
    text += "## " + t.title + "\n\n";
    if (!t.columns.empty()) text += table(t.columns, t.rows);
    for (const std::string& note : t.notes) text += note + "\n\n";
  }
  text += engine_section(run) + "## Cases\n\n";
  for (std::size_t c = 0; c < run.cases.size(); ++c) text += case_section(run, c);
  return text;
}

}  // namespace jade::reports
