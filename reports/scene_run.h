#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "jade/model/scene_meshes.h"
#include "reference/engines.h"

namespace jade::reports {

/// A scene of the user's own: no expectations, so what is reported is what holds for every scene.
struct SceneRunRequest {
  SceneDescription scene;
  double time_step = 0.01;
  int steps = 100;
  int record_every = 1;
  double spacing = 0.02;  ///< between states judged within steps of ours [m, rad]; 0: frames only
  bool separate = false;  ///< move what touches at the start to the standoff, for every engine
};

/// What one engine made of it, measured from its recording by the judge and by the masses of the scene.
struct SceneResult {
  std::string engine;
  bool ours = false;
  reference::Recording recording;

  bool can_meet = false;  ///< the scene has shapes that can touch; otherwise the next four say nothing
  double clearance =
      std::numeric_limits<double>::infinity();  ///< smallest of all frames; below zero: overlap [m]
  double clearance_time = 0;
  std::string nearest;  ///< the pair of bodies that came so near
  int overlapping_frames = 0;

  long long states_within = 0;  ///< of the motion between frames that were judged, ours only
  std::string fault_within;     ///< the first thing found wrong there; empty: nothing
  int not_finite = 0;           ///< frames with a pose that is no number

  /// Kinetic, gravitational and spring energy of the first, the last and the richest frame [J]; nothing where it cannot
  /// be told from poses.
  struct Energy {
    double first = 0, last = 0, most = 0;
  };
  std::optional<Energy> energy;

  /// Recorded to the end, nothing overlapped, no time was lost.
  bool sound() const;
  /// One line: `sound`, or what is wrong.
  std::string verdict() const;
};

struct SceneRun {
  SceneRunRequest request;               ///< with all meshes in place
  std::vector<MeshChange> mesh_changes;  ///< by repairs that the scene asked for
  /// What was moved because it was asked to separate.
  struct Separated {
    std::size_t pairs = 0;
    double farthest = 0;  ///< that any point was moved [m]
  } separated;
  std::vector<SceneResult> results;  ///< in the order of the engines
};

/// Throws InvalidInput listing every mistake of the scene or the request. What an engine does wrong is in its result.
[[nodiscard]] SceneRun run_scene(const SceneRunRequest& request,
                                 const std::vector<reference::Engine>& engines,
                                 const std::function<void(const SceneResult&)>& on_result = {});

/// Whether an engine of ours is not sound where it can express the scene.
bool ours_failed(const SceneRun& run);

std::string scene_table(const SceneRun& run);   ///< for a terminal
std::string scene_json(const SceneRun& run);    ///< schema jade-scene-run-1
std::string scene_report(const SceneRun& run);  ///< Markdown

/// Writes scene.json, results.json, report.md and recordings/ENGINE.jsonl, each whole or not at all.
void write_scene_run(const SceneRun& run, const std::string& folder);

}  // namespace jade::reports
