/// How the cost of a step grows with the number of bodies that have nothing to do with each other.

#include <fmt/core.h>

#include "interleaved.h"
#include "jade_step_world.h"
#include "step_scenes.h"

namespace jade::benchmarks {
namespace {

/// All sizes in one comparison, so that they see the same phases of the machine; times are per pair.
std::vector<ComparisonResult> measure(const TimingSettings& settings) {
  Comparison growth("separate pairs of cubes, a step, per pair", settings);
  const std::vector<int> sizes{128, 8, 16, 32, 64};
  std::vector<std::unique_ptr<JadeStepWorld>> worlds;
  for (const int pairs : sizes) {
    const StepScene scene = separate_pairs(pairs);
    worlds.push_back(std::make_unique<JadeStepWorld>(scene.scene, scene.time_step));
    growth.add(fmt::format("{} pairs", pairs), [world = worlds.back().get()] { world->step(); });
  }
  ComparisonResult result = growth.run();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    result.timings[i].minimum /= sizes[i];
    result.timings[i].tenth /= sizes[i];
  }
  return {result};
}

}  // namespace
}  // namespace jade::benchmarks

int main(int argc, char** argv) {
  return jade::benchmarks::benchmark_main(argc, argv, "Steps of bodies that are far from each other",
                                          jade::benchmarks::measure);
}
