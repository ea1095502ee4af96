#pragma once

#include <vector>

#include "jade/dynamics/workspace.h"
#include "jade/stepping/step.h"

namespace jade::step_trial {

/// The motion within one step, from the parts that the step hands out: where every body is at any time of it.
class StepPath {
 public:
  explicit StepPath(const Model& model);

  /// Takes over the motion of a step that was made with `keep_path` from `start` for h seconds.
  void follow(const State& start, std::vector<PathPiece> pieces, double h);

  /// Times at which to look at the motion, ascending, the end of the step last: the ends of all parts, and as many
  /// between them that no coordinate goes farther than `spacing` [m, rad] from one to the next, a thousand at most.
  const std::vector<double>& times(double spacing);

  /// Coordinates at a time of the step.
  const VecX& coordinates(double t);
  /// The pose of every body at a time of the step.
  void poses(double t, std::vector<Transform>& X_WB);

 private:
  const PathPiece& piece_at(int tree, double t) const;

  const Model& model_;
  DynamicsWorkspace work_;
  VecX start_, q_, d_;
  std::vector<PathPiece> pieces_;
  std::vector<std::size_t> first_;  ///< per tree: its first piece; one more at the end
  std::vector<double> ends_, times_;
  double h_ = 0;
};

/// The pose of every body of the scene.
void body_poses(const Model& model, const VecX& q, DynamicsWorkspace& work, std::vector<Transform>& X_WB);

}  // namespace jade::step_trial
