#include "reports/html_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "reports/html_style.h"
#include "reports/junit.h"
#include "reports/svg_plot.h"

namespace jade::reports {
namespace {

using cases::CaseResult;
using cases::Measurement;
using cases::Verdict;

// Okabe and Ito's palette: told apart with every kind of colour vision.
constexpr std::array<const char*, 8> kColors{"#009e73", "#56b4e9", "#e69f00", "#d55e00",
                                             "#cc79a7", "#0072b2", "#8b6fc0", "#8c8c8c"};
const char* color_of(std::size_t engine) { return kColors[engine % kColors.size()]; }

const char* style_of(Verdict verdict, bool ours) {
  if (verdict == Verdict::pass) return "pass";
  if (verdict == Verdict::not_applicable) return "na";
  return ours ? "fail" : "finding";
}

const char* word_for(Verdict verdict, bool ours) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return ours ? "FAIL" : "finding";
    case Verdict::engine_error:
      return "error";
    case Verdict::not_applicable:
      break;
  }
  return "n/a";
}

/// Engine names may break behind a colon or an underscore.
std::string breakable(const std::string& name) {
  std::string html;
  for (const char c : escaped(name)) {
    html += c;
    if (c == ':' || c == '_') html += "<wbr>";
  }
  return html;
}

/// What a cell of the matrix says in a second line: the order seen, or the fewest accurate digits.
std::string detail_of(const CaseResult& r) {
  for (const Measurement& m : r.measurements) {
    if (m.unit == "order") return fmt::format("<small>order {:.2f}</small>", m.value);
  }
  return std::isfinite(r.digits()) ? fmt::format("<small>{:.1f} digits</small>", r.digits()) : "";
}

std::string number(double x) { return std::isfinite(x) ? fmt::format("{:.3g}", x) : "∞"; }

std::string head(const SuiteRun& run) {
  const Environment& e = run.environment;
  std::string html =
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Jade report</title>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><style>";
  html += kHtmlStyle;
  html += "</style></head><body><main><h1><b>Jade</b> report</h1>";
  html +=
      fmt::format("<p class=\"soft\">version {} · commit <code>{}</code> · {} ({}) · {} · {} cores · {}</p>",
                  escaped(e.version), escaped(e.commit), escaped(e.compiler), escaped(e.build_type),
                  escaped(e.cpu), e.cores, escaped(e.system));
  if (run.tolerance_scale != 1)
    html += fmt::format("<p><b>Every tolerance is scaled by {}.</b></p>", run.tolerance_scale);
  html += "<div class=\"tiles\">";
  for (std::size_t i = 0; i < run.engines.size(); ++i) {
    const reference::Engine& engine = run.engines[i];
    const Tally t = tally(run, engine.name);
    const int judged = t.passed + t.failed + t.errors;
    html += fmt::format(
        "<div class=\"tile\" style=\"--c:{}\"><b>{}</b><strong>{}</strong> <span>of {} pass{}</span></div>",
        color_of(i), breakable(engine.name), t.passed, judged,
        t.not_applicable > 0 ? fmt::format(", {} n/a", t.not_applicable) : "");
  }
  return html + "</div>";
}

std::string matrix(const SuiteRun& run) {
  std::string html =
      "<h2>Verdicts</h2><p class=\"soft\">Largest error over tolerance (below 1 passes), and the fewest "
      "accurate digits of a case. A failed expectation of a peer is a finding, ours is a failure.</p>"
      "<div class=\"scroll\"><table class=\"matrix\"><tr><th>case</th>";
  for (const reference::Engine& e : run.engines) html += fmt::format("<th>{}</th>", breakable(e.name));
  html += "</tr>";
  for (std::size_t c = 0; c < run.cases.size(); ++c) {
    const std::string name = escaped(run.cases[c].name);
    html += fmt::format("<tr><td><a href=\"#{}\">{}</a></td>", name, name);
    for (std::size_t e = 0; e < run.engines.size(); ++e) {
      const CaseResult& r = run.result(c, e);
      std::string text = word_for(r.verdict, r.ours);
      if (r.verdict == Verdict::pass || r.verdict == Verdict::fail) {
        text = fmt::format("{} {}", r.verdict == Verdict::pass ? "✓" : "✗", number(r.margin()));
        text += detail_of(r);
      }
      html += fmt::format("<td><span class=\"cell {}\" title=\"{}\">{}</span></td>",
                          style_of(r.verdict, r.ours), escaped(r.reason), text);
    }
    html += "</tr>";
  }
  return html + "</table></div>";
}

/// Lines of one expectation over all engines that were measured: values beside the truth, and errors.
std::string plots_of(const SuiteRun& run, std::size_t c, std::size_t k) {
  Plot values, errors;
  errors.logarithmic = true;
  bool scalar = true;
  for (std::size_t e = 0; e < run.engines.size(); ++e) {
    const CaseResult& r = run.result(c, e);
    if (k >= r.measurements.size() || r.measurements[k].series.time.empty()) continue;
    const Measurement& m = r.measurements[k];
    const std::string what = run.cases[c].expects[k].quantity().name;
    const std::string unit = run.cases[c].expects[k].quantity().unit;
    values.title = m.series.expected.empty() ? what + " " + run.cases[c].expects[k].kind() : what;
    errors.title = "error of " + what;
    values.y_label = errors.y_label = unit;
    values.x_label = errors.x_label = "t [s]";
    const bool first = values.lines.empty();
    if (first && !m.series.expected.empty()) {
      values.lines.push_back({"exact", "var(--ink)", true, m.series.time, m.series.expected});
    }
    values.lines.push_back({r.engine, color_of(e), false, m.series.time, m.series.value});
    if (!m.series.error.empty())
      errors.lines.push_back({r.engine, color_of(e), false, m.series.time, m.series.error});
    const double largest =
        m.series.expected.empty() ? 1 : *std::max_element(m.series.expected.begin(), m.series.expected.end());
    const double least =
        m.series.expected.empty() ? 0 : *std::min_element(m.series.expected.begin(), m.series.expected.end());
    // A truth that does not move tells nothing beside its error.
    if (!m.series.expected.empty() && largest == least) scalar = false;
  }
  std::string html;
  if (scalar && !values.lines.empty()) html += "<div>" + svg(values) + "</div>";
  if (!errors.lines.empty()) html += "<div>" + svg(errors) + "</div>";
  return html;
}

