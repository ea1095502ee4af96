/// Gradients of steps and of trajectories: beside a step itself, our own differences and MuJoCo's.

#include <algorithm>

#include <fmt/format.h>

#include "interleaved.h"
#include "jade/dynamics/manifold.h"
#include "jade/gradients/rollout.h"
#include "mujoco_scene.h"

namespace jade::benchmarks {
namespace {

/// A scene as it is after some steps, and everything that can be asked of its next step.
class GradientWorld {
 public:
  GradientWorld(const StepScene& scene, int steps)
      : model_(build_model(scene.scene)),
        workspace_(model_),
        gradients_(model_),
        controls_{VecX::Zero(model_.nv()), VecX::Zero(model_.nv())},
        h_(scene.time_step),
        state_(initial_state(model_)) {
    for (int i = 0; i < steps; ++i) {
      StepResult next = jade::step(model_, state_, memory_, controls_, h_, {}, workspace_);
      state_ = std::move(next.next);
      memory_ = std::move(next.memory);
    }
    end_ = jade::step(model_, state_, memory_, controls_, h_, {}, workspace_, &trace_).next;
    cotangent_ = {VecX::Ones(model_.nv()), VecX::Ones(model_.nv())};
    differences_.resize(2 * model_.nv(), 3 * model_.nv());
  }

  void step() { (void)jade::step(model_, state_, memory_, controls_, h_, {}, workspace_); }
  void recorded_step() {
    trace_.clear();
    (void)jade::step(model_, state_, memory_, controls_, h_, {}, workspace_, &trace_);
  }
  const Model& model() const { return model_; }
  const State& state() const { return state_; }
  void jacobian() { step_jacobian(model_, trace_, {}, gradients_, jacobian_); }
  void product() { step_vjp(model_, trace_, {}, cotangent_, gradients_, back_); }

  /// One step for each of the 3 nv numbers q, v, τ; the undisturbed one is known.
  void differences() {
    const int nv = model_.nv();
    constexpr double kStep = 1e-7;
    for (int k = 0; k < 3 * nv; ++k) {
      State from = state_;
      Controls controls = controls_;
      const VecX d = kStep * VecX::Unit(nv, k % nv);
      if (k < nv) from.q = integrate(model_, state_.q, d);
      if (k >= nv && k < 2 * nv) from.v += d;
      if (k >= 2 * nv) controls.effort += d;
      const State to = jade::step(model_, from, memory_, controls, h_, {}, workspace_).next;
      differences_.col(k).head(nv) = difference(model_, end_.q, to.q) / kStep;
      differences_.col(k).tail(nv) = (to.v - end_.v) / kStep;
    }
  }

