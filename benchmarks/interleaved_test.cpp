#include "interleaved.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace jade::benchmarks {
namespace {

TEST(Comparison, RunsItsContendersInTurn) {
  // Who was called, in order; a batch of calls by one contender counts once. How long it took is no matter for a test.
  std::string turns;
  const auto note = [&](char who) {
    if (turns.empty() || turns.back() != who) turns += who;
  };
  Comparison comparison("work", {.batch_seconds = 1e-5, .rounds = 5});
  comparison.add("first", [&] { note('1'); });
  comparison.add("second", [&] { note('2'); });
  const ComparisonResult result = comparison.run();
  EXPECT_NE(turns.find("1212121212"), std::string::npos) << turns;
  EXPECT_EQ(result.ratio(0), 1);
  ASSERT_EQ(result.timings.size(), 2u);
  for (const Timing& timing : result.timings) {
    EXPECT_GT(timing.minimum, 0);
    EXPECT_GE(timing.tenth, timing.minimum);
  }
}

TEST(Comparison, IsWrittenWithItsRatios) {
  const ComparisonResult result{.title = "t", .timings = {{"a", 1e-6, 2e-6, 1}, {"b", 4e-6, 5e-6, 1}}};
  const auto json = nlohmann::json::parse(to_json("title", {result}));
  EXPECT_EQ(json["rows"][1], nlohmann::json({"t", "b", 4.0, 5.0, 0.25})) << json;
  EXPECT_EQ(json["columns"].size(), json["rows"][0].size());
}

}  // namespace
}  // namespace jade::benchmarks
