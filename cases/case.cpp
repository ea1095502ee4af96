#include "cases/case.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "jade/base/error.h"

namespace jade::cases {
namespace {

using reference::Recording;
using reference::RunStatus;

std::vector<Case>& registry() {
  static std::vector<Case> cases;
  return cases;
}

/// A recording that can be measured: all frames there, at their times. Empty when it can.
std::string flaw_of(const Recording& recording, const Case& c) {
  const std::size_t expected = 1 + static_cast<std::size_t>((c.steps + c.record_every - 1) / c.record_every);
  if (recording.frames.size() != expected) {
    return fmt::format("{} frames instead of {}", recording.frames.size(), expected);
  }
  for (std::size_t i = 0; i < expected; ++i) {
    const double time = std::min<double>(static_cast<double>(i) * c.record_every, c.steps) * c.time_step;
    // Times are a few roundings apart when an engine adds them up.
    if (!(std::abs(recording.frames[i].time - time) <= 1e-9 * (1 + time))) {
      return fmt::format("frame {} is at t = {} s instead of {}", i, recording.frames[i].time, time);
    }
  }
  return {};
}

/// Why no expectation of a case is asked of a scheme; empty when one is.
std::string reason_nothing_is_asked(const Case& c, reference::Scheme scheme) {
  std::string reason;
  for (const Expectation& e : c.expects) {
    reason = e.reason_not_for(scheme);
    if (reason.empty()) return {};
  }
  return reason;
}

}  // namespace

bool Case::needs_refinement() const {
  return std::any_of(expects.begin(), expects.end(),
                     [](const Expectation& e) { return e.needs_refinement(); });
}

RegisterCase::RegisterCase(Case description) {
  std::vector<Case>& cases = registry();
  const auto place = std::lower_bound(cases.begin(), cases.end(), description.name,
                                      [](const Case& c, const std::string& name) { return c.name < name; });
  if (place != cases.end() && place->name == description.name) {
    throw InvalidInput("cases", {{description.name, "is registered twice", "give one of them another name"}});
  }
  cases.insert(place, std::move(description));
}

const std::vector<Case>& all_cases() { return registry(); }

double CaseResult::margin() const {
  double most = 0;
  for (const Measurement& m : measurements) {
    if (m.verdict != Verdict::not_applicable) most = std::max(most, m.margin);
  }
  return most;
}

double CaseResult::digits() const {
  double fewest = std::numeric_limits<double>::infinity();
  for (const Measurement& m : measurements) {
    if (m.verdict == Verdict::not_applicable || m.unit == "order") continue;
    fewest = std::min(fewest, m.digits);
  }
  return fewest;
}

CaseResult run_case(const Case& c, const reference::Engine& engine, double tolerance_scale) {
  CaseResult result{.case_name = c.name, .engine = engine.name, .ours = engine.ours};
  const auto give_up = [&](Verdict verdict, const std::string& reason) {
    result.verdict = verdict;
    result.reason = reason;
    return result;
  };
  if (!engine.missing.empty()) return give_up(Verdict::not_applicable, engine.missing);

  const Mechanism mechanism(c.scene());
  std::vector<Recording> levels;
  for (const int refinement : c.needs_refinement() ? std::vector{1, 2, 4} : std::vector{1}) {
    levels.push_back(engine.run({.engine = engine.name,
                                 .scene = mechanism.scene,
                                 .time_step = c.time_step / refinement,
                                 .steps = c.steps * refinement,
                                 .record_every = c.record_every * refinement}));
    const Recording& recording = levels.back();
    if (refinement == 1) result.recording = recording;
    // A scheme of which nothing is asked may do what it likes.
    if (const std::string reason = reason_nothing_is_asked(c, recording.info.scheme); !reason.empty()) {
      return give_up(Verdict::not_applicable, reason);
    }
    if (recording.status == RunStatus::not_applicable)
      return give_up(Verdict::not_applicable, recording.reason);
    if (recording.status == RunStatus::error) return give_up(Verdict::engine_error, recording.reason);
    // Bodies that stand still because no motion could be certified are no simulation, however clear they stay.
    if (recording.lost_time > 0)
      return give_up(Verdict::engine_error,
                     fmt::format("{:.3g} body-seconds could not be certified and were not simulated",
                                 recording.lost_time));
    if (const std::string flaw = flaw_of(recording, c); !flaw.empty())
      return give_up(Verdict::engine_error, flaw);
  }

  std::vector<Verdict> verdicts;
  for (const Expectation& expectation : c.expects) {
    result.measurements.push_back(expectation.hold_against({mechanism, levels}, tolerance_scale));
    const Measurement& m = result.measurements.back();
    verdicts.push_back(m.verdict);
    if (m.verdict == Verdict::engine_error && result.reason.empty()) result.reason = m.reason;
  }
  result.verdict = worst(verdicts);
  return result;
}

}  // namespace jade::cases
