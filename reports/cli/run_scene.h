#pragma once

#include <string>
#include <vector>

namespace jade::cli {

/// What `jade run --scene FILE` is told.
struct SceneArguments {
  std::string file;
  std::vector<std::string> engines, commands;
  double h = 0.01, duration = 0, timeout = 120, spacing = 0.02;
  int steps = 0;  ///< 0: as many as `duration` asks for, or 100
  int record_every = 1;
  std::string out;
  bool separate = false, json = false;
};

/// Returns the exit code.
int run_scene(const SceneArguments& arguments);

}  // namespace jade::cli
