#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interleaved.h"
#include "reference/world.h"
#include "step_scenes.h"

namespace jade::benchmarks {

/// A peer engine in a step benchmark; `settings` says in words what its numbers were made with.
struct StepPeer {
  std::string name;
  std::function<std::unique_ptr<reference::World>(const StepScene&)> make;
};

/// What one engine made of one scene, and how long its steps took.
struct StepScore {
  std::string scene, engine;
  double minimum = 0, tenth = 0;  ///< seconds a step
  double ratio = 0;               ///< ours over theirs, by minima in this process
  double drift = 0;               ///< farthest way of a body's origin [m]
  double overlap = 0;             ///< deepest in any judged state of the run [m]
  std::optional<bool> stands;     ///< where there is something that can fall
  double substeps = 0;            ///< a step while timed; ours only
  std::string problem;            ///< why the engine did not finish; empty when it did
};

/// Runs a scene on our engine and on the peers: first a judged run each, then batches in turn. Ours comes first.
std::vector<StepScore> step_contest(const StepScene& scene, const std::vector<StepPeer>& peers,
                                    const TimingSettings& settings);

/// The command line of all step benchmarks: [--json FILE] [--quick] [--scene TEXT] [--help]. `title` goes on the table,
/// `notes` say what the peers' settings were. Exit codes as benchmark_main.
int step_benchmark_main(int argc, char** argv, const std::string& title,
                        const std::vector<std::string>& notes, const std::vector<StepPeer>& peers);

}  // namespace jade::benchmarks
