// The command line as a user meets it: what it prints, what it returns, what it leaves behind.
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "jade/base/atomic_file.h"

namespace jade {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

class JadeCommand : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("jade_cli_test_" + std::string(info->name()) + "_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome jade(const std::string& arguments) const {
    const std::string err_file = (folder_ / "stderr.txt").string();
    FILE* pipe = popen((std::string(JADE_BINARY) + " " + arguments + " 2>" + err_file).c_str(), "r");
    Outcome outcome;
    std::array<char, 4096> buffer{};
    for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      outcome.out.append(buffer.data(), n);
    const int status = pclose(pipe);
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.err = read_file(err_file);
    return outcome;
  }

  std::string out_folder() const { return (folder_ / "report").string(); }
  fs::path folder_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(JadeCommand, RefusesACampaignOfContactProblemsThatMakesNoSense) {
  for (const char* arguments : {"--count -3", "--count 0", "--contacts 0", "--jobs 0", "--timeout 0",
                                "--solver-command ''", "--family nope", "--solver nope"}) {
    const Outcome o = jade(std::string("lcp fuzz ") + arguments);
    EXPECT_EQ(o.exit_code, 2) << arguments;
    EXPECT_EQ(o.out, "") << arguments;
    EXPECT_TRUE(has(o.err, std::string(arguments).substr(0, std::string(arguments).find(' ')))) << o.err;
  }
  // Before the campaign, not after it.
  const Outcome o = jade("lcp fuzz --count 1000000000 --save /proc/nowhere");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_TRUE(has(o.err, "/proc/nowhere"));
}

TEST_F(JadeCommand, ExplainsItselfEverywhere) {
  for (const char* arguments :
       {"--help", "list --help", "run --help", "show --help", "step fuzz --help", "gradient check --help",
        "gradient explain --help", "gradient fuzz --help", "optimise --help"}) {
    const Outcome o = jade(arguments);
    EXPECT_EQ(o.exit_code, 0) << arguments;
    EXPECT_TRUE(has(o.out, "--help")) << arguments;
    EXPECT_EQ(o.err, "") << arguments;
  }
  EXPECT_EQ(jade("--version").exit_code, 0);
}

TEST_F(JadeCommand, ReturnsTwoForWrongArgumentsAndSaysWhatWasMeant) {
  struct Example {
    std::string arguments, expected;
  };
  for (const Example& e : {Example{"", "subcommand"},
                           Example{"rnu", "rnu"},
                           Example{"run pendulun --engine jade", "did you mean \"pendulum\""},
                           Example{"run pendulum --engine bulet", "did you mean \"bullet\""},
                           Example{"show dzanibekov", "did you mean \"dzhanibekov\""},
                           Example{"gradient check sliding_blok", "did you mean \"sliding_block\""},
                           Example{"gradient fuzz --count 0", "--count"},
                           Example{"gradient explain", "index"},
                           Example{"gradient explain -3", "index"},
                           Example{"gradient explain 3 --direction 7", "--direction"},
                           Example{"step fuzz --count -3", "--count"},
                           Example{"lcp fuzz --count -3", "--count"},
                           Example{"ccd fuzz --count -3", "--count"},
                           Example{"optimise two_bals", "did you mean \"two_balls\""},
                           Example{"run pendulum --jobs 0", "--jobs"},
                           Example{"run pendulum --tolerance-scale -1", "--tolerance-scale"},
                           Example{"run pendulum --tolerance-scale x", "--tolerance-scale"},
                           Example{"run pendulum --engine-command nothing", "NAME=COMMAND"},
                           Example{"run pendulum --engine-command jade=true", "in use"},
                           Example{"run pendulum --tolerance-scale nan", "--tolerance-scale"},
                           Example{"run --scene x.json --spacing nan", "--spacing"},
                           Example{"run --scene x.json --h 1e999", "--time-step"},
                           Example{"run pendulum --timeout 1e300", "--timeout"},
                           Example{"step fuzz --jobs 100000", "--jobs"},
                           Example{"lcp check a.json b.json --tolerance nan", "--tolerance"},
                           Example{"run --engin jade", "did you mean \"--engine\""},
                           Example{"step fuzz --cuont=3", "did you mean \"--count\""},
                           Example{"list all", "\"all\""},
                           Example{"ccd fuzz --spin nan", "--spin"},
                           Example{"ccd check --kind vertex-face /dev/null", "holds no query"},
                           Example{"run --nonsense", "--nonsense"}}) {
    const Outcome o = jade(e.arguments);
    EXPECT_EQ(o.exit_code, 2) << e.arguments;
    EXPECT_TRUE(has(o.err, e.expected)) << e.arguments << "\n" << o.err;
    EXPECT_EQ(o.out, "") << e.arguments;
  }
}

TEST_F(JadeCommand, NamesEveryUnknownCaseAtOnce) {
  const Outcome o = jade("run pendulun free_fal --engine jade");
  EXPECT_TRUE(has(o.err, "pendulun") && has(o.err, "free_fal")) << o.err;
}

TEST_F(JadeCommand, TakesCasesAfterTheNameOfAnEngine) {
  const Outcome o = jade("run --engine jade free_fall --json");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(Json::parse(o.out).at("cases").size(), 1u);
}

TEST_F(JadeCommand, KnowsBeforeALongCampaignThatItsResultsCannotBeKept) {
  for (const char* arguments :
       {"run --out /proc/nowhere", "lcp fuzz --count 1000000000 --table /proc/nowhere",
        "step fuzz --count 100000000 --table /proc/nowhere",
        "ccd fuzz --count 100000000 --table /proc/nowhere",
        "gradient fuzz --count 100000000 --save /proc/nowhere", "optimise --table /proc/nowhere"}) {
    const Outcome o = jade(arguments);
    EXPECT_EQ(o.exit_code, 3) << arguments;
    EXPECT_TRUE(has(o.err, "/proc/nowhere")) << o.err;
    EXPECT_EQ(o.out, "") << arguments;
  }
}

TEST_F(JadeCommand, NeverLosesItsOutputInSilence) {
  for (const char* arguments : {"list", "run free_fall --engine jade --json", "--help"}) {
    const Outcome o = jade(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(o.exit_code, 3) << arguments;
    EXPECT_NE(o.err, "") << arguments;
  }
  // Who reads no further has what he wants: there is nothing to complain of.
  const std::string err = (folder_ / "err.txt").string();
  EXPECT_EQ(jade("list 2>" + err + " | head -1").out, "Cases\n");
  EXPECT_EQ(read_file(err), "");
  // A file must not get what was meant for a stream that is closed.
  EXPECT_EQ(jade("run free_fall --engine jade --out " + out_folder() + " >&-").exit_code, 0);
  EXPECT_TRUE(Json::accept(read_file(out_folder() + "/results.json")));
}

TEST_F(JadeCommand, TakesItsEnginesAlongWhenItIsEnded) {
  const std::string file = (folder_ / "engine").string();
  const Outcome o = jade("run free_fall --engine jade --engine-command 'mine=echo $$ >" + file +
                         "; sleep 1000' 2>/dev/null & jade=$!; for i in $(seq 600); do [ -s " + file +
                         " ] && break; sleep 0.1; done; kill -TERM $jade; wait $jade; "
                         "for i in $(seq 100); do kill -0 -- -$(cat " +
                         file + ") || break; sleep 0.1; done; kill -0 -- -$(cat " + file + ") || echo gone");
  EXPECT_EQ(o.out, "gone\n") << o.err;
}

TEST_F(JadeCommand, ReturnsThreeWhenTheReportCannotBeWritten) {
  write_file(folder_ / "file", "in the way");
  const Outcome o = jade("run free_fall --engine jade --out " + (folder_ / "file").string());
  EXPECT_EQ(o.exit_code, 3) << o.err;
  EXPECT_TRUE(has(o.err, "file")) << o.err;
  EXPECT_EQ(read_file(folder_ / "file"), "in the way");
}

TEST_F(JadeCommand, ListsCasesAndEnginesAsJson) {
  const Json json = Json::parse(jade("list --json").out);
  EXPECT_GE(json.at("cases").size(), 8u);
  EXPECT_EQ(json.at("engines").at(0).at("name"), "jade");
}

TEST_F(JadeCommand, ChecksGradientsAndLeavesATable) {
  const std::string table = (folder_ / "table.json").string();
  const Outcome o = jade("gradient check equal_balls_on_a_line --json --table " + table);
  EXPECT_EQ(o.exit_code, 0) << o.out;
  const Json derivatives = Json::parse(o.out).at("cases").at(0).at("derivatives");
  ASSERT_EQ(derivatives.size(), 4U);
  EXPECT_EQ(derivatives.at(0).at("closed_form"), 1);
  EXPECT_EQ(Json::parse(read_file(table)).at("rows").size(), 4U);
}

TEST_F(JadeCommand, ExplainsAWorldOfACampaign) {
  const Outcome o = jade("gradient explain 3 --seed 5 --direction 0 --json");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const Json json = Json::parse(o.out);
  EXPECT_EQ(json.at("index"), 3);
  ASSERT_EQ(json.at("directions").size(), 1U);
  EXPECT_EQ(json.at("directions").at(0).at("direction"), "state and effort");
  EXPECT_FALSE(json.at("directions").at(0).at("stages").empty());
  EXPECT_TRUE(has(jade("gradient explain 3 --seed 5 --direction 0").out, "nudge"));
}

TEST_F(JadeCommand, ExplainsASceneOfOnesOwn) {
  const std::string file = (folder_ / "scene.json").string();
  write_file(file, jade("show pendulum --scene").out);
  const Outcome o = jade("gradient explain --scene " + file + " --warm-up 2 --direction 0 --json");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const Json json = Json::parse(o.out);
  EXPECT_EQ(json.at("scene"), file);
  EXPECT_FALSE(json.contains("index"));
  EXPECT_TRUE(json.at("directions").at(0).at("claims_regular").get<bool>()) << o.out;
  EXPECT_EQ(jade("gradient explain 3 --scene " + file).exit_code, 2);
}

TEST_F(JadeCommand, ShowsACaseWithItsTolerancesAndItsScene) {
  const Outcome o = jade("show pendulum");
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_TRUE(has(o.out, "elliptic") && has(o.out, "tolerance")) << o.out;
  EXPECT_EQ(Json::parse(jade("show pendulum --json").out).at("name"), "pendulum");
  EXPECT_EQ(Json::parse(jade("show pendulum --scene").out).at("name"), "pendulum");
}

TEST_F(JadeCommand, ReturnsZeroWhenOursPassAndPrintsJsonAlone) {
  const Outcome o = jade("run free_fall --engine jade --json");
  EXPECT_EQ(o.exit_code, 0) << o.out;
  EXPECT_EQ(o.err, "");
  const Json json = Json::parse(o.out);
  EXPECT_EQ(json.at("schema"), "jade-results-1");
  EXPECT_EQ(json.at("cases").at(0).at("results").at(0).at("verdict"), "pass");
}

TEST_F(JadeCommand, ReturnsOneAtToleranceScaleZeroAndShowsEveryResidual) {
  const Outcome o = jade("run free_fall --engine jade --tolerance-scale 0 --json");
  EXPECT_EQ(o.exit_code, 1);
  const Json json = Json::parse(o.out);
  for (const Json& m : json.at("cases").at(0).at("results").at(0).at("measurements")) {
    EXPECT_EQ(m.at("verdict"), "fail");
    EXPECT_TRUE(m.at("error").is_number());
    if (m.at("margin").is_null()) {
      EXPECT_TRUE(m.contains("margin_reason")) << m;
    }
  }
}

TEST_F(JadeCommand, WritesTheWholeReportAndNothingElse) {
  fs::create_directories(out_folder() + "/benchmarks");
  write_file(
      out_folder() + "/benchmarks/arm.json",
      R"({"title":"Arm <7>","columns":["engine","µs"],"rows":[["jade",0.5]],"notes":["min of many"]})");
  write_file(out_folder() + "/benchmarks/broken.json", "{");
  const Outcome o =
      jade("run free_fall spring_mass --engine jade --engine jade:explicit_euler --out " + out_folder());
  ASSERT_EQ(o.exit_code, 0) << o.err;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(out_folder()))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"benchmarks", "junit.xml", "recordings", "report.html",
                                             "report.md", "results.json"}));
  EXPECT_TRUE(fs::exists(out_folder() + "/recordings/spring_mass.jade-explicit_euler.jsonl"));

  const std::string html = read_file(out_folder() + "/report.html");
  EXPECT_TRUE(has(html, "Arm &lt;7&gt;") && has(html, "This file is no table"))
      << "benchmark tables join the report";
  for (const char* outside : {"http://", "https://", "src=", "@import", "<script"}) {
    EXPECT_FALSE(has(html, outside)) << "a self-contained page has no " << outside;
  }
  EXPECT_TRUE(has(read_file(out_folder() + "/report.md"), "| free_fall |"));
  const Json json = Json::parse(read_file(out_folder() + "/results.json"));
  for (const char* key : {"commit", "compiler", "cpu", "version"})
    EXPECT_TRUE(json.at("environment").contains(key));
  EXPECT_EQ(json.at("engines").at(1).at("settings").at("integrator"), "explicit_euler");
}

