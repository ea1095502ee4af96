#pragma once

#include <vector>

#include "jade/model/scene_description.h"

namespace jade::benchmarks {

/// A scene whose steps are timed. Its words are few, so that every peer can say them: a half-space and fixed boxes, free
/// bodies of one box, and chains of hinges with spheres; one material.
struct StepScene {
  SceneDescription scene;
  double time_step = 0.01;
  int steps = 0;       ///< of a run that is judged: overlap, drift
  int drift_from = 0;  ///< drift is measured from this step of the run to its end
  /// Where the scene comes to rest the steps after the run are timed; else those of the run itself, begun anew for
  /// every batch.
  bool rests = false;
  double falls_at = 0;  ///< drift at which a body no longer stands where it was put [m]; 0: nothing to fall
};

StepScene sliding_box();
StepScene pushed_cubes();
StepScene stack_of_ten();
/// Seven hinges with springs that press a hand of twelve small balls on the ground.
StepScene arm_on_twelve_contacts();
/// A hundred boxes that fell into a bin, turned at random.
StepScene hundred_boxes();
/// Cubes standing in pairs, one on the other, far from the next pair.
StepScene separate_pairs(int pairs);

std::vector<StepScene> step_scenes();

}  // namespace jade::benchmarks
