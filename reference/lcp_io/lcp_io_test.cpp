#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "lcp_io/lcp_file.h"

namespace jade::reference {
namespace {

constexpr const char* kContact =
    R"({"schema":1,"form":"contact","A":[[2,0.1],[0.1,3]],"b":[-1,0.3],"beta":[1,2],)"
    R"("rows":[{"kind":"normal"},{"kind":"tangent","normal":0,"mu":0.7}]})";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

/// The message of the refusal; empty when the text was accepted.
template <class Parse>
std::string refusal(Parse&& parse) {
  try {
    parse();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return {};
}

TEST(LcpJson, ReadsAContactProblem) {
  const LcpProblem problem = parse_lcp_json(kContact, "test");
  EXPECT_EQ(problem.form, LcpForm::contact);
  EXPECT_EQ(problem.A(0, 1), 0.1);
  EXPECT_EQ(problem.b[1], 0.3);
  EXPECT_EQ(problem.beta[1], 2);
  EXPECT_EQ(problem.rows[1].kind, RowKind::tangent);
  EXPECT_EQ(problem.rows[1].normal, 0);
  EXPECT_EQ(problem.rows[1].mu, 0.7);
}

TEST(LcpJson, WritesWhatItReadsBackBitByBit) {
  LcpProblem problem;
  problem.form = LcpForm::boxed;
  problem.A.resize(2, 2);
  problem.A << 1.0 / 3, 1e-300, 0x1p-1074, 2.0 / 7;
  problem.b = Vec2(-0.1, 1e300);
  problem.lo = Vec2(0, -std::numeric_limits<double>::infinity());
  problem.hi = Vec2(std::numeric_limits<double>::infinity(), 0.5);
  problem.findex = {-1, -1};
  const LcpProblem back = parse_lcp_json(to_json_line(problem, "any \"text\""), "test");
  EXPECT_EQ(back.form, problem.form);
  EXPECT_EQ(back.A, problem.A);
  EXPECT_EQ(back.b, problem.b);
  EXPECT_EQ(back.lo, problem.lo);
  EXPECT_EQ(back.hi, problem.hi);
  EXPECT_EQ(back.findex, problem.findex);
  const std::string line = to_json_line(parse_lcp_json(kContact, "test"));
  EXPECT_EQ(line, to_json_line(parse_lcp_json(line, "test")));
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(LcpJson, NamesThePlaceOfEveryMistake) {
  const std::pair<std::string, std::string> changes_and_places[] = {
      {R"("schema":1)", R"("schema":2)"},
      {R"("form":"contact")", R"("form":"contract")"},
      {R"([0.1,3])", R"([0.1])"},
      {R"([0.1,3])", R"([0.1,"x"])"},
      {R"("b":[-1,0.3])", R"("b":5)"},
      {R"("beta")", R"("betas")"},
      {R"("kind":"normal")", R"("kind":"nromal")"},
      {R"("normal":0,)", R"()"},
      {R"("normal":0,)", R"("normal":7,)"},
      {R"("mu":0.7)", R"("mu":-1)"},
  };
  const char* places[] = {"schema", "form",         "A[1]",           "A[1][1]",        "b",
                          "betas",  "rows[0].kind", "rows[1].normal", "rows[1].normal", "rows[1].mu"};
  for (std::size_t i = 0; i < std::size(places); ++i) {
    const auto& [from, to] = changes_and_places[i];
    const std::string changed = replaced(kContact, from, to);
    const std::string message = refusal([&] { parse_lcp_json(changed, "my.json"); });
    EXPECT_NE(message.find(places[i]), std::string::npos) << to << " → " << message;
    EXPECT_NE(message.find("my.json"), std::string::npos) << message;
  }
}

TEST(LcpJson, NamesTheRowThatIsNotFinite) {
  for (const char* number : {"NaN", "nan", "-Infinity", "inf"}) {
    const std::string text = replaced(kContact, "[-1,0.3]", "[-1," + std::string(number) + "]");
    EXPECT_NE(refusal([&] { parse_lcp_json(text, "my.json"); }).find("b[1]"), std::string::npos) << number;
  }
  // A bound may be missing, but not NaN.
  const char* boxed = R"({"schema":1,"form":"boxed","A":[[1]],"b":[1],"lo":[NaN],"hi":[null]})";
  EXPECT_NE(refusal([&] { parse_lcp_json(boxed, "my.json"); }).find("not JSON"), std::string::npos);
}

TEST(LcpJson, ListsAllMistakesAtOnce) {
  const std::string text =
      replaced(replaced(kContact, R"("mu":0.7)", R"("mu":"a")"), R"("schema":1)", R"("schema":2)");
  try {
    parse_lcp_json(text, "test");
    FAIL() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.mistakes().size(), 2U);
  }
}

TEST(LcpJson, NamesTheLineWhereTheTextIsNotJson) {
  EXPECT_NE(refusal([] { parse_lcp_json("{\n\"schema\": 1,\n oops}", "test"); }).find("line 3"),
            std::string::npos);
  EXPECT_NE(refusal([] { parse_lcp_json("", "test"); }), "");
  EXPECT_NE(refusal([] { parse_lcp_json("[1,2]", "test"); }).find("object"), std::string::npos);
}

TEST(LcpAnswer, ReadsForcesClaimsAndEverySpellingOfNaN) {
  EXPECT_EQ(parse_lcp_answer(R"({"f":[1,2.5]})", "a").f, VecX(Vec2(1, 2.5)));
  EXPECT_FALSE(parse_lcp_answer(R"({"f":[1]})", "a").gave_up);
  EXPECT_TRUE(parse_lcp_answer(R"({"f":[1],"status":"no_solution_found"})", "a").gave_up);
  const VecX f = parse_lcp_answer(R"({"f":[NaN,-nan,Infinity,-inf,null,3]})", "a").f;
  ASSERT_EQ(f.size(), 6);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(std::isnan(f[i])) << i;
  EXPECT_EQ(f[5], 3);
}

TEST(LcpAnswer, RefusesWhatIsNoAnswer) {
  for (const char* text :
       {"", "hello", "[1]", "{}", R"({"f":1})", R"({"f":["a"]})", R"({"f":[1],"status":"maybe"})"}) {
    EXPECT_NE(refusal([&] { parse_lcp_answer(text, "answer"); }), "") << text;
  }
}

constexpr const char* kSiconos = "2\n0\n2\n2\n2\t2\n1 -2\n3 4\n-5 +6e0\n\nany remark here\n";

TEST(SiconosLcp, ReadsMByRowsAndThenQ) {
  const LcpProblem problem = parse_siconos_lcp(kSiconos, "test");
  EXPECT_EQ(problem.form, LcpForm::plain);
  EXPECT_EQ(problem.A(0, 1), -2);
  EXPECT_EQ(problem.A(1, 0), 3);
  EXPECT_EQ(problem.b, VecX(Vec2(-5, 6)));
}

TEST(SiconosLcp, NamesTheLineOfAMistake) {
  EXPECT_NE(refusal([] { parse_siconos_lcp("2\n1\n", "t"); }).find("line 2"), std::string::npos);
  EXPECT_NE(refusal([] { parse_siconos_lcp("2\n0\n2\n3\n", "t"); }).find("line 4"), std::string::npos);
  EXPECT_NE(refusal([] { parse_siconos_lcp(replaced(kSiconos, "3 4", "3 x"), "t"); }).find("line 7"),
            std::string::npos);
  EXPECT_NE(refusal([] { parse_siconos_lcp("2\n0\n2\n2\n2 2\n1 2\n3 4\n5", "t"); }).find("q[1]"),
            std::string::npos);
  EXPECT_NE(refusal([] { parse_siconos_lcp("-3", "t"); }), "");
  EXPECT_NE(refusal([] { parse_siconos_lcp("", "t"); }), "");
}

TEST(LcpFile, IsReadByContentAndWrittenWhole) {
  const auto folder = std::filesystem::temp_directory_path() / "jade_lcp_io_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a.dat") << kSiconos;
  EXPECT_EQ(read_lcp_file(folder / "a.dat").form, LcpForm::plain);
  write_lcp_file(folder / "b.json", parse_lcp_json(kContact, "test"), "comment");
  EXPECT_EQ(read_lcp_file(folder / "b.json").rows[1].mu, 0.7);
  EXPECT_FALSE(std::filesystem::exists(folder / "b.json.unfinished"));
  EXPECT_THROW(read_lcp_file(folder / "missing.json"), std::runtime_error);
  EXPECT_THROW(write_lcp_file(folder / "no" / "folder.json", parse_lcp_json(kContact, "test"), ""),
               std::runtime_error);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace jade::reference