/// Everything but wall times.
Json without_times(Json json) {
  for (Json& c : json.at("cases")) {
    for (Json& r : c.at("results")) r.erase("wall_seconds");
  }
  return json;
}

TEST_F(JadeCommand, MeasuresTheSameWithOneJobAndWithMany) {
  const Json one = Json::parse(jade("run free_fall projectile spring_mass pendulum --jobs 1 --json").out);
  const Json many = Json::parse(jade("run free_fall projectile spring_mass pendulum --jobs 7 --json").out);
  EXPECT_EQ(without_times(one), without_times(many));
}

TEST_F(JadeCommand, TurnsAMisbehavingEngineIntoAVerdictAndStillReturnsZero) {
  const Outcome o = jade(
      "run free_fall --engine jade --engine-command 'crash=kill -SEGV $$' --engine-command 'garbage=echo "
      "hello' "
      "--engine-command 'hang=sleep 60' --timeout 0.5 --json");
  EXPECT_EQ(o.exit_code, 0) << "a peer's error is a finding";
  const Json json = Json::parse(o.out);
  const Json& results = json.at("cases").at(0).at("results");
  ASSERT_EQ(results.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(results[i].at("verdict"), "engine_error");
    EXPECT_FALSE(results[i].at("reason").get<std::string>().empty());
  }
}

