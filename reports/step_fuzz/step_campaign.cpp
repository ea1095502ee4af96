#include "step_fuzz/step_campaign.h"

#include <algorithm>

#include "campaign/index_pool.h"

namespace jade::reports {
namespace {

using step_trial::Fault;
using step_trial::Trial;

void record(StepFuzzRow& row, const Trial& trial, std::uint64_t index) {
  ++row.worlds;
  row.steps += trial.steps;
  row.states += trial.states;
  row.substeps += trial.substeps;
  row.most_substeps = std::max(row.most_substeps, trial.most_substeps);
  row.clearance = std::min(row.clearance, trial.clearance);
  row.lost_time += trial.lost_time;
  row.steps_with_loss += trial.steps_with_loss;
  row.unsolved += trial.unsolved;
  row.energy_gain = std::max(row.energy_gain, trial.energy_gain);
  row.momentum_change = std::max(row.momentum_change, trial.momentum_change);
  if (!trial.failed()) return;
  ++row.faults[trial.fault];
  row.failures.push_back({index, trial.fault, trial.what});
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
  return generators::random_world(settings.seed, index, settings.families[family].climate);
}

step_trial::TrialSettings trial_settings(const StepFuzzSettings& settings, std::size_t family) {
  return {.steps = settings.steps,
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
  result.done = run_indices({settings.count, settings.jobs, settings.stop, settings.progress},
                            [&](std::size_t worker, std::uint64_t k) {
                              const std::size_t family = k % families;
                              const std::uint64_t index = k / families;
                              const Trial trial = try_world(world_of(settings, family, index),
                                                            trial_settings(settings, family));
                              record(seen[worker][family], trial, index);
                            });
  result.interrupted = result.done < settings.count;
  result.rows.resize(families);
  for (const auto& rows : seen)
    for (std::size_t f = 0; f < families; ++f) merge(result.rows[f], rows[f]);
  for (StepFuzzRow& row : result.rows) std::ranges::sort(row.failures, {}, &StepFailure::index);
  return result;
}

}  // namespace jade::reports
