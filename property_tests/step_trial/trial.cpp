#include "step_trial/trial.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "jade/dynamics/energy.h"
#include "reference/judge/judge.h"
#include "step_trial/step_path.h"

namespace jade::step_trial {
namespace {

// Every impulse rounds the momenta that it moves, and there are hundreds in a step.
constexpr double kMomentumRounding = 1e-10;

bool everything_is_free(const SceneDescription& scene) {
  return std::all_of(scene.bodies.begin(), scene.bodies.end(),
                     [](const BodyDescription& body) { return body.joint.kind == JointKind::free; });
}

/// Work of this thread, whoever else is busy [s].
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class Trier {
 public:
  Trier(const generators::World& world, const TrialSettings& settings)
      : world_(world),
        settings_(settings),
        model_(build_model(world.scene)),
        workspace_(model_),
        judge_(model_.scene()),
        path_(model_),
        dynamics_(model_),
        state_(initial_state(model_)),
        keeps_momentum_(everything_is_free(world.scene) && world.scene.gravity.isZero(0)) {
    settings_.step.keep_path = settings.spacing > 0;
    for (const Body& body : model_.bodies()) mass_ += body.inertia.mass;
  }

  Trial run() {
    const double begin = thread_seconds();
    trial_.before = state_;
    body_poses(model_, state_.q, dynamics_, X_WB_);
    if (!is_clear(0)) trial_.fault = Fault::starts_overlapping;
    while (trial_.steps < settings_.steps && !trial_.failed()) {
      trial_.stopped = settings_.stop && *settings_.stop;
      if (trial_.stopped) break;
      make_step();
      if (trial_.failed()) break;
      const double seconds = thread_seconds() - begin;
      if (seconds > settings_.seconds && trial_.steps < settings_.steps)
        fail(Fault::too_slow, fmt::format("{} steps took {:.1f} s", trial_.steps, seconds));
    }
    return trial_;
  }

 private:
  void fail(Fault fault, const std::string& what) {
    trial_.fault = fault;
    trial_.what = what;
  }

  /// Judges the poses at hand, `time` into the step.
  bool is_clear(double time) {
    const judge::Judgement judgement = judge_.worst(X_WB_);
    ++trial_.states;
    if (judgement.worst >= 0)
      trial_.clearance =
          std::min(trial_.clearance, judgement.pairs[judgement.worst].measured.separation.lower);
    if (judgement.is_clear()) return true;
    std::string what = fmt::format("step {}, {:.6g} s into it: ", trial_.steps, time);
    if (judgement.not_finite >= 0) {
      what += fmt::format("the pose of {} is not finite", model_.bodies()[judgement.not_finite].name);
    } else {
      const judge::PairJudgement& pair = judgement.pairs[judgement.worst];
      what +=
          fmt::format("{} and {} {}, by up to {:.3g} m", model_.bodies()[pair.body_a].name,
                      model_.bodies()[pair.body_b].name,
                      pair.measured.relation == judge::Relation::contained ? "contain each other" : "overlap",
                      -pair.measured.separation.lower);
    }
    fail(Fault::intersects, what);
    return false;
  }

  void make_step() {
    const State& before = trial_.before = state_;
    std::vector<PathPiece> pieces;
    try {
      StepResult result =
          step(model_, state_, memory_, controls_at(model_, trial_.steps * world_.h, world_.h), world_.h,
               settings_.step, workspace_);
      state_ = std::move(result.next);
      memory_ = std::move(result.memory);
      pieces = std::move(result.path);
      count(result.report);
    } catch (const StepError& error) {
      return fail(Fault::throws, fmt::format("step {}: {}", trial_.steps, error.what()));
    }
    judge_motion(before, std::move(pieces));
    if (!trial_.failed()) check_energy(before);
    if (!trial_.failed() && keeps_momentum_) check_momentum(before);
    ++trial_.steps;
  }

  void count(const StepReport& report) {
    trial_.lost_time += report.lost_time;
    trial_.steps_with_loss += report.lost_time > 0;
    trial_.unsolved += report.unsolved;
    trial_.most_substeps = std::max(trial_.most_substeps, report.substeps);
    trial_.substeps += report.substeps;
  }

  void judge_motion(const State& before, std::vector<PathPiece> pieces) {
    if (settings_.spacing > 0) {
      path_.follow(before, std::move(pieces), world_.h);
      for (const double t : path_.times(settings_.spacing)) {
        path_.poses(t, X_WB_);
        if (!is_clear(t)) return;
      }
    }
    body_poses(model_, state_.q, dynamics_, X_WB_);
    is_clear(world_.h);
  }

  void check_energy(const State& before) {
    // Lifting everything to the standoff, and the speed of doing so within a step.
    const double delta = settings_.step.standoff;
    const double push_out = mass_ * (model_.gravity().norm() * delta + 0.5 * std::pow(delta / world_.h, 2));
    const double gained = energy(model_, state_) - energy(model_, before) - push_out;
    const double kinetic = std::max(kinetic_energy(model_, state_), kinetic_energy(model_, before));
    const double share = gained / std::max(1e-6, kinetic);
    trial_.energy_gain = std::max(trial_.energy_gain, share);
    if (share > settings_.energy_bound)
      fail(Fault::gains_energy,
           fmt::format("step {}: {:.3g} J more, {:.3g} of the kinetic energy", trial_.steps, gained, share));
  }

  void check_momentum(const State& before) {
    const Vec3 change = momentum(model_, state_).linear - momentum(model_, before).linear;
    double size = mass_;
    for (const Joint& joint : model_.joints()) {
      const double m = model_.bodies()[joint.body].inertia.mass;
      size += m * (before.v.segment<3>(joint.v).norm() + 0.2 * before.v.segment<3>(joint.v + 3).norm());
    }
    trial_.momentum_change = std::max(trial_.momentum_change, change.norm() / size);
    if (change.norm() > kMomentumRounding * size)
      fail(Fault::loses_momentum,
           fmt::format("step {}: {:.3g} kg m/s of {:.3g}", trial_.steps, change.norm(), size));
  }

  const generators::World& world_;
  TrialSettings settings_;
  Model model_;
  StepWorkspace workspace_;
  judge::Judge judge_;
  StepPath path_;
  DynamicsWorkspace dynamics_;
  State state_;
  StepMemory memory_;
  std::vector<Transform> X_WB_;
  bool keeps_momentum_;
  double mass_ = 0;
  Trial trial_;
};

}  // namespace

const char* name_of(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "none";
    case Fault::starts_overlapping:
      return "starts overlapping";
    case Fault::intersects:
      return "intersects";
    case Fault::throws:
      return "throws";
    case Fault::gains_energy:
      return "gains energy";
    case Fault::loses_momentum:
      return "loses momentum";
    case Fault::too_slow:
      return "too slow";
  }
  return "";
}

double energy(const Model& model, const State& state) {
  return kinetic_energy(model, state) + potential_energy(model, state.q);
}

Trial try_world(const generators::World& world, const TrialSettings& settings) {
  return Trier(world, settings).run();
}

}  // namespace jade::step_trial