 private:
  Model model_;
  StepWorkspace workspace_;
  GradientWorkspace gradients_;
  Controls controls_;
  double h_;
  State state_, end_;
  StepMemory memory_;
  StepTrace trace_;
  StepJacobian jacobian_;
  StepCotangent cotangent_;
  StepPullback back_;
  MatX differences_;
};

void compare(const StepScene& scene, int steps, const TimingSettings& settings,
             std::vector<ComparisonResult>& results) {
  GradientWorld ours(scene, steps);
  // Both are asked at the same state, ours. There MuJoCo would see only what overlaps, and a hand that rests on its edge
  // would have three contacts instead of twelve: with a margin of a millimetre it has all that are rows of our problem.
  MujocoScene theirs(scene, {.margin = 1e-3, .motors = true});
  theirs.set_state(ours.model(), ours.state());
  mjModel* m = theirs.model.get();
  mjData* d = theirs.data.get();
  const int contacts = d->ncon, nv = m->nv;
  std::vector<mjtNum> A(static_cast<std::size_t>(4 * nv * nv)), B(static_cast<std::size_t>(2 * nv * nv));
  // A step begins where the differences do, with the same warm start.
  const std::vector<mjtNum> q(d->qpos, d->qpos + m->nq), v(d->qvel, d->qvel + nv),
      warm(d->qacc_warmstart, d->qacc_warmstart + nv);
  const auto return_to_start = [&] {
    mju_copy(d->qpos, q.data(), m->nq);
    mju_copy(d->qvel, v.data(), nv);
    mju_copy(d->qacc_warmstart, warm.data(), nv);
  };

  Comparison jacobian(scene.scene.name + ", Jacobians by (q, v, τ)", settings);
  jacobian.add("jade, from the tape of a step", [&] { ours.jacobian(); });
  jacobian.add("jade, a step", [&] { ours.step(); });
  jacobian.add("jade, a step with its tape", [&] { ours.recorded_step(); });
  jacobian.add("jade, differences of steps", [&] { ours.differences(); });
  jacobian.add(fmt::format("mujoco mjd_transitionFD, {} contacts", contacts), [&] {
    return_to_start();
    mjd_transitionFD(m, d, 1e-6, 0, A.data(), B.data(), nullptr, nullptr);
  });
  jacobian.add(fmt::format("mujoco mj_step, {} contacts", contacts), [&] {
    return_to_start();
    mj_step(m, d);
  });
  results.push_back(jacobian.run());

  Comparison product(scene.scene.name + ", vector-Jacobian product", settings);
  product.add("jade, from the tape of a step", [&] { ours.product(); });
  product.add("jade, a step", [&] { ours.step(); });
  results.push_back(product.run());
}

/// All lengths in one comparison, so that they see the same phases of the machine.
void measure_growth(const TimingSettings& settings, std::vector<ComparisonResult>& results) {
  const StepScene scene = sliding_box();
  const Model model = build_model(scene.scene);
  StepWorkspace steps(model);
  GradientWorkspace gradients(model);
  Comparison growth("gradient of a trajectory of the sliding box, per step", settings);
  const std::vector<int> lengths{80, 20, 40};
  std::vector<Rollout> paths;
  paths.reserve(lengths.size());
  for (const int n : lengths) {
    paths.push_back(rollout(model, initial_state(model), {}, {.h = scene.time_step, .steps = n}, steps));
    RolloutCotangents loss = no_cotangents(paths.back());
    loss.states.back() = {VecX::Ones(model.nv()), VecX::Ones(model.nv())};
    growth.add(fmt::format("{} steps", n), [&, loss, path = &paths.back()] {
      (void)rollout_gradient(model, *path, loss, {}, steps, gradients);
    });
  }
  ComparisonResult result = growth.run();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    result.timings[i].minimum /= lengths[i];
    result.timings[i].tenth /= lengths[i];
  }
  results.push_back(result);
}

std::vector<ComparisonResult> measure(const TimingSettings& settings) {
  std::vector<ComparisonResult> results;
  struct Setup {
    StepScene scene;
    int steps;  // made before: sliding, or settled
    int share;  // of the rounds: differences of the stack take 180 steps of it
  };
  for (const Setup& setup :
       {Setup{sliding_box(), 20, 1}, {arm_on_twelve_contacts(), 200, 2}, {stack_of_ten(), 50, 30}}) {
    fmt::print(stderr, "measuring: {}\n", setup.scene.scene.name);
    TimingSettings fewer = settings;
    fewer.rounds = std::max(5, settings.rounds / setup.share);
    compare(setup.scene, setup.steps, fewer, results);
  }
  measure_growth(settings, results);
  return results;
}

}  // namespace
}  // namespace jade::benchmarks

int main(int argc, char** argv) {
  return jade::benchmarks::benchmark_main(
      argc, argv, "Gradients of steps beside differences and MuJoCo ", jade::benchmarks::measure,
      {"MuJoCo differentiates at the same state by (q, v, τ): with a motor of gear 1 on every velocity "
       "both matrices of mjd_transitionFD, one-sided differences of 1e-6, all other settings as they come.",
       "Its geoms have a margin of 1 mm, so that the twelve contacts of the arm are contacts of both "
       "engines: "
       "without one it counts only those three that carry the hand."});
}
