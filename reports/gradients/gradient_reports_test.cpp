#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gradients/gradient_fuzz.h"
#include "gradients/gradient_table.h"

namespace jade::reports {
namespace {

TEST(GradientFuzz, DependsOnSeedAndIndexAndNotOnThreads) {
  GradientFuzzSettings settings{.count = 4, .seed = 5};
  const auto alone = to_json(settings, fuzz_gradients(settings));
  settings.jobs = 3;
  EXPECT_EQ(alone, to_json(settings, fuzz_gradients(settings)));
}

TEST(GradientFuzz, EndsEarlyWithWhatItHas) {
  const std::atomic<bool> stop = true;
  const GradientFuzzSettings settings{.count = 1000, .stop = &stop};
  const GradientFuzzResult result = fuzz_gradients(settings);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.done, 0U);
  EXPECT_FALSE(to_text(table_of(settings, result)).empty());
}

TEST(GradientFuzz, SavesAWorldThatCanBeReadAgain) {
  const GradientFuzzSettings settings{.seed = 5};
  const auto file = nlohmann::json::parse(saved_draw(settings, {.index = 3, .direction = 1, .error = 0.5}));
  EXPECT_EQ(file.at("index"), 3);
  EXPECT_EQ(file.at("numbers").get<std::uint64_t>(), draw(settings, 3).numbers);
  EXPECT_TRUE(file.at("scene").contains("bodies"));
}

TEST(GradientTable, ShowsBothSidesOfAKink) {
  cases::GradientResult result{.case_name = "corner"};
  cases::GradientMeasurement m;
  m.entry = {.outcome = "x",
             .variable = "v",
             .analytic = 1,
             .left = -1.5,
             .right = 2.5,
             .smoothness = Smoothness::kink};
  result.measurements = {m};
  const std::string text = to_text(table_of({result}));
  EXPECT_NE(text.find("-1.5 | 2.5"), std::string::npos) << text;
  EXPECT_NE(text.find("kink"), std::string::npos);
}

}  // namespace
}  // namespace jade::reports
