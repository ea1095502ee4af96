#include "reference/protocol.h"

#include <cmath>

#include <gtest/gtest.h>

#include "jade/base/error.h"

namespace jade::reference {
namespace {

SceneDescription one_ball() {
  SceneDescription scene;
  scene.name = "ball";
  BodyDescription ball;
  ball.name = "ball";
  ball.inertia = InertiaDescription{.mass = 2, .com = Vec3::Zero(), .inertia = Mat3::Identity()};
  scene.bodies.push_back(ball);
  return scene;
}

Recording read(const std::vector<std::string>& lines) {
  RecordingReader reader({"ball"});
  for (const std::string& line : lines) {
    if (!reader.read_line(line)) break;
  }
  return std::move(reader).finish();
}

const std::string kHeader =
    R"({"type":"header","schema":"jade-recording-1","engine":"x","version":"1","scheme":"midpoint","settings":{"a":"1"},"bodies":["ball"]})";

TEST(Protocol, CarriesARequestWithoutLosingABit) {
  RunRequest request{.engine = "x",
                     .scene = one_ball(),
                     .time_step = 0.1 / 3,
                     .steps = 7,
                     .record_every = 2,
                     .settings = {{"iterations", "50"}}};
  request.scene.gravity = Vec3(0.1, -1e-300, -9.81);
  const RunRequest back = parse_request(request_json(request));
  EXPECT_EQ(back.engine, "x");
  EXPECT_EQ(back.time_step, request.time_step);
  EXPECT_EQ(back.steps, 7);
  EXPECT_EQ(back.record_every, 2);
  EXPECT_EQ(back.settings, request.settings);
  EXPECT_EQ(back.scene.gravity, request.scene.gravity);
  EXPECT_EQ(back.scene.bodies[0].name, "ball");
}

TEST(Protocol, CarriesARecordingWithoutLosingABit) {
  Recording recording;
  recording.info = {"x", "1.2", Scheme::semi_implicit_euler, {{"b", "2"}, {"a", "1"}}};
  recording.bodies = {"ball"};
  Frame frame;
  frame.time = 1.0 / 3;
  frame.bodies.push_back(
      {Vec3(1e-17, M_PI, -0.0), Quat(0.5, 0.5, -0.5, 0.5), Vec3(1, 2, 3e300), Vec3(4, 5, NAN)});
  frame.joints.push_back({{0.1}, {-0.3}});
  recording.frames = {frame};
  RecordingReader reader({"ball"});
  const std::string text = recording_lines(recording);
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    reader.read_line(std::string_view(text).substr(begin, end - begin));
  }
  ASSERT_TRUE(reader.ended());
  const Recording back = std::move(reader).finish();
  ASSERT_EQ(back.status, RunStatus::done) << back.reason;
  EXPECT_EQ(back.info.settings, recording.info.settings);
  EXPECT_EQ(back.info.scheme, Scheme::semi_implicit_euler);
  const BodyState& b = back.frames.at(0).bodies.at(0);
  EXPECT_EQ(back.frames[0].time, frame.time);
  EXPECT_EQ(b.position, frame.bodies[0].position);
  EXPECT_EQ(b.orientation.coeffs(), frame.bodies[0].orientation.coeffs());
  EXPECT_EQ(b.velocity, frame.bodies[0].velocity);
  EXPECT_TRUE(std::isnan(b.angular_velocity.z())) << "what is not finite comes back as such";
  EXPECT_EQ(back.frames[0].joints.at(0).q, frame.joints[0].q);
}

TEST(Protocol, RefusesARequestThatIsNone) {
  EXPECT_THROW(parse_request(""), InvalidInput);
  EXPECT_THROW(parse_request("[]"), InvalidInput);
  EXPECT_THROW(parse_request(R"({"schema": "other"})"), InvalidInput);
  EXPECT_THROW(parse_request(R"({"schema": "jade-request-1", "engine": 3})"), InvalidInput);
}

TEST(RecordingReader, SaysWhichLineIsWrongAndWhy) {
  EXPECT_EQ(read({kHeader, "garbage"}).status, RunStatus::error);
  EXPECT_NE(read({kHeader, "garbage"}).reason.find("line 2"), std::string::npos);
  EXPECT_NE(read({R"({"type":"frame","time":0,"bodies":[]})"}).reason.find("before the header"),
            std::string::npos);
  EXPECT_NE(read({kHeader, R"({"type":"frame","time":0,"bodies":[[1,2]]})"}).reason.find("2 numbers"),
            std::string::npos);
  EXPECT_NE(read({kHeader, R"({"type":"frame","time":0,"bodies":[]})"}).reason.find("0 bodies"),
            std::string::npos);
  EXPECT_NE(read({kHeader, kHeader}).reason.find("second header"), std::string::npos);
  EXPECT_NE(read({kHeader}).reason.find("without an end line"), std::string::npos);
  EXPECT_NE(read({R"({"type":"end","status":"done"})"}).reason.find("without a header"), std::string::npos);
}

TEST(RecordingReader, TakesAnEngineAtItsWordThatItCannot) {
  const Recording r = read({R"({"type":"end","status":"not_applicable","reason":"no screws"})"});
  EXPECT_EQ(r.status, RunStatus::not_applicable);
  EXPECT_EQ(r.reason, "no screws");
}

}  // namespace
}  // namespace jade::reference
