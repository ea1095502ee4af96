#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ccd/ccd_check.h"
#include "ccd/ccd_fuzz.h"
#include "jade/base/error.h"

namespace jade::reports {
namespace {

/// A vertex that falls through a unit triangle, beside a file's claim about it.
reference::RecordedQuery fall(bool truth, int line) {
  reference::RecordedQuery recorded;
  const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
  recorded.query = {CcdKind::vertex_face, {Vec3(0.25, 0.25, 1), a, b, c}, {Vec3(0.25, 0.25, -1), a, b, c}};
  recorded.truth = truth;
  recorded.line = line;
  return recorded;
}

std::vector<CcdFile> one_file(bool truth) {
  std::vector<CcdFile> files(1);
  files[0].path = "fall.csv";
  files[0].queries.push_back(fall(truth, 1));
  return files;
}

CcdCheckSettings with(const char* method) {
  return {.methods = {&ccd_method_named(method)}, .passes = 1, .progress = {}};
}

TEST(CcdCheck, AgreesWithATrueFile) {
  const CcdCheck check = check_ccd(one_file(true), with("exact"));
  ASSERT_EQ(check.tallies.size(), 1U);
  EXPECT_EQ(check.tallies[0].queries, 1);
  EXPECT_EQ(check.tallies[0].hits, 1);
  EXPECT_TRUE(check.differences.empty());
  EXPECT_TRUE(check.promises_kept());
}

TEST(CcdCheck, AWrongAnswerBreaksAPromiseOnlyWhereOneWasGiven) {
  const CcdCheck exact = check_ccd(one_file(false), with("exact"));
  EXPECT_EQ(exact.tallies[0].false_positives, 1);
  EXPECT_FALSE(exact.promises_kept());
  ASSERT_EQ(exact.differences.size(), 1U);
  EXPECT_EQ(exact.differences[0].line, 1);
  const CcdCheck cubic = check_ccd(one_file(false), with("cubic"));
  EXPECT_EQ(cubic.tallies[0].false_positives, 1);
  EXPECT_TRUE(cubic.promises_kept());
}

TEST(CcdCheck, CountsQueriesThatAMethodCannotRead) {
  std::vector<CcdFile> files = one_file(true);
  RationalCcdQuery rational;
  rational.start.fill({{{"1", "3"}, {"1", "3"}, {"1", "3"}}});
  rational.end = rational.start;
  files[0].queries[0].rational = std::make_unique<const RationalCcdQuery>(rational);
  EXPECT_EQ(check_ccd(files, with("exact")).tallies[0].queries, 1);
  EXPECT_EQ(check_ccd(files, with("cubic")).tallies[0].not_asked, 1);
}

TEST(CcdMethods, AnUnknownNameIsRefused) { EXPECT_THROW((void)ccd_method_named("guess"), InvalidInput); }

TEST(CcdFuzz, DoesNotDependOnTheNumberOfJobs) {
  CcdFuzzSettings settings{
      .count = 40, .seed = 3, .spins = {200}, .methods = sweep_methods(), .jobs = 1, .progress = {}};
  const auto one = fuzz_ccd(settings);
  settings.jobs = 3;
  const auto three = fuzz_ccd(settings);
  ASSERT_EQ(one.size(), three.size());
  long long hits = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    hits += one[i].hits;
    EXPECT_EQ(one[i].hits, three[i].hits);
    EXPECT_EQ(one[i].missed, three[i].missed);
    EXPECT_EQ(one[i].late, three[i].late);
    EXPECT_EQ(one[i].unproven, three[i].unproven);
  }
  EXPECT_GT(hits, 0);
}

TEST(CcdFuzz, ExactQueriesAreRightAboutTheirOwnStraightPath) {
  CcdFuzzSettings settings{
      .count = 100, .seed = 4, .spins = {50}, .methods = sweep_methods(), .jobs = 1, .progress = {}};
  for (const CcdFuzzRow& row : fuzz_ccd(settings)) {
    if (!row.promises_that) continue;
    EXPECT_EQ(row.wrong_on_own_path, 0) << row.method;
    EXPECT_TRUE(row.keeps_promise());
  }
}

TEST(CcdTable, HasTheSchemaOfTheReport) {
  const auto json = to_json(table_of(check_ccd(one_file(true), with("exact"))));
  for (const char* key : {"title", "columns", "rows", "notes"}) EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["rows"][0].size(), json["columns"].size());
}

}  // namespace
}  // namespace jade::reports
