#include "reference/protocol.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "jade/base/error.h"
#include "jade/model/scene_json.h"

namespace jade::reference {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRequestSchema = "jade-request-1";
constexpr const char* kRecordingSchema = "jade-recording-1";
constexpr int kNumbersPerBody = 13;

const char* name_of(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return "done";
    case RunStatus::not_applicable:
      return "not_applicable";
    case RunStatus::error:
      break;
  }
  return "error";
}

// JSON has no NaN: null stands for every number that is not finite, both ways.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
double number(const Json& j) {
  return j.is_null() ? std::numeric_limits<double>::quiet_NaN() : j.get<double>();
}

Json json_of(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double x : values) list.push_back(number(x));
  return list;
}

std::vector<double> numbers(const Json& list) {
  std::vector<double> values;
  for (const Json& j : list) values.push_back(number(j));
  return values;
}

Json body_json(const BodyState& b) {
  return json_of({b.position.x(), b.position.y(), b.position.z(), b.orientation.w(), b.orientation.x(),
                  b.orientation.y(), b.orientation.z(), b.velocity.x(), b.velocity.y(), b.velocity.z(),
                  b.angular_velocity.x(), b.angular_velocity.y(), b.angular_velocity.z()});
}

BodyState body_state(const Json& json) {
  const std::vector<double> x = numbers(json);
  if (x.size() != kNumbersPerBody) {
    throw std::runtime_error(fmt::format("a body has {} numbers, not {}", x.size(), kNumbersPerBody));
  }
  return {{x[0], x[1], x[2]}, Quat(x[3], x[4], x[5], x[6]), {x[7], x[8], x[9]}, {x[10], x[11], x[12]}};
}

Frame frame_from(const Json& json) {
  Frame frame;
  frame.time = number(json.at("time"));
  for (const Json& body : json.at("bodies")) frame.bodies.push_back(body_state(body));
  if (json.contains("joints")) {
    for (const Json& joint : json.at("joints")) {
      frame.joints.push_back({numbers(joint.at("q")), numbers(joint.at("v"))});
    }
  }
  return frame;
}

}  // namespace

std::string request_json(const RunRequest& request) {
  Json json;
  json["schema"] = kRequestSchema;
  json["engine"] = request.engine;
  json["time_step"] = request.time_step;
  json["steps"] = request.steps;
  json["record_every"] = request.record_every;
  json["settings"] = Json::object();
  for (const auto& [key, value] : request.settings) json["settings"][key] = value;
  json["scene_folder"] = request.scene.folder;
  json["scene"] = Json::parse(scene_to_json(request.scene));
  return json.dump();
}

RunRequest parse_request(const std::string& text) {
  const auto refuse = [](const std::string& place, const std::string& problem, const std::string& remedy) {
    return InvalidInput("request", {{place, problem, remedy}});
  };
  try {
    const Json json = Json::parse(text);
    if (!json.is_object()) throw refuse("request", "is no JSON object", "see reference/protocol.h");
    if (json.value("schema", "") != kRequestSchema) {
      throw refuse("schema", "is not " + std::string(kRequestSchema),
                   "speak the protocol of reference/protocol.h");
    }
    RunRequest request;
    request.engine = json.at("engine").get<std::string>();
    request.time_step = json.at("time_step").get<double>();
    request.steps = json.at("steps").get<int>();
    request.record_every = json.value("record_every", 1);
    if (json.contains("settings"))
      request.settings = json.at("settings").get<std::map<std::string, std::string>>();
    request.scene = scene_from_json(json.at("scene").dump(), "scene of the request");
    request.scene.folder = json.value("scene_folder", "");
    return request;
  } catch (const nlohmann::json::exception& error) {
    throw refuse("request", error.what(), "see reference/protocol.h");
  }
}

std::string header_line(const EngineInfo& info, const std::vector<std::string>& bodies) {
  Json json;
  json["type"] = "header";
  json["schema"] = kRecordingSchema;
  json["engine"] = info.engine;
  json["version"] = info.version;
  json["scheme"] = reference::name_of(info.scheme);
  json["settings"] = Json::object();
  for (const auto& [key, value] : info.settings) json["settings"][key] = value;
  json["bodies"] = bodies;
  return json.dump();
}

