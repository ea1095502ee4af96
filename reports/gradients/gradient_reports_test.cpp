#include <algorithm>

#include <fmt/format.h>
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

TEST(GradientFuzz, ListsProductsThatAreNotThoseOfTheJacobian) {
  // Nothing is as small as less than nothing: every world is a finding.
  GradientFuzzSettings settings{.count = 3, .seed = 5, .first = 7};
  settings.trial = {.differences = false, .transpose_tolerance = -1};
  const GradientFuzzResult result = fuzz_gradients(settings);
  EXPECT_EQ(result.wrong_products, 3U);
  const auto json = to_json(settings, result);
  EXPECT_EQ(json.at("with_wrong_products"), 3);
  ASSERT_FALSE(result.failures.empty());
  const GradientFailure& last = result.failures.back();
  EXPECT_EQ(last.index, 9U);
  EXPECT_EQ(last.what(), "products from the left");
  EXPECT_EQ(json.at("failures").back().at("direction"), last.what());
  EXPECT_EQ(nlohmann::json::parse(saved_draw(settings, last)).at("direction"), last.what());

  // The worst of them is named, the first one where several are alike.
  const auto worst =
      std::max_element(result.failures.begin(), result.failures.end(),
                       [](const GradientFailure& a, const GradientFailure& b) { return a.error < b.error; });
  EXPECT_EQ(result.worst_transpose, worst->error);
  EXPECT_EQ(result.worst_transpose_index, worst->index);
  EXPECT_EQ(json.at("worst_transpose_index"), worst->index);
  EXPECT_NE(to_text(table_of(settings, result)).find(fmt::format("(world {})", worst->index)),
            std::string::npos);
}

TEST(GradientFuzz, ScreenPassesWhatANearDifferenceAgreesWithAndJudgesTheRest) {
  GradientFuzzSettings settings{.count = 6, .seed = 5};
  const GradientFuzzResult all = fuzz_gradients(settings);
  settings.trial.screen = true;
  const GradientFuzzResult screened = fuzz_gradients(settings);
  for (std::size_t d = 0; d < 3; ++d) {
    const DirectionTally &a = all.directions[d], &b = screened.directions[d];
    EXPECT_EQ(a.passed, 0U);
    EXPECT_GT(b.passed, 0U);
    EXPECT_EQ(a.regular + a.kinks + a.unresolved, b.passed + b.regular + b.kinks + b.unresolved);
  }
  EXPECT_NE(to_text(table_of(settings, screened)).find("A screen"), std::string::npos);
  // No gradient agrees to less than nothing: all are judged, and all that differences settle on are wrong.
  settings.trial.tolerance = -1;
  const GradientFuzzResult none = fuzz_gradients(settings);
  EXPECT_EQ(none.directions[0].passed, 0U);
  EXPECT_FALSE(none.failures.empty());
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
