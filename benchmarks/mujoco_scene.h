#pragma once

#include <memory>
#include <vector>

#include <mujoco/mujoco.h>

#include "jade/model/model.h"
#include "step_scenes.h"

namespace jade::benchmarks {

/// What a scene is asked for besides the settings that MuJoCo comes with.
struct MujocoExtras {
  double margin = 0;    ///< geoms that are nearer than this are in contact [m]
  bool motors = false;  ///< one of gear 1 for every velocity, so that there are derivatives by efforts
};

/// A scene of the step benchmarks in MuJoCo.
struct MujocoScene {
  explicit MujocoScene(const StepScene& scene, const MujocoExtras& extras = {});
  /// Moves to a state of ours. Free bodies of these scenes have their centres of mass at their origins.
  void set_state(const Model& ours, const State& state);

  struct Free {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  std::unique_ptr<mjModel, Free> model;
  std::unique_ptr<mjData, Free> data;
  std::vector<int> bodies;  ///< MuJoCo's numbers of the scene's bodies
};

}  // namespace jade::benchmarks
