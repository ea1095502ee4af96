#pragma once

#include <memory>
#include <vector>

#include <mujoco/mujoco.h>

#include "step_scenes.h"

namespace jade::benchmarks {

/// A scene of the step benchmarks in MuJoCo, with the settings that it comes with.
struct MujocoScene {
  explicit MujocoScene(const StepScene& scene);

  struct Free {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  std::unique_ptr<mjModel, Free> model;
  std::unique_ptr<mjData, Free> data;
  std::vector<int> bodies;  ///< MuJoCo's numbers of the scene's bodies
};

}  // namespace jade::benchmarks
