#include "reports/junit.h"

#include <cmath>

#include <fmt/format.h>

namespace jade::reports {
namespace {

using cases::CaseResult;
using cases::Measurement;
using cases::Verdict;

std::string findings(const CaseResult& r) {
  std::string text;
  for (const Measurement& m : r.measurements) {
    if (m.verdict != Verdict::fail) continue;
    text += fmt::format("{} {}: error {:.6g} {} over tolerance {:.6g} at t = {:.6g} s\n", m.quantity,
                        m.expectation, m.error, m.unit, m.tolerance, m.at);
  }
  return text;
}

std::string body_of(const CaseResult& r) {
  switch (r.verdict) {
    case Verdict::pass:
      return "";
    case Verdict::not_applicable:
      return fmt::format("<skipped message=\"{}\"/>", escaped(r.reason));
    case Verdict::engine_error:
      if (r.ours) return fmt::format("<error message=\"{}\"/>", escaped(r.reason));
      return fmt::format("<system-out>engine error: {}</system-out>", escaped(r.reason));
    case Verdict::fail:
      break;
  }
  if (r.ours)
    return fmt::format("<failure message=\"expectation not met\">{}</failure>", escaped(findings(r)));
  return fmt::format("<system-out>finding: {}</system-out>", escaped(findings(r)));
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string junit_xml(const SuiteRun& run) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"jade\">\n";
  for (std::size_t e = 0; e < run.engines.size(); ++e) {
    const reference::Engine& engine = run.engines[e];
    const Tally t = tally(run, engine.name);
    xml +=
        fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
                    escaped(engine.name), run.cases.size(), engine.ours ? t.failed : 0,
                    engine.ours ? t.errors : 0, t.not_applicable);
    for (std::size_t c = 0; c < run.cases.size(); ++c) {
      const CaseResult& r = run.result(c, e);
      const double seconds = std::isfinite(r.recording.wall_seconds) ? r.recording.wall_seconds : 0;
      xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">{}</testcase>\n",
                         escaped(engine.name), escaped(r.case_name), seconds, body_of(r));
    }
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

}  // namespace jade::reports