// A ball that falls a millimetre and rests.
const char* const kScene = R"({"schema": 1, "name": "ball", "materials": ["wood"],
  "pairs": [{"first": "wood", "second": "wood", "friction": 0.5, "restitution": 0}],
  "bodies": [
    {"name": "ground", "shapes": [{"geometry": {"kind": "half_space"}, "material": "wood"}], "joint": {"kind": "fixed"}},
    {"name": "ball", "shapes": [{"geometry": {"kind": "sphere", "radius": 0.1}, "material": "wood", "density": 1000}],
     "joint": {"kind": "free", "position": [0, 0, 0.101, 1, 0, 0, 0]}}]})";

TEST_F(JadeCommand, RunsASceneOfTheUsersOwn) {
  const std::string scene = (folder_ / "ball.json").string();
  write_file(scene, kScene);
  const Outcome o =
      jade("run --scene " + scene + " --engine jade --h 0.01 --steps 10 --json --out " + out_folder());
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const Json json = Json::parse(o.out);
  const Json& result = json.at("results").at(0);
  EXPECT_EQ(result.at("verdict"), "sound");
  EXPECT_EQ(result.at("frames"), 11);
  EXPECT_GT(result.at("states_within_steps"), 10);
  EXPECT_GT(result.at("smallest_clearance"), 0);
  // It lost the millimetre that it fell.
  const double energy =
      result.at("energy").at("first").get<double>() - result.at("energy").at("last").get<double>();
  EXPECT_NEAR(energy, 1000 * 4.0 / 3 * M_PI * 1e-3 * 9.81 * (1e-3 - 1e-5), 1e-9);
  EXPECT_EQ(Json::parse(read_file(fs::path(out_folder()) / "results.json")), json);
  EXPECT_TRUE(fs::exists(fs::path(out_folder()) / "report.md"));
  EXPECT_TRUE(fs::exists(fs::path(out_folder()) / "recordings" / "scene.jade.jsonl"));
  // What it saved can be run again.
  EXPECT_EQ(jade("run --scene " + out_folder() + "/scene.json --engine jade --duration 0.05").exit_code, 0);
}

