#pragma once

#include <string>
#include <string_view>

#include "reference/recording.h"
#include "reference/world.h"

namespace jade::reference {

/// How the suite talks to an engine in another process. Any program that speaks this can be measured.
///
/// In, on standard input until its end, one JSON object:
///   {"schema": "jade-request-1", "engine": "bullet", "scene": {…, see jade/model/scene_json.h},
///    "scene_folder": "", "time_step": 0.01, "steps": 100, "record_every": 1, "settings": {"iterations": "50"}}
///
/// Out, on standard output, one JSON object a line:
///   {"type": "header", "schema": "jade-recording-1", "engine": "bullet", "version": "3.24",
///    "scheme": "semi_implicit_euler", "settings": {"iterations": "50"}, "bodies": ["bob"]}
///   {"type": "frame", "time": 0.01, "bodies": [[px,py,pz, qw,qx,qy,qz, vx,vy,vz, wx,wy,wz]],
///    "joints": [{"q": [0.1], "v": [0]}]}                       "joints" may be left out
///   {"type": "end", "status": "done", "wall_seconds": 0.0012, "lost_time": 0}
///   {"type": "end", "status": "not_applicable", "reason": "no screw joints"}    instead, at any point
///   {"type": "end", "status": "error", "reason": "…"}                           likewise
/// Bodies are in the order of the scene: origin of the body frame, orientation w x y z, velocity of the centre
/// of mass, angular velocity, all in world axes. The first frame is the initial state; a number that is not
/// finite is null. "scheme" is how smooth motion is advanced: explicit_euler, semi_implicit_euler, midpoint or
/// other. "lost_time", which may be left out, are the body-seconds that the engine did not simulate. The exit code of a program that wrote an end line is not looked at.
/// Files under recordings/ of a report hold the same lines.

std::string request_json(const RunRequest& request);
/// Throws InvalidInput naming what is wrong.
RunRequest parse_request(const std::string& text);

std::string header_line(const EngineInfo& info, const std::vector<std::string>& bodies);
std::string frame_line(const Frame& frame);
std::string end_line(const RunEnd& end);

/// All lines of a recording, as an adapter would have written them.
std::string recording_lines(const Recording& recording);

/// Reads lines one by one into a recording. What is not the protocol makes the recording an error that says
/// which line and why; nothing throws.
class RecordingReader {
 public:
  /// `expected_bodies`: names every frame must have a state for.
  explicit RecordingReader(std::vector<std::string> expected_bodies);
  /// Returns false once the recording is over (end line or a mistake): further lines are not wanted.
  bool read_line(std::string_view line);
  bool ended() const { return ended_; }
  /// The recording so far; an error when there was no end line.
  Recording finish() &&;

 private:
  void fail(const std::string& problem);

  std::vector<std::string> expected_bodies_;
  Recording recording_;
  int lines_ = 0;
  bool has_header_ = false, ended_ = false;
};

}  // namespace jade::reference
