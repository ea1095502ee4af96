#include "step_fuzz/step_campaign.h"

#include <algorithm>

#include "campaign/index_pool.h"
#include "generators/random_stream.h"

namespace jade::reports {
namespace {

using step_trial::Trial;

StepFuzzRow row_of(const Trial& trial, std::uint64_t index) {
  StepFuzzRow row{.worlds = 1,
                  .steps = trial.steps,
                  .states = trial.states,
                  .substeps = trial.substeps,
                  .most_substeps = trial.most_substeps,
                  .clearance = trial.clearance,
                  .lost_time = trial.lost_time,
                  .steps_with_loss = trial.steps_with_loss,
                  .unsolved = trial.unsolved,
                  .energy_gain = trial.energy_gain,
                  .momentum_change = trial.momentum_change};
  if (trial.failed()) {
    row.faults[trial.fault] = 1;
    row.failures = {{index, trial.fault, trial.what}};
  }
  return row;
}

void merge(StepFuzzRow& into, const StepFuzzRow& from) {
  into.worlds += from.worlds;
  into.steps += from.steps;
  into.states += from.states;
  into.substeps += from.substeps;
  into.most_substeps = std::max(into.most_substeps, from.most_substeps);
  into.clearance = std::min(into.clearance, from.clearance);
  into.lost_time += from.lost_time;
  into.steps_with_loss += from.steps_with_loss;
  into.unsolved += from.unsolved;
  into.energy_gain = std::max(into.energy_gain, from.energy_gain);
  into.momentum_change = std::max(into.momentum_change, from.momentum_change);
  for (const auto& [fault, count] : from.faults) into.faults[fault] += count;
  into.failures.insert(into.failures.end(), from.failures.begin(), from.failures.end());
}

}  // namespace

long long StepFuzzRow::failed() const {
  long long sum = 0;
  for (const auto& [fault, count] : faults) sum += count;
  return sum;
}

generators::World world_of(const StepFuzzSettings& settings, std::size_t family, std::uint64_t index) {
  // Each family draws for itself: every second world of jointed things would else be one of the fast family again.
  const step_trial::WorldFamily& drawn = settings.families[family];
  return generators::random_world(generators::mixed_seed(settings.seed, drawn.name, 0), index, drawn.climate);
}

step_trial::TrialSettings trial_settings(const StepFuzzSettings& settings, std::size_t family) {
  return {.steps = settings.steps,
          .stop = settings.stop,
          .step = settings.step,
          .spacing = settings.spacing,
          .energy_bound = settings.families[family].energy_bound,
          .seconds = settings.seconds};
}

StepFuzzResult run_campaign(const StepFuzzSettings& settings) {
  const std::size_t families = settings.families.size();
  std::vector<std::vector<StepFuzzRow>> seen(static_cast<std::size_t>(std::max(1, settings.jobs)),
                                             std::vector<StepFuzzRow>(families));
  StepFuzzResult result;
  run_indices({settings.count, settings.jobs, settings.stop, settings.progress}, [&](std::size_t worker,
                                                                                     std::uint64_t k) {
    const std::size_t family = k % families;
    const std::uint64_t index = k / families;
    const Trial trial = try_world(world_of(settings, family, index), trial_settings(settings, family));
    if (!trial.stopped) merge(seen[worker][family], row_of(trial, index));
  });
  result.rows.resize(families);
  for (const auto& rows : seen)
    for (std::size_t f = 0; f < families; ++f) merge(result.rows[f], rows[f]);
  for (const StepFuzzRow& row : result.rows) result.done += static_cast<std::uint64_t>(row.worlds);
  result.interrupted = result.done < settings.count;
  for (StepFuzzRow& row : result.rows) std::ranges::sort(row.failures, {}, &StepFailure::index);
  return result;
}

}  // namespace jade::reports