TEST_F(JadeCommand, SeparatesWhatTouchesAtTheStartWhenAsked) {
  const std::string scene = (folder_ / "ball.json").string(), place = "0.101";
  std::string text = kScene;
  const auto put_at = [&](const std::string& height) {
    std::string moved = text;
    write_file(scene, moved.replace(moved.find(place), place.size(), height));
    return "run --scene " + scene + " --engine jade --steps 3 --json";
  };
  const Outcome touching = jade(put_at("0.1"));
  EXPECT_EQ(touching.exit_code, 1);
  EXPECT_TRUE(has(touching.out, "touch; separate them")) << touching.out;
  const Outcome separated = jade(put_at("0.1") + " --separate");
  EXPECT_EQ(separated.exit_code, 0) << separated.err;
  const Json moved = Json::parse(separated.out).at("separated");
  EXPECT_EQ(moved.at("pairs"), 1);
  EXPECT_GT(moved.at("farthest"), 0);
  EXPECT_LT(moved.at("farthest"), 1e-4) << "the standoff, not a new scene";
  EXPECT_EQ(jade(put_at("0.101") + " --separate").exit_code, 0);
  const Outcome deep = jade(put_at("0.05") + " --separate");
  EXPECT_EQ(deep.exit_code, 2);
  EXPECT_TRUE(has(deep.err, "overlap by about 0.05 m")) << deep.err;
}

