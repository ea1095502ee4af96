#pragma once

#include "jade/stepping/step.h"
#include "reference/world.h"

namespace jade::benchmarks {

/// Our side of the step benchmarks: `step` with everything kept from step to step.
class JadeStepWorld final : public reference::World {
 public:
  JadeStepWorld(const SceneDescription& scene, double time_step)
      : model_(build_model(scene)),
        workspace_(model_),
        controls_{VecX::Zero(model_.nv()), VecX::Zero(model_.nv())},
        h_(time_step) {
    result_.next = initial_state(model_);
  }

  reference::EngineInfo info() const override { return {.engine = "jade"}; }

  void step() override {
    jade::step(model_, result_.next, result_.memory, controls_, h_, settings_, workspace_, result_);
    ++steps_;
    substeps_ += result_.report.substeps;
    if (result_.report.lost_time > 0) throw std::runtime_error("a motion could not be certified");
  }

  reference::Frame frame() const override;

  /// Since the last frame.
  double substeps_a_step() const { return steps_ == 0 ? 0 : static_cast<double>(substeps_) / steps_; }
  const StepResult& result() const { return result_; }

 private:
  Model model_;
  StepWorkspace workspace_;
  Controls controls_;
  StepSettings settings_;
  double h_;
  StepResult result_;
  mutable long steps_ = 0, substeps_ = 0;
};

}  // namespace jade::benchmarks
