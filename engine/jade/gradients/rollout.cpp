#include "jade/gradients/rollout.h"

#include <algorithm>

#include <fmt/format.h>

namespace jade {
namespace {

std::size_t bytes_of(const StepMemory& memory) {
  return sizeof(StepMemory) + memory.contacts.size() * sizeof(StepMemory::Contact) +
         memory.limits.size() * sizeof(StepMemory::Limit) + memory.pairs.size() * sizeof(StepMemory::Pair);
}

template <class Kept>
std::size_t bytes_of_all(const Kept& kept) {
  std::size_t sum = 0;
  for (const auto& one : kept) {
    if constexpr (requires { one.bytes(); }) {
      sum += one.bytes();
    } else {
      sum += bytes_of(one);
    }
  }
  return sum;
}

/// The last traces that fit into a bound; one always does.
class TraceWindow {
 public:
  explicit TraceWindow(std::size_t bound) : bound_(bound) {}

  void push(StepTrace trace) {
    bytes_ += trace.bytes();
    traces.push_back(std::move(trace));
    shrink(bound_);
  }
  void pop_back() {
    bytes_ -= traces.back().bytes();
    traces.pop_back();
  }
  /// From now on no more than this; false when something had to go.
  bool shrink(std::size_t bound) {
    bound_ = bound;
    bool whole = true;
    for (; bytes_ > bound_ && traces.size() > 1; whole = false) {
      bytes_ -= traces.front().bytes();
      traces.pop_front();
    }
    return whole;
  }
  std::size_t bytes() const { return bytes_; }

  std::deque<StepTrace> traces;

 private:
  std::size_t bound_, bytes_ = 0;
};

/// Writes the tape of a trajectory within its bound: a quarter for checkpoints, the rest for traces as long as all of
/// them fit; from then on half of it, the other half being for the replay.
class TapeWriter {
 public:
  TapeWriter(Rollout& rollout, std::size_t bound)
      : rollout_(rollout), bound_(bound), window_(bound - bound / 4) {}

  void before_step(int i, const StepMemory& memory) {
    if (i % rollout_.spacing != 0) return;
    rollout_.checkpoints.push_back(memory);
    checkpoint_bytes_ += bytes_of(memory);
    while (checkpoint_bytes_ > bound_ / 4 && rollout_.checkpoints.size() > 1) keep_every_second();
  }

  void after_step(StepTrace trace) {
    window_.push(std::move(trace));
    const std::size_t made = static_cast<std::size_t>(++steps_);
    if (whole_ && window_.traces.size() < made) {
      whole_ = false;
      window_.shrink((bound_ - bound_ / 4) / 2);
    }
  }

  void finish() { rollout_.traces = std::move(window_.traces); }

 private:
  void keep_every_second() {
    std::vector<StepMemory> kept;
    for (std::size_t i = 0; i < rollout_.checkpoints.size(); i += 2)
      kept.push_back(std::move(rollout_.checkpoints[i]));
    rollout_.checkpoints = std::move(kept);
    rollout_.spacing *= 2;
    checkpoint_bytes_ = bytes_of_all(rollout_.checkpoints);
  }

  Rollout& rollout_;
  std::size_t bound_, checkpoint_bytes_ = 0;
  TraceWindow window_;
  int steps_ = 0;
  bool whole_ = true;
};

void merge(RolloutReport& report, const StepReport& step) {
  report.smallest_clearance = std::min(report.smallest_clearance, step.smallest_clearance);
  report.lost_time += step.lost_time;
  report.unsolved += step.unsolved;
  report.impacts += static_cast<int>(step.impacts.size());
  report.most_substeps = std::max(report.most_substeps, step.substeps);
}

void require(bool fine, const std::string& place, const std::string& problem, const std::string& remedy) {
  if (!fine) throw InvalidInput("rollout", {{place, problem, remedy}});
}

/// Goes back through a trajectory, step by step.
class ReverseSweep {
 public:
  ReverseSweep(const Model& model, const Rollout& rollout, const RolloutCotangents& cotangents,
               const std::vector<ParameterId>& parameters, GradientWorkspace& workspace)
      : model_(model), cotangents_(cotangents), ids_(parameters), workspace_(workspace) {
    const int nv = model.nv();
    adjoint_ = {VecX::Zero(nv), VecX::Zero(nv)};
    gradient.effort.resize(rollout.controls.size());
    gradient.parameters = cotangents.parameters.size() > 0
                              ? cotangents.parameters
                              : VecX::Zero(static_cast<Eigen::Index>(parameters.size()));
    look_at_state(rollout.steps());
  }

  /// Through step i, whose trace this is.
  void pull(int i, const StepTrace& trace) {
    VecX& effort = gradient.effort[static_cast<std::size_t>(i)];
    effort = cotangents_.effort.empty() ? VecX::Zero(model_.nv())
                                        : cotangents_.effort[static_cast<std::size_t>(i)];
    // Steps that the loss does not depend on change nothing and are no kinks of it.
    if (!adjoint_.q.isZero(0) || !adjoint_.v.isZero(0)) {
      step_vjp(model_, trace, ids_, adjoint_, workspace_, back_);
      note(i, back_.regularity);
      adjoint_.q = back_.q;
      adjoint_.v = back_.v;
      effort += back_.effort;
      gradient.parameters += back_.parameters;
    }
    look_at_state(i);
  }

  void finish() {
    gradient.q0 = adjoint_.q;
    gradient.v0 = adjoint_.v;
  }

  RolloutGradient gradient;

 private:
  void look_at_state(int i) {
    const StepCotangent& direct = cotangents_.states[static_cast<std::size_t>(i)];
    if (direct.q.size() > 0) adjoint_.q += direct.q;
    if (direct.v.size() > 0) adjoint_.v += direct.v;
  }