TEST_F(JadeCommand, RefusesScenesThatCannotBeUsed) {
  EXPECT_EQ(jade("run --scene " + (folder_ / "missing.json").string()).exit_code, 3);
  write_file(folder_ / "bad.json", R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "fre"}}]})");
  const Outcome bad = jade("run --scene " + (folder_ / "bad.json").string());
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_TRUE(has(bad.err, "did you mean \"free\"")) << bad.err;
  write_file(folder_ / "weightless.json",
             R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "free"}}]})");
  const Outcome weightless = jade("run --scene " + (folder_ / "weightless.json").string());
  EXPECT_EQ(weightless.exit_code, 2);
  EXPECT_TRUE(has(weightless.err, "no mass")) << weightless.err;
  EXPECT_EQ(jade("run pendulum --steps 3").exit_code, 2);
  EXPECT_EQ(jade("run pendulum --scene x.json").exit_code, 2);
}

TEST_F(JadeCommand, FuzzesTheStepAndSavesWhatFailsForReplay) {
  const std::string common = "step fuzz --family fast --count 6 --steps 3 --seed 7 --jobs 1 --spacing 0.1 ";
  EXPECT_EQ(jade(common).exit_code, 0);
  const std::string saved = (folder_ / "failures").string();
  const Outcome o = jade(common + "--without-continuous-detection --json --save " + saved);
  EXPECT_EQ(o.exit_code, 1) << o.err;
  const Json family = Json::parse(o.out).at("families").at(0);
  ASSERT_GT(family.at("faults").at("intersects"), 0);
  ASSERT_FALSE(fs::is_empty(saved));
  // The certified step has no trouble with it.
  const std::string file = fs::directory_iterator(saved)->path().string();
  EXPECT_EQ(jade("run --scene " + file + " --engine jade --steps 3").exit_code, 0);
  EXPECT_EQ(jade("step fuzz --family slow").exit_code, 2);
}

}  // namespace
}  // namespace jade
