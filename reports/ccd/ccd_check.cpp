#include "ccd/ccd_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "jade/geometry/exact_ccd.h"

namespace jade::reports {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

/// What two readings of the clock cost with nothing between them: the median of many.
double clock_cost() {
  std::vector<double> costs(1001);
  for (double& cost : costs) {
    const auto start = Clock::now();
    cost = microseconds(Clock::now() - start);
  }
  std::nth_element(costs.begin(), costs.begin() + 500, costs.end());
  return costs[500];
}

/// The value below which a part p of the sorted values lies.
double quantile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return 0;
  const auto rank = std::lround(p * static_cast<double>(sorted.size() - 1));
  return sorted[rank];
}

/// A query, whichever way it is written.
CcdResult decide(const CcdMethod& method, const reference::RecordedQuery& recorded) {
  return recorded.is_double() ? method.decide(recorded.query) : exact_ccd(*recorded.rational);
}

/// Only the exact method reads fractions that are no doubles.
bool can_ask(const CcdMethod& method, const reference::RecordedQuery& recorded) {
  return recorded.is_double() || (method.promises_no_miss && method.promises_no_false_hit);
}

void compare(const CcdFile& file, CcdTally& tally, std::vector<CcdDifference>& differences) {
  for (const reference::RecordedQuery& recorded : file.queries) {
    if (!can_ask(*tally.method, recorded)) {
      ++tally.not_asked;
      continue;
    }
    const CcdResult result = decide(*tally.method, recorded);
    ++tally.queries;
    tally.hits += recorded.truth;
    tally.by_exact_arithmetic += result.path == CcdPath::exact;
    if (result.hit == recorded.truth) continue;
    ++(recorded.truth ? tally.false_negatives : tally.false_positives);
    differences.push_back({tally.method, file.path, recorded.line, recorded.truth});
  }
}

/// The fastest of `passes` single calls for every query that is a double.
std::vector<double> times(const std::vector<CcdFile>& files, const CcdTally& tally, int passes) {
  std::vector<double> fastest;
  const double cost = clock_cost();
  for (int pass = 0; pass < passes; ++pass) {
    std::size_t i = 0;
    for (const CcdFile& file : files) {
      if (file.kind != tally.kind) continue;
      for (const reference::RecordedQuery& recorded : file.queries) {
        if (!recorded.is_double()) continue;
        const auto start = Clock::now();
        const CcdResult result = tally.method->decide(recorded.query);
        const auto end = Clock::now();
        // The result must be there before the clock is read: keep the compiler from moving or dropping the call.
        const volatile bool keep = result.hit;
        (void)keep;
        const double time = std::max(0.0, microseconds(end - start) - cost);
        if (pass == 0) {
          fastest.push_back(time);
        } else {
          fastest[i] = std::min(fastest[i], time);
        }
        ++i;
      }
    }
  }
  std::sort(fastest.begin(), fastest.end());
  return fastest;
}

}  // namespace

const char* name_of(CcdKind kind) { return kind == CcdKind::vertex_face ? "vertex-face" : "edge-edge"; }

bool CcdCheck::promises_kept() const {
  return std::all_of(tallies.begin(), tallies.end(),
                     [](const CcdTally& tally) { return tally.keeps_promise(); });
}

CcdCheck check_ccd(const std::vector<CcdFile>& files, const CcdCheckSettings& settings) {
  CcdCheck check;
  for (const CcdMethod* method : settings.methods) {
    for (const CcdKind kind : {CcdKind::vertex_face, CcdKind::edge_edge}) {
      CcdTally tally{.method = method, .kind = kind};
      if (settings.progress) settings.progress(fmt::format("{}: {}", method->name, name_of(kind)));
      for (const CcdFile& file : files) {
        if (file.kind == kind) compare(file, tally, check.differences);
      }
      if (tally.queries + tally.not_asked == 0) continue;
      const std::vector<double> sorted = times(files, tally, settings.passes);
      tally.median_us = quantile(sorted, 0.5);
      tally.p99_us = quantile(sorted, 0.99);
      tally.worst_us = sorted.empty() ? 0 : sorted.back();
      check.tallies.push_back(tally);
    }
  }
  return check;
}

Table table_of(const CcdCheck& check) {
  Table table{
      .title = "Continuous collision queries with known answers",
      .columns = {"method", "kind", "queries", "hits", "false negatives", "false positives",
                  "by exact arithmetic", "median µs", "p99 µs", "worst µs"},
      .rows = {},
      .notes = {
          "Times: single calls, the fastest of several passes for each query, the clock's own cost off."}};
  for (const CcdTally& t : check.tallies) {
    table.rows.push_back({std::string(t.method->name), name_of(t.kind), t.queries, t.hits, t.false_negatives,
                          t.false_positives, t.by_exact_arithmetic, t.median_us, t.p99_us, t.worst_us});
    if (t.not_asked > 0) {
      table.notes.push_back(fmt::format("{} was not asked {} {} queries whose coordinates are no doubles.",
                                        t.method->name, t.not_asked, name_of(t.kind)));
    }
  }
  return table;
}

}  // namespace jade::reports