  void note(int i, Regularity step) {
    if (!step.why.empty()) step.why = fmt::format("step {}: {}", i, step.why);
    gradient.regularity.merge(step);
  }

  const Model& model_;
  const RolloutCotangents& cotangents_;
  const std::vector<ParameterId>& ids_;
  GradientWorkspace& workspace_;
  StepCotangent adjoint_;
  StepPullback back_;
};

/// The steps [from, end) again from the checkpoint at `from`; the last traces that fit.
TraceWindow replay(const Model& model, const Rollout& rollout, int from, int end, StepWorkspace& workspace) {
  const RolloutSettings& settings = rollout.settings;
  TraceWindow window((settings.max_bytes - settings.max_bytes / 4) / 2);
  StepMemory memory = rollout.checkpoints[static_cast<std::size_t>(from / rollout.spacing)];
  for (int i = from; i < end; ++i) {
    const auto k = static_cast<std::size_t>(i);
    StepTrace trace;
    StepResult result = step(model, rollout.states[k], memory, rollout.controls[k], settings.h, settings.step,
                             workspace, &trace);
    memory = std::move(result.memory);
    window.push(std::move(trace));
  }
  return window;
}

void require_fitting(const Model& model, const Rollout& rollout, const RolloutCotangents& cotangents,
                     std::size_t parameters) {
  const std::size_t n = rollout.controls.size();
  require(cotangents.states.size() == n + 1, "cotangents of states",
          fmt::format("{} instead of {}", cotangents.states.size(), n + 1),
          "start from no_cotangents(rollout)");
  require(cotangents.effort.empty() || cotangents.effort.size() == n, "cotangents of effort",
          fmt::format("{} instead of {}", cotangents.effort.size(), n), "give one for each step, or none");
  require(cotangents.parameters.size() == 0 ||
              cotangents.parameters.size() == static_cast<Eigen::Index>(parameters),
          "cotangents of parameters",
          fmt::format("{} instead of {}", cotangents.parameters.size(), parameters),
          "give one for each parameter asked for, or none");
  for (const StepCotangent& one : cotangents.states)
    for (const VecX* part : {&one.q, &one.v})
      require(part->size() == 0 || (part->size() == model.nv() && part->allFinite()), "cotangents of states",
              "one has a wrong size or is not finite", fmt::format("give {} numbers or none", model.nv()));
}

}  // namespace

std::size_t Rollout::tape_bytes() const { return bytes_of_all(checkpoints) + bytes_of_all(traces); }

Rollout rollout(const Model& model, const State& x0, std::span<const Controls> controls,
                const RolloutSettings& settings, StepWorkspace& workspace, const StepMemory& memory) {
  require(settings.h > 0, "h", fmt::format("is {}", settings.h), "give a positive time step");
  require(settings.steps >= 0, "steps", fmt::format("is {}", settings.steps), "give at least 0");
  require(settings.checkpoint_every >= 1, "checkpoint_every", fmt::format("is {}", settings.checkpoint_every),
          "give at least 1");
  require(controls.empty() || controls.size() == static_cast<std::size_t>(settings.steps), "controls",
          fmt::format("{} for {} steps", controls.size(), settings.steps), "give one for each step, or none");

  Rollout result{.settings = settings, .memory = memory, .spacing = settings.checkpoint_every};
  result.states.push_back(x0);
  // Without recording the start is the only checkpoint.
  if (!settings.record) result.spacing = std::max(1, settings.steps);
  TapeWriter tape(result, settings.max_bytes);
  for (int i = 0; i < settings.steps; ++i) {
    result.controls.push_back(controls.empty() ? controls_at(model, i * settings.h, settings.h)
                                               : controls[static_cast<std::size_t>(i)]);
    tape.before_step(i, result.memory);
    StepTrace trace;
    StepResult next = step(model, result.states.back(), result.memory, result.controls.back(), settings.h,
                           settings.step, workspace, settings.record ? &trace : nullptr);
    if (settings.record) tape.after_step(std::move(trace));
    merge(result.report, next.report);
    result.states.push_back(std::move(next.next));
    result.memory = std::move(next.memory);
  }
  tape.finish();
  return result;
}

RolloutCotangents no_cotangents(const Rollout& rollout) {
  RolloutCotangents cotangents;
  cotangents.states.resize(rollout.states.size());
  return cotangents;
}

RolloutGradient rollout_gradient(const Model& model, const Rollout& rollout,
                                 const RolloutCotangents& cotangents,
                                 const std::vector<ParameterId>& parameters, StepWorkspace& steps,
                                 GradientWorkspace& gradients) {
  require_fitting(model, rollout, cotangents, parameters.size());
  ReverseSweep sweep(model, rollout, cotangents, parameters, gradients);
  const std::size_t kept = rollout.tape_bytes();
  sweep.gradient.most_bytes = kept;

  // The traces that were kept, then segment by segment those that are made again.
  int end = rollout.steps();
  for (auto trace = rollout.traces.rbegin(); trace != rollout.traces.rend(); ++trace)
    sweep.pull(--end, *trace);
  while (end > 0) {
    const int from = (end - 1) / rollout.spacing * rollout.spacing;
    TraceWindow window = replay(model, rollout, from, end, steps);
    sweep.gradient.replayed += end - from;
    sweep.gradient.most_bytes = std::max(sweep.gradient.most_bytes, kept + window.bytes());
    for (; !window.traces.empty(); window.pop_back()) sweep.pull(--end, window.traces.back());
  }
  sweep.finish();
  return std::move(sweep.gradient);
}

}  // namespace jade
