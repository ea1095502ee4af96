#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "jade/gradients/rollout.h"

namespace jade {

/// All that a trajectory follows from. Where `controls` is empty the scene's own signals act.
struct Experiment {
  Model model;
  State start;
  std::vector<Controls> controls;  ///< one for each step, or none
  RolloutSettings settings;
  StepMemory memory;  ///< what the step before the start told
};

/// The scene from its own start under its own signals.
Experiment make_experiment(const SceneDescription& scene, const RolloutSettings& settings);

/// One number that a trajectory depends on. Positions are moved along tangent coordinates, q ⊕ d.
struct Variable {
  enum class Kind { position, velocity, effort, parameter };
  Kind kind = Kind::velocity;
  int coordinate = 0;     ///< of position, velocity and effort: index of a velocity coordinate
  int step = -1;          ///< of effort: in this step; −1: in all steps alike
  ParameterId parameter;  ///< of parameter
};
Variable position_of(int coordinate);
Variable velocity_of(int coordinate);
Variable effort_of(int coordinate, int step = -1);
Variable parameter_of(const ParameterId& id);

/// Index of a velocity coordinate: number `component` of the joint of a body. Throws InvalidInput for unknown ones.
int coordinate_of(const Model& model, const std::string& body, int component);

/// For people: `position "ball" [2]`, `effort "arm" [0] in step 3`, `friction of "a"/"b"`.
std::string name_of(const Model& model, const Variable& variable);

/// How large a change of this variable is noticeable: the size of a parameter, 1 where that is zero and elsewhere.
double scale_of(const Experiment& experiment, const Variable& variable);

/// The experiment with each variable changed by d. Throws InvalidInput where a parameter leaves its range.
Experiment moved(const Experiment& experiment, std::span<const Variable> variables, const VecX& d);

/// A trajectory's gradient by the given variables; `parameters_in(variables)` is what it must have been asked for.
VecX gradient_by(std::span<const Variable> variables, const RolloutGradient& gradient);
std::vector<ParameterId> parameters_in(std::span<const Variable> variables);

/// Numbers that are read off a trajectory, and how each depends on it directly.
struct Outcome {
  std::vector<std::string> names;
  std::function<VecX(const Experiment&, const Rollout&)> value;
  std::function<RolloutCotangents(const Experiment&, const Rollout&, int number)> cotangents;
};

/// A coordinate of the state after `step` steps (−1: at the end). Positions: joints of one coordinate, and the reference
/// point of a free joint; an orientation is not one number and is refused.
struct Reading {
  bool velocity = false;
  int coordinate = 0;
  int step = -1;
};
Outcome readings(const Model& model, const std::vector<Reading>& list);

/// Runs experiments and differentiates them, keeping the workspaces of a model as long as it stays the same.
class Laboratory {
 public:
  explicit Laboratory(const Experiment& experiment);
  ~Laboratory();

  /// The outcome of the experiment moved by d along the variables.
  VecX value(const Outcome& outcome, std::span<const Variable> variables, const VecX& d);

  struct Derivative {
    VecX value;             ///< m
    MatX jacobian;          ///< m × variables, by m reverse sweeps
    Regularity regularity;  ///< the worst of them
    RolloutReport report;
  };
  Derivative differentiate(const Outcome& outcome, std::span<const Variable> variables, const VecX& d);

  const Experiment& experiment() const { return base_; }

 private:
  struct Bench;
  /// The workspaces for this model: those at hand unless a parameter of the model was moved.
  Bench& bench_for(const Experiment& run, bool same_model);

  Experiment base_;
  std::unique_ptr<Bench> base_bench_, other_bench_;
};

}  // namespace jade
