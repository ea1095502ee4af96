#pragma once

#include <string>
#include <utility>
#include <vector>

#include "jade/math/types.h"

namespace jade::reference {

/// One body at one instant, in words that every engine can say. World axes throughout.
struct BodyState {
  Vec3 position = Vec3::Zero();          ///< p_WB: origin of the body frame [m]
  Quat orientation = Quat::Identity();   ///< R_WB
  Vec3 velocity = Vec3::Zero();          ///< of the centre of mass [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< [rad/s]
};

/// Joint coordinates where the engine has them, laid out as in JointDescription; empty where it has not.
struct JointState {
  std::vector<double> q, v;
};

struct Frame {
  double time = 0;
  std::vector<BodyState> bodies;   ///< in the order of the scene
  std::vector<JointState> joints;  ///< same order, or empty: the engine knows no joint coordinates
};

/// How an engine advances smooth motion. A case judges discretisation error by it: what is excellent for a
/// first-order scheme is a failure of a second-order one.
enum class Scheme { explicit_euler, semi_implicit_euler, midpoint, other };

const char* name_of(Scheme scheme);
/// Unknown names are `other`: judged like the second-order default.
Scheme scheme_named(const std::string& name);

/// Who made a recording, and with which numbers: without them a comparison of engines means little.
struct EngineInfo {
  std::string engine;   ///< `bullet:multibody`
  std::string version;  ///< `3.24`
  Scheme scheme = Scheme::other;
  std::vector<std::pair<std::string, std::string>> settings;  ///< in the order the engine gives them
};

enum class RunStatus {
  done,
  not_applicable,  ///< the engine cannot express something of the scene, and says what
  error,           ///< it tried and did not finish, or what it said was no recording
};

/// What an engine made of a scene. Frame 0 is the initial state; with `record_every` n every n-th step follows.
struct Recording {
  EngineInfo info;
  std::vector<std::string> bodies;  ///< names, in the order of the scene
  std::vector<Frame> frames;
  RunStatus status = RunStatus::done;
  std::string reason;       ///< of not_applicable and error
  double wall_seconds = 0;  ///< spent stepping: no start-up, no recording
  double lost_time = 0;     ///< body-seconds that the engine says it did not simulate
};

}  // namespace jade::reference
