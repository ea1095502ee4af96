/// Steps beside DART with the settings that it comes with.

#include "step_dart_world.h"

int main(int argc, char** argv) {
  using namespace jade::benchmarks;
  return step_benchmark_main(argc, argv, "Steps beside DART",
                             {"DART as it comes: its own collision detector on a ground that is a box, "
                              "Dantzig's solver, semi-implicit Euler steps."},
                             {{"dart", [](const StepScene& scene) { return make_dart_world(scene); }}});
}
