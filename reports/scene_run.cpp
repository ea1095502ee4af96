#include "reports/scene_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cases/quantity.h"
#include "jade/base/error.h"
#include "jade/model/model.h"
#include "jade/stepping/separate.h"
#include "reference/jade_world.h"
#include "step_trial/trial.h"

namespace jade::reports {
namespace {

using reference::Frame;
using reference::RunStatus;

void check(const SceneRunRequest& request) {
  std::vector<Mistake> mistakes = check_scene(request.scene);
  if (!(request.time_step > 0) || !std::isfinite(request.time_step))
    mistakes.push_back({"--h", fmt::format("is {}", request.time_step), "give seconds, such as 0.01"});
  if (request.steps < 1) mistakes.push_back({"--steps", "is below 1", "give how many steps to take"});
  if (!mistakes.empty()) throw InvalidInput("scene \"" + request.scene.name + "\"", std::move(mistakes));
}

void judge_frame(const cases::Mechanism& mechanism, const Frame& frame, SceneResult& result) {
  std::vector<Transform> X_WB;
  for (const reference::BodyState& body : frame.bodies) X_WB.push_back(reference::pose_of(body));
  const judge::Judgement found = mechanism.judge().worst(X_WB);
  if (found.not_finite >= 0) {
    ++result.not_finite;
    return;
  }
  if (found.worst < 0) return;
  result.can_meet = true;
  const judge::PairJudgement& pair = found.pairs[found.worst];
  const bool overlaps = judge::overlap(pair.measured.relation);
  result.overlapping_frames += overlaps;
  // Of an overlap the depth that is certain; touching counts as overlapping.
  const double clearance =
      overlaps ? std::min(pair.measured.separation.upper, 0.0) : pair.measured.separation.lower;
  if (!(clearance < result.clearance)) return;
  result.clearance = clearance;
  result.clearance_time = frame.time;
  result.nearest = mechanism.scene.bodies[pair.body_a].name + ", " + mechanism.scene.bodies[pair.body_b].name;
}

std::optional<SceneResult::Energy> energy_of(const cases::Mechanism& mechanism,
                                             const std::vector<Frame>& frames) {
  const cases::Quantity energy = cases::total_energy();
  try {
    SceneResult::Energy e;
    e.first = e.most = energy.value(mechanism, frames.front())[0];
    for (const Frame& frame : frames) e.most = std::max(e.most, e.last = energy.value(mechanism, frame)[0]);
    return e;
  } catch (const InvalidInput&) {
    return std::nullopt;  // springs on joints of several coordinates
  }
}

/// Our own engine once more, to the same bits, with the motion within its steps laid open to the judge.
void judge_within(const SceneRunRequest& request, Integrator integrator, SceneResult& result) {
  StepSettings settings;
  settings.integrator = integrator;
  const step_trial::Trial trial =
      step_trial::try_world({request.scene, request.time_step},
                            {.steps = request.steps, .step = settings, .spacing = request.spacing});
  result.states_within = trial.states;
  if (trial.failed()) result.fault_within = fmt::format("{}: {}", name_of(trial.fault), trial.what);
}

/// The scene with its bodies where `separate` puts them.
SceneRun::Separated separate_start(SceneDescription& scene) {
  const Model model = build_model(scene);
  try {
    const Separation apart = separate(model, initial_state(model));
    for (const Joint& joint : model.joints()) {
      const auto q = apart.state.q.segment(joint.q, joint.nq);
      if (apart.farthest > 0) scene.bodies[joint.body].joint.position.assign(q.begin(), q.end());
    }
    return {apart.pairs.size(), apart.farthest};
  } catch (const StepError& error) {
    throw InvalidInput("scene \"" + scene.name + "\"",
                       {{"start", error.what(), "move them apart in the scene"}});
  }
}

}  // namespace

bool SceneResult::sound() const {
  return recording.status == RunStatus::done && recording.lost_time == 0 && overlapping_frames == 0 &&
         not_finite == 0 && fault_within.empty();
}

std::string SceneResult::verdict() const {
  if (recording.status == RunStatus::not_applicable) return "not applicable: " + recording.reason;
  if (recording.status == RunStatus::error) return "error: " + recording.reason;
  if (not_finite > 0) return fmt::format("not finite in {} frames", not_finite);
  if (overlapping_frames > 0) return fmt::format("overlaps in {} frames", overlapping_frames);
  if (!fault_within.empty()) return fault_within;
  if (recording.lost_time > 0)
    return fmt::format("{:.3g} body-seconds were not simulated", recording.lost_time);
  return "sound";
}

SceneRun run_scene(const SceneRunRequest& request, const std::vector<reference::Engine>& engines,
                   const std::function<void(const SceneResult&)>& on_result) {
  check(request);
  SceneRun run{request, {}, {}, {}};
  SceneWithMeshes in_place = with_meshes(request.scene);
  run.request.scene = std::move(in_place.scene);
  run.mesh_changes = std::move(in_place.changes);
  if (request.separate) run.separated = separate_start(run.request.scene);
  const cases::Mechanism mechanism(run.request.scene);
  for (const reference::Engine& engine : engines) {
    SceneResult result{.engine = engine.name, .ours = engine.ours};
    if (engine.missing.empty()) {
      result.recording = engine.run({.engine = engine.name,
                                     .scene = mechanism.scene,
                                     .time_step = request.time_step,
                                     .steps = request.steps,
                                     .record_every = request.record_every});
    } else {
      result.recording.status = RunStatus::not_applicable;
      result.recording.reason = engine.missing;
    }
    const std::vector<Frame>& frames = result.recording.frames;
    for (const Frame& frame : frames) judge_frame(mechanism, frame, result);
    if (!frames.empty() && result.not_finite == 0) result.energy = energy_of(mechanism, frames);
    const auto integrator = reference::integrator_of(engine.name);
    const bool ran = result.recording.status != RunStatus::not_applicable;
    if (ran && engine.ours && integrator && result.can_meet && request.spacing > 0)
      judge_within(run.request, *integrator, result);
    run.results.push_back(std::move(result));
    if (on_result) on_result(run.results.back());
  }
  return run;
}

bool ours_failed(const SceneRun& run) {
  return std::any_of(run.results.begin(), run.results.end(), [](const SceneResult& r) {
    return r.ours && r.recording.status != RunStatus::not_applicable && !r.sound();
  });
}

}  // namespace jade::reports
