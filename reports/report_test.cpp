#include <cmath>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cases/scenes.h"
#include "reports/html_report.h"
#include "reports/junit.h"
#include "reports/markdown_report.h"
#include "reports/results_json.h"
#include "reports/svg_plot.h"

namespace jade::reports {
namespace {

using cases::CaseResult;
using cases::Measurement;
using cases::Verdict;

/// A run with one result of each verdict, ours and a peer's, and with text that wants escaping.
SuiteRun every_verdict() {
  SuiteRun run;
  const auto scene = [] {
    SceneDescription s;
    s.bodies = {cases::free_body("b", 1, Vec3(1, 1, 1))};
    return s;
  };
  for (const char* name : {"a_pass", "b_fail", "c_na", "d_error"}) {
    run.cases.push_back({.name = name,
                         .claim = "x < y & \"z\"",
                         .source = "'here'",
                         .scene = scene,
                         .expects = {cases::equals(cases::position_of("b", 2), 0.0, {})}});
  }
  run.engines = {{.name = "ours", .ours = true}, {.name = "peer<1>", .ours = false}};
  const Verdict verdicts[] = {Verdict::pass, Verdict::fail, Verdict::not_applicable, Verdict::engine_error};
  for (std::size_t c = 0; c < 4; ++c) {
    for (const auto& engine : run.engines) {
      CaseResult r{
          .case_name = run.cases[c].name, .engine = engine.name, .ours = engine.ours, .verdict = verdicts[c]};
      if (c >= 2) r.reason = "because <of> \x01 & so on";
      if (c < 2) {
        Measurement m;
        m.quantity = "q";
        m.verdict = verdicts[c];
        m.error = c == 0 ? 0.5 : 2;
        m.margin = c == 0 ? 0.5 : INFINITY;
        m.tolerance = c == 0 ? 1 : 0;
        m.series = {{0, 1, 2}, {0, NAN, 1}, {0, 0, 0}, {0, NAN, 1}};
        r.measurements.push_back(m);
      }
      run.results.push_back(r);
    }
  }
  return run;
}

/// Strict enough to tell well-formed XML: tags nest, attributes are quoted, no bare & or < in text.
std::string xml_flaw(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size();) {
    const unsigned char c = static_cast<unsigned char>(xml[i]);
    if (c < 0x20 && c != '\n' && c != '\t') return "control character";
    if (c == '&') {
      const std::size_t end = xml.find(';', i);
      if (end == std::string::npos || end - i > 6) return "bare &";
    }
    if (c != '<') {
      ++i;
      continue;
    }
    const std::size_t end = xml.find('>', i);
    if (end == std::string::npos) return "tag without end";
    std::string tag = xml.substr(i + 1, end - i - 1);
    i = end + 1;
    if (tag.find('<') != std::string::npos) return "< inside a tag";
    if (tag[0] == '?' || tag[0] == '!') continue;
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "odd quotes in " + tag;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "unexpected " + tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty() ? "" : "unclosed " + open.back();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t i = 0; (i = text.find(part, i)) != std::string::npos; i += part.size()) ++n;
  return n;
}

TEST(Junit, IsWellFormedAndCountsOursAloneAsFailures) {
  const std::string xml = junit_xml(every_verdict());
  EXPECT_EQ(xml_flaw(xml), "") << xml;
  EXPECT_EQ(count(xml, "<testcase "), 8u);
  EXPECT_EQ(count(xml, "<failure "), 1u);
  EXPECT_EQ(count(xml, "<error "), 1u);
  EXPECT_EQ(count(xml, "<skipped "), 2u);
  EXPECT_NE(xml.find("<testsuite name=\"ours\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\">"),
            std::string::npos);
  EXPECT_NE(
      xml.find("<testsuite name=\"peer&lt;1&gt;\" tests=\"4\" failures=\"0\" errors=\"0\" skipped=\"1\">"),
      std::string::npos);
}

TEST(XmlFlaw, IsFoundWhereThereIsOne) {
  for (const char* bad : {"<a>", "<a></b>", "<a>&</a>", "<a b=\"></a>", "</a>"})
    EXPECT_NE(xml_flaw(bad), "") << bad;
}

TEST(HtmlReport, EscapesWhatEnginesSayAndClosesItsPlots) {
  const std::string html = html_report(every_verdict());
  EXPECT_EQ(html.find("<of>"), std::string::npos);
  EXPECT_EQ(html.find("peer<1>"), std::string::npos);
  EXPECT_EQ(count(html, "<svg"), count(html, "</svg>"));
  EXPECT_GT(count(html, "<svg"), 0u);
  EXPECT_EQ(count(html, "nan"), 0u) << "a point that is not finite breaks the line";
}

TEST(SvgPlot, GivesZeroAPlaceOfItsOwnBelowThePowersOfTen) {
  const std::string with =
      svg({.logarithmic = true, .lines = {{"a", "red", false, {0, 1, 2}, {1e-3, 0, 1e-2}}}});
  EXPECT_EQ(count(with, ">0</text>"), 2u) << "at the start of both axes";
  EXPECT_EQ(count(with, ">1e-3</text>"), 1u);
  const std::string without =
      svg({.logarithmic = true, .lines = {{"a", "red", false, {0, 1}, {1e-3, 1e-2}}}});
  EXPECT_EQ(count(without, ">0</text>"), 1u);
}

TEST(SvgPlot, LosesNoPeakAmongManyPoints) {
  PlotLine line{"a", "red", false, std::vector<double>(10'000), std::vector<double>(10'000, 0.0)};
  for (std::size_t i = 0; i < line.x.size(); ++i) line.x[i] = static_cast<double>(i);
  line.y[5003] = 1;
  line.y[7001] = -1;
  const std::string both = svg({.lines = {line}});
  line.y[7001] = 0;
  // The heights that the line visits: its level and each peak.
  const auto heights = [](const std::string& text) {
    std::set<std::string> seen;
    std::istringstream words(text.substr(text.find("<path d=\"") + 9));
    std::string word;
    words >> word;  // M and the first x; then come y, L and the next x in one word
    for (bool more = true; more && words >> word; more = word.find('"') == std::string::npos)
      seen.insert(word.substr(0, word.find_first_of("L\"")));
    return seen.size();
  };
  EXPECT_EQ(heights(svg({.lines = {line}})), 2u);
  EXPECT_EQ(heights(both), 3u);
}

TEST(SvgPlot, TellsTheTicksOfASmallRangeApart) {
  const std::string text = svg({.lines = {{"a", "red", false, {0, 1}, {4.15, 4.15 + 1e-8}}}});
  std::set<std::string> labels;
  std::size_t all = 0;
  for (std::size_t at = 0; (at = text.find("text-anchor=\"end\">4", at)) != std::string::npos; ++at, ++all)
    labels.insert(text.substr(at, text.find('<', at) - at));
  EXPECT_GT(all, 2u);
  EXPECT_EQ(labels.size(), all);
}

TEST(ResultsJson, GivesNullWithAReasonForWhatIsNotFinite) {
  const auto json = nlohmann::json::parse(results_json(every_verdict()));
  const auto& m = json.at("cases").at(1).at("results").at(0).at("measurements").at(0);
  EXPECT_TRUE(m.at("margin").is_null());
  EXPECT_EQ(m.at("margin_reason"), "an error over a tolerance of zero");
  EXPECT_EQ(json.at("ours_failed"), true);
}

TEST(MarkdownReport, KeepsItsTablesWhole) {
  SuiteRun run = every_verdict();
  for (CaseResult& r : run.results) {
    if (!r.reason.empty()) r.reason = "one | two\nthree";
  }
  const std::string text = markdown_report(run);
  EXPECT_NE(text.find("one \\| two  three"), std::string::npos);
  EXPECT_NE(text.find("| b_fail | FAIL inf | finding inf |"), std::string::npos) << text;
}

TEST(OursFailed, IgnoresPeers) {
  SuiteRun run = every_verdict();
  EXPECT_TRUE(ours_failed(run));
  for (CaseResult& r : run.results) {
    if (r.ours) r.verdict = Verdict::pass;
  }
  EXPECT_FALSE(ours_failed(run));
}

TEST(RoundTicks, AreRoundAndInside) {
  EXPECT_EQ(round_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(round_ticks(1, 1, 5), std::vector<double>{1});
  for (const double t : round_ticks(-0.013, 0.27, 4)) EXPECT_TRUE(t >= -0.013 && t <= 0.27001);
}

}  // namespace
}  // namespace jade::reports