std::string measurement_rows(const CaseResult& r, std::size_t engine) {
  const std::string name =
      fmt::format("<td style=\"border-left:4px solid {}\">{}</td>", color_of(engine), escaped(r.engine));
  const auto tag = [&](Verdict v) {
    return fmt::format("<span class=\"tag {}\">{}</span>", style_of(v, r.ours), word_for(v, r.ours));
  };
  if (r.measurements.empty()) {
    return fmt::format("<tr>{}<td>{}</td><td></td><td colspan=\"5\" class=\"soft\">{}</td></tr>", name,
                       tag(r.verdict), escaped(r.reason));
  }
  std::string html;
  for (const Measurement& m : r.measurements) {
    const std::string what = escaped(m.quantity + " " + m.expectation);
    if (m.verdict == Verdict::not_applicable) {
      html += fmt::format("<tr>{}<td>{}</td><td>{}</td><td colspan=\"5\" class=\"soft\">{}</td></tr>", name,
                          tag(m.verdict), what, escaped(m.reason));
      continue;
    }
    const bool order = m.unit == "order";
    html += fmt::format(
        "<tr>{}<td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"soft\">{}: {}{}</td></tr>",
        name, tag(m.verdict), what,
        order ? fmt::format("order {:.3f}", m.value) : number(m.error) + " " + escaped(m.unit),
        number(m.tolerance), number(m.margin), order ? "" : fmt::format("{:.1f}", m.digits),
        name_of(m.covers), escaped(m.why), m.reason.empty() ? "" : escaped("; " + m.reason));
  }
  return html;
}

std::string case_section(const SuiteRun& run, std::size_t c) {
  const cases::Case& one = run.cases[c];
  std::string html = fmt::format(
      "<section class=\"case\" id=\"{}\"><h3>{}</h3><p>{}<br><span class=\"soft\">Truth: {} · h = {} s, {} "
      "steps</span></p>",
      escaped(one.name), escaped(one.name), escaped(one.claim), escaped(one.source), one.time_step,
      one.steps);
  html += "<div class=\"legend\"><span><i class=\"dash\"></i>exact</span>";
  for (std::size_t e = 0; e < run.engines.size(); ++e) {
    if (run.result(c, e).measurements.empty()) continue;
    html += fmt::format("<span><i style=\"--c:{}\"></i>{}</span>", color_of(e), escaped(run.engines[e].name));
  }
  html += "</div><div class=\"plots\">";
  for (std::size_t k = 0; k < one.expects.size(); ++k) html += plots_of(run, c, k);
  html +=
      "</div><details><summary>Every measurement</summary><div "
      "class=\"scroll\"><table><tr><th>engine</th><th>verdict</th><th>expectation</th>"
      "<th class=\"n\">error</th><th class=\"n\">tolerance</th><th class=\"n\">margin</th><th "
      "class=\"n\">digits</th><th>the tolerance covers</th></tr>";
  for (std::size_t e = 0; e < run.engines.size(); ++e) html += measurement_rows(run.result(c, e), e);
  return html + "</table></div></details></section>";
}

std::string benchmark_section(const BenchmarkTable& t) {
  std::string html = "<h2>" + escaped(t.title) + "</h2><div class=\"scroll\"><table><tr>";
  for (const std::string& column : t.columns) html += "<th>" + escaped(column) + "</th>";
  html += "</tr>";
  for (const auto& row : t.rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += "<td>" + escaped(cell) + "</td>";
    html += "</tr>";
  }
  html += "</table></div>";
  for (const std::string& note : t.notes) html += "<p class=\"soft\">" + escaped(note) + "</p>";
  return html;
}

std::string engine_section(const SuiteRun& run) {
  std::string html =
      "<h2>Engines</h2><div "
      "class=\"scroll\"><table><tr><th>engine</th><th>version</th><th>settings</th></tr>";
  for (std::size_t e = 0; e < run.engines.size(); ++e) {
    std::string version, settings = escaped(run.engines[e].missing);
    for (const CaseResult& r : run.results) {
      if (r.engine != run.engines[e].name || r.recording.frames.empty()) continue;
      version = r.recording.info.version;
      for (const auto& [key, value] : r.recording.info.settings)
        settings += fmt::format("{} = {}; ", escaped(key), escaped(value));
      break;
    }
    html += fmt::format(
        "<tr><td style=\"border-left:4px solid {}\"><b>{}</b><br><span "
        "class=\"soft\">{}</span></td><td>{}</td><td class=\"soft\">{}</td></tr>",
        color_of(e), escaped(run.engines[e].name), escaped(run.engines[e].description), escaped(version),
        settings);
  }
  return html + "</table></div>";
}

}  // namespace

std::string html_report(const SuiteRun& run) {
  std::string html = head(run) + matrix(run);
  for (const BenchmarkTable& t : run.benchmarks) html += benchmark_section(t);
  html += "<h2>Cases</h2>";
  for (std::size_t c = 0; c < run.cases.size(); ++c) html += case_section(run, c);
  return html + engine_section(run) + "</main></body></html>\n";
}

}  // namespace jade::reports
