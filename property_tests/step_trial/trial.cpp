#include "step_trial/trial.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "jade/dynamics/energy.h"
#include "jade/dynamics/kinematics.h"

namespace jade::step_trial {

void body_poses(const Model& model, const VecX& q, DynamicsWorkspace& work, std::vector<Transform>& X_WB) {
  update_positions(model, q, work);
  X_WB.resize(model.bodies().size());
  for (std::size_t i = 0; i < X_WB.size(); ++i) {
    const Body& body = model.bodies()[i];
    if (body.link < 0) {
      X_WB[i] = body.X_LB;
      continue;
    }
    const int tree = model.links()[body.link].tree;
    X_WB[i] = Transform{work.R[body.link], work.origin[tree] + work.r[body.link]} * body.X_LB;
  }
}

double energy(const Model& model, const State& state) {
  return kinetic_energy(model, state) + potential_energy(model, state.q);
}

namespace {

void judge_state(judge::Judge& judge, const Model& model, const std::vector<Transform>& X_WB, Trial& trial) {
  const judge::Judgement judgement = judge.worst(X_WB);
  ++trial.states;
  if (judgement.worst >= 0)
    trial.clearance = std::min(trial.clearance, judgement.pairs[judgement.worst].measured.separation.lower);
  if (judgement.is_clear()) return;
  ++trial.intersections;
  if (!trial.worst.empty()) return;
  if (judgement.not_finite >= 0) {
    trial.worst = fmt::format("step {}: pose of {} is not finite", trial.steps,
                              model.bodies()[judgement.not_finite].name);
    return;
  }
  const judge::PairJudgement& pair = judgement.pairs[judgement.worst];
  trial.worst = fmt::format("step {}: {} and {}", trial.steps, model.bodies()[pair.body_a].name,
                            model.bodies()[pair.body_b].name);
}

}  // namespace

Trial try_world(const generators::World& world, const TrialSettings& settings) {
  Trial trial;
  const Model model = build_model(world.scene);
  StepWorkspace workspace(model);
  DynamicsWorkspace dynamics(model);
  judge::Judge judge(world.scene);
  std::vector<Transform> X_WB;
  State state = initial_state(model);
  StepMemory memory;
  body_poses(model, state.q, dynamics, X_WB);
  judge_state(judge, model, X_WB, trial);
  double before = energy(model, state);
  // Lifting everything to the standoff, and the speed of doing so within a step.
  double push_out = 0;
  for (const Body& body : model.bodies())
    push_out += body.inertia.mass * (model.gravity().norm() * settings.step.standoff +
                                     0.5 * std::pow(settings.step.standoff / world.h, 2));
  while (trial.steps < settings.steps && !trial.failed()) {
    try {
      StepResult result = step(model, state, memory, controls_at(model, trial.steps * world.h, world.h),
                               world.h, settings.step, workspace);
      state = std::move(result.next);
      memory = std::move(result.memory);
      trial.lost_time += result.report.lost_time;
      trial.unsolved += result.report.unsolved;
      trial.most_substeps = std::max(trial.most_substeps, result.report.substeps);
      trial.substeps += result.report.substeps;
    } catch (const StepError& error) {
      trial.error = fmt::format("step {}: {}", trial.steps, error.what());
      break;
    }
    const double after = energy(model, state);
    const double gain = (after - before - push_out) / std::max(1e-6, kinetic_energy(model, state));
    if (gain > trial.energy_gain) {
      trial.energy_gain = gain;
      trial.gaining_step = trial.steps;
    }
    before = after;
    ++trial.steps;
    body_poses(model, state.q, dynamics, X_WB);
    judge_state(judge, model, X_WB, trial);
  }
  return trial;
}

}  // namespace jade::step_trial
