#include "reference/engine_process.h"

#include <chrono>

#include <gtest/gtest.h>

#include "reference/protocol.h"

namespace jade::reference {
namespace {

RunRequest request_with_ball() {
  RunRequest request{.engine = "mine"};
  request.scene.name = "ball";
  BodyDescription ball;
  ball.name = "ball";
  ball.inertia = InertiaDescription{.mass = 1, .com = Vec3::Zero(), .inertia = Mat3::Identity()};
  request.scene.bodies.push_back(ball);
  return request;
}

const std::string kSpeak =
    R"(cat >/dev/null; echo '{"type":"header","schema":"jade-recording-1","engine":"x","bodies":["ball"]}'; )"
    R"(echo '{"type":"frame","time":0,"bodies":[[0,0,1,1,0,0,0,0,0,0,0,0,0]]}'; )";
const std::string kEnd = R"(echo '{"type":"end","status":"done","wall_seconds":0.5}')";

Recording run(const std::string& command, double timeout = 20) {
  return run_engine_process(command, request_with_ball(), {.timeout_seconds = timeout});
}

TEST(EngineProcess, ReadsARecordingFromACommand) {
  const Recording r = run(kSpeak + kEnd);
  ASSERT_EQ(r.status, RunStatus::done) << r.reason;
  EXPECT_EQ(r.frames.at(0).bodies.at(0).position.z(), 1);
  EXPECT_EQ(r.wall_seconds, 0.5);
  EXPECT_EQ(r.info.engine, "mine") << "the name the user gave, not the one the program claims";
}

TEST(EngineProcess, GivesTheCommandTheWholeRequest) {
  const Recording r = run("grep -q jade-request-1 && " + kSpeak + kEnd);
  EXPECT_EQ(r.status, RunStatus::done) << r.reason;
}

TEST(EngineProcess, TurnsEveryMisbehaviourIntoAnErrorThatSaysWhat) {
  struct Example {
    const char* what;
    std::string command, expected;
  };
  for (const Example& e : {Example{"missing program", "/no/such/program", "exit code 127"},
                           Example{"crash", "cat >/dev/null; kill -SEGV $$", "signal 11"},
                           Example{"crash midway", kSpeak + "kill -ABRT $$", "signal 6"},
                           Example{"garbage", "echo hello", "line 1"},
                           Example{"binary garbage", "head -c 100000 /dev/urandom", "its output"},
                           Example{"silence", "cat >/dev/null", "without an end line"},
                           Example{"its complaint", "echo out of cheese >&2; exit 4", "out of cheese"},
                           Example{"does not read", "exec 0<&-; sleep 0.1; exit 3", "exit code 3"}}) {
    const Recording r = run(e.command);
    EXPECT_EQ(r.status, RunStatus::error) << e.what;
    EXPECT_NE(r.reason.find(e.expected), std::string::npos) << e.what << ": " << r.reason;
  }
}

TEST(EngineProcess, StopsACommandThatHangsAndItsChildren) {
  const auto start = std::chrono::steady_clock::now();
  const Recording r = run("sleep 100 & sleep 100", 0.3);
  EXPECT_EQ(r.status, RunStatus::error);
  EXPECT_NE(r.reason.find("no end after 0.3 s"), std::string::npos) << r.reason;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(EngineProcess, StopsACommandThatTalksWithoutEnd) {
  const Recording r = run_engine_process("yes ''", request_with_ball(), {.timeout_seconds = 20});
  EXPECT_EQ(r.status, RunStatus::error) << "an empty line is no JSON";
  const Recording flood = run_engine_process("tr '\\0' x </dev/zero", request_with_ball(),
                                             {.timeout_seconds = 20, .output_bytes = 1u << 20u});
  EXPECT_NE(flood.reason.find("bytes of output"), std::string::npos) << flood.reason;
}

}  // namespace
}  // namespace jade::reference
