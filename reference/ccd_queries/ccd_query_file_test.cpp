#include "ccd_queries/ccd_query_file.h"

#include <string>

#include <gtest/gtest.h>

#include "jade/base/atomic_file.h"
#include "jade/base/error.h"

namespace jade::reference {
namespace {

/// A file of our own, gone when the test ends.
class CcdQueryFile : public testing::Test {
 protected:
  ~CcdQueryFile() override { std::filesystem::remove(path_); }

  std::vector<RecordedQuery> read(const std::string& text) {
    write_file(path_, text);
    return read_ccd_queries(path_, CcdKind::vertex_face);
  }
  std::string refusal(const std::string& text) {
    try {
      (void)read(text);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "not refused";
  }

  // One file for each test: ctest may run them at the same time.
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() /
      (std::string("jade_ccd_") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv");
};

/// A vertex that falls from z = 1 to z = −1 through the unit triangle.
const std::string kFall =
    "1,4,1,4,1,1,1\n0,1,0,1,0,1,1\n1,1,0,1,0,1,1\n0,1,1,1,0,1,1\n"
    "1,4,1,4,-1,1,1\n0,1,0,1,0,1,1\n1,1,0,1,0,1,1\n0,1,1,1,0,1,1\n";

TEST_F(CcdQueryFile, ReadsPointsAndTruth) {
  const auto queries = read(kFall + kFall);
  ASSERT_EQ(queries.size(), 2U);
  EXPECT_TRUE(queries[0].truth);
  EXPECT_TRUE(queries[0].is_double());
  EXPECT_EQ(queries[1].line, 9);
  EXPECT_EQ(queries[0].query.start[0], Vec3(0.25, 0.25, 1));
  EXPECT_EQ(queries[0].query.end[0], Vec3(0.25, 0.25, -1));
  EXPECT_EQ(queries[0].query.end[3], Vec3(0, 1, 0));
  EXPECT_TRUE(exact_ccd(queries[0].query).hit);
}

TEST_F(CcdQueryFile, KeepsFractionsThatAreNoDoubles) {
  std::string text = kFall;
  text.replace(0, 3, "1,3");
  const auto queries = read(text);
  ASSERT_FALSE(queries[0].is_double());
  EXPECT_EQ(queries[0].rational->start[0][0].denominator, "3");
  EXPECT_TRUE(exact_ccd(*queries[0].rational).hit);
}

TEST_F(CcdQueryFile, AnEmptyFileHasNoQueries) { EXPECT_TRUE(read("\n").empty()); }

TEST_F(CcdQueryFile, NamesTheLineThatCannotBeUsed) {
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(refusal("1,2,3\n" + kFall), "line 1: has 3 columns")) << refusal("1,2,3\n" + kFall);
  EXPECT_TRUE(has(refusal(kFall + "1,1,x,1,1,1,0\n"), "line 9: has \"x\" in column 3"));
  EXPECT_TRUE(has(refusal(kFall + "1,1,1,0,1,1,0\n"), "line 9: has the denominator 0 in column 4"));
  EXPECT_TRUE(has(refusal(kFall + "1,1,1,1,1,1,2\n"), "line 9: states the truth \"2\""));
  EXPECT_TRUE(has(refusal(kFall + "1,1,1,1,1,1,1\n"), "line 9: ends the file in the middle of a query"));
  std::string two_truths = kFall;
  two_truths[kFall.size() - 2] = '0';
  EXPECT_TRUE(has(refusal(two_truths), "line 8: states another truth than line 1"));
}

TEST(CcdQueryKind, IsReadFromThePath) {
  EXPECT_EQ(kind_from_path("data/unit-tests/edge-edge/data_0.csv"), CcdKind::edge_edge);
  EXPECT_EQ(kind_from_path("edge-edge/vertex-face/data_0.csv"), CcdKind::vertex_face);
  EXPECT_EQ(kind_from_path("data_0.csv"), std::nullopt);
}

}  // namespace
}  // namespace jade::reference
