#pragma once

#include <string>
#include <utility>
#include <vector>

#include "jade/gradients/step_gradient.h"
#include "jade/stepping/step_simulation.h"

namespace jade::step_tests {

/// For tests: several steps and the product of their Jacobians.
struct Chain {
  explicit Chain(const SceneDescription& scene, int steps = 0, double h = 0.01, StepSettings chosen = {})
      : model(build_model(scene)), workspace(model), gradients(model), settings(chosen) {
    parameters = parameters_of(model);
    start = state = initial_state(model);
    const int nv = model.nv();
    by_state = MatX::Identity(2 * nv, 2 * nv);
    by_effort = MatX::Zero(2 * nv, nv);
    by_parameters = MatX::Zero(2 * nv, static_cast<long>(parameters.size()));
    effort = VecX::Zero(nv);
    advance(steps, h);
  }

  void advance(int steps, double h) {
    StepJacobian jacobian;
    for (int i = 0; i < steps; ++i) {
      StepResult result =
          step(model, state, memory, {effort, VecX::Zero(model.nv())}, h, settings, workspace, &trace);
      step_jacobian(model, trace, parameters, gradients, jacobian);
      regularity.merge(jacobian.regularity);
      by_state = (jacobian.state * by_state).eval();
      by_effort = (jacobian.state * by_effort + jacobian.effort).eval();
      by_parameters = (jacobian.state * by_parameters + jacobian.parameters).eval();
      state = std::move(result.next);
      memory = std::move(result.memory);
    }
  }

  int column(const ParameterId& id) const {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i] == id) return static_cast<int>(i);
    return -1;
  }
  int velocity(const std::string& name) const {
    return model.joints()[static_cast<std::size_t>(model.body_named(name))].v;
  }

  Model model;
  StepWorkspace workspace;
  GradientWorkspace gradients;
  StepSettings settings;
  std::vector<ParameterId> parameters;
  State start, state;
  StepMemory memory;
  StepTrace trace;
  VecX effort;
  MatX by_state, by_effort, by_parameters;
  Regularity regularity;
};

}  // namespace jade::step_tests
