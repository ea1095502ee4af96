#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "jade/model/scene_description.h"
#include "reference/recording.h"

namespace jade::reference {

/// Thrown while a world is built from a scene that its engine cannot express. Says what, in words for a report.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Everything an engine is told. The scene holds the initial state and the controls.
struct RunRequest {
  std::string engine;  ///< an adapter may serve several: `bullet`, `bullet:multibody`
  SceneDescription scene;
  double time_step = 0.01;  ///< [s], > 0
  int steps = 100;
  int record_every = 1;                         ///< steps between frames, ≥ 1
  std::map<std::string, std::string> settings;  ///< engine-specific; an unknown one is an error
};

/// One simulation in one engine. Built at the scene's initial state.
class World {
 public:
  virtual ~World() = default;
  virtual EngineInfo info() const = 0;
  /// Advances by the request's time step. Throws std::runtime_error when it cannot go on.
  virtual void step() = 0;
  /// The bodies (and joints, if known) now; `time` is filled in by the caller.
  virtual Frame frame() const = 0;
  /// Body-seconds of all steps so far in which bodies stood still because the engine could not move them.
  virtual double lost_time() const { return 0; }
};

/// Builds a world for `request.engine`; throws NotApplicable, or InvalidInput for a scene with mistakes.
using WorldFactory = std::function<std::unique_ptr<World>(const RunRequest& request)>;

/// Called with each frame as it is made, so that an adapter can stream them.
struct RecordingSink {
  std::function<void(const EngineInfo&, const std::vector<std::string>& bodies)> on_header;
  std::function<void(const Frame&)> on_frame;
};

/// How a run ended.
struct RunEnd {
  RunStatus status = RunStatus::done;
  std::string reason;
  double wall_seconds = 0;
  double lost_time = 0;
};

/// Builds the world, steps it and hands the frames out. Never throws for what a scene or an engine does wrong:
/// that is the status. Time is step × h, not a sum, so that it carries one rounding only.
[[nodiscard]] RunEnd run_world(const WorldFactory& factory, const RunRequest& request,
                               const RecordingSink& sink);

/// The same, collected.
[[nodiscard]] Recording record(const WorldFactory& factory, const RunRequest& request);

}  // namespace jade::reference
