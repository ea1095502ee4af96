#include "interleaved.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace jade::benchmarks {
namespace {

/// A chain of operations that the compiler can neither drop nor shorten.
void work(int length) {
  volatile double x = 1;
  for (int i = 0; i < length; ++i) x = x * 0.999 + 0.5;
}

TEST(Comparison, SeesThatThreeTimesTheWorkTakesThreeTimesAsLong) {
  Comparison comparison("work", {.batch_seconds = 1e-4, .rounds = 200});
  comparison.add("once", [] { work(200); });
  comparison.add("three times", [] { work(600); });
  const ComparisonResult result = comparison.run();
  // Minima over 200 batches agree within a few percent even on a busy machine; a third is far from a half.
  EXPECT_NEAR(result.ratio(1), 1.0 / 3, 0.1);
  EXPECT_EQ(result.ratio(0), 1);
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