std::string frame_line(const Frame& frame) {
  Json json;
  json["type"] = "frame";
  json["time"] = number(frame.time);
  json["bodies"] = Json::array();
  for (const BodyState& body : frame.bodies) json["bodies"].push_back(body_json(body));
  if (!frame.joints.empty()) {
    json["joints"] = Json::array();
    for (const JointState& joint : frame.joints) {
      json["joints"].push_back({{"q", json_of(joint.q)}, {"v", json_of(joint.v)}});
    }
  }
  return json.dump();
}

std::string end_line(const RunEnd& end) {
  Json json;
  json["type"] = "end";
  json["status"] = name_of(end.status);
  if (end.status == RunStatus::done) {
    json["wall_seconds"] = number(end.wall_seconds);
    if (end.lost_time != 0) json["lost_time"] = number(end.lost_time);
  } else {
    json["reason"] = end.reason;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string recording_lines(const Recording& recording) {
  std::string text = header_line(recording.info, recording.bodies) + "\n";
  for (const Frame& frame : recording.frames) text += frame_line(frame) + "\n";
  return text + end_line({recording.status, recording.reason, recording.wall_seconds, recording.lost_time}) +
         "\n";
}

RecordingReader::RecordingReader(std::vector<std::string> expected_bodies)
    : expected_bodies_(std::move(expected_bodies)) {}

void RecordingReader::fail(const std::string& problem) {
  recording_.status = RunStatus::error;
  recording_.reason = fmt::format("line {} of its output: {}", lines_, problem);
  ended_ = true;
}

bool RecordingReader::read_line(std::string_view line) {
  if (ended_) return false;
  ++lines_;
  try {
    const Json json = Json::parse(line);
    const std::string type = json.at("type").get<std::string>();
    if (type == "header") {
      if (has_header_) throw std::runtime_error("a second header");
      if (json.at("schema") != kRecordingSchema)
        throw std::runtime_error("the schema is not jade-recording-1");
      recording_.info.engine = json.at("engine").get<std::string>();
      recording_.info.version = json.value("version", "");
      recording_.info.scheme = scheme_named(json.value("scheme", "other"));
      const Json settings = json.value("settings", Json::object());
      for (const auto& [key, value] : settings.items()) {
        recording_.info.settings.emplace_back(key,
                                              value.is_string() ? value.get<std::string>() : value.dump());
      }
      recording_.bodies = json.at("bodies").get<std::vector<std::string>>();
      if (recording_.bodies != expected_bodies_)
        throw std::runtime_error("its bodies are not those of the scene");
      has_header_ = true;
    } else if (type == "frame") {
      if (!has_header_) throw std::runtime_error("a frame before the header");
      Frame frame = frame_from(json);
      if (frame.bodies.size() != expected_bodies_.size() ||
          (!frame.joints.empty() && frame.joints.size() != expected_bodies_.size())) {
        throw std::runtime_error(
            fmt::format("a frame of {} bodies, not {}", frame.bodies.size(), expected_bodies_.size()));
      }
      recording_.frames.push_back(std::move(frame));
    } else if (type == "end") {
      const std::string status = json.at("status").get<std::string>();
      recording_.reason = json.value("reason", "");
      if (status == "not_applicable") {
        recording_.status = RunStatus::not_applicable;
      } else if (status == "error") {
        recording_.status = RunStatus::error;
      } else if (status == "done") {
        if (!has_header_) throw std::runtime_error("done without a header");
        recording_.wall_seconds = number(json.value("wall_seconds", Json(nullptr)));
        recording_.lost_time = number(json.value("lost_time", Json(0)));
      } else {
        throw std::runtime_error("unknown status \"" + status + "\"");
      }
      ended_ = true;
    } else {
      throw std::runtime_error("unknown type \"" + type + "\"");
    }
  } catch (const std::exception& error) {
    fail(error.what());
  }
  return !ended_;
}

Recording RecordingReader::finish() && {
  if (!ended_) {
    ++lines_;
    fail("it stopped without an end line");
  }
  return std::move(recording_);
}

}  // namespace jade::reference
