#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "step_trial/trial.h"
#include "step_trial/world_families.h"

namespace jade::reports {

struct StepFuzzSettings {
  std::uint64_t count = 500;  ///< worlds, shared out evenly over the families
  std::uint64_t seed = 1;
  std::vector<step_trial::WorldFamily> families;  ///< must not be empty
  int steps = 20;                                 ///< of each world
  double spacing = 0.02;  ///< how far anything goes between two states that are judged [m, rad]
  double seconds = 60;    ///< of work that a world may take
  StepSettings step;
  int jobs = 1;
  const std::atomic<bool>* stop = nullptr;  ///< set from outside to end early with what there is
  std::function<void(std::uint64_t done)> progress = {};  ///< called from one thread, now and then
};

struct StepFailure {
  std::uint64_t index = 0;  ///< of the world within its family
  step_trial::Fault fault = step_trial::Fault::none;
  std::string what;
};

/// Everything seen of one family. The same for any number of jobs, worlds that took too long apart.
struct StepFuzzRow {
  long long worlds = 0, steps = 0, states = 0, substeps = 0;
  int most_substeps = 0;
  double clearance = std::numeric_limits<double>::infinity();
  double lost_time = 0;  ///< [body-seconds]
  long long steps_with_loss = 0, unsolved = 0;
  double energy_gain = 0, momentum_change = 0;
  std::map<step_trial::Fault, long long> faults;
  std::vector<StepFailure> failures;  ///< by index

  long long failed() const;
};

struct StepFuzzResult {
  std::uint64_t done = 0;
  bool interrupted = false;
  std::vector<StepFuzzRow> rows;  ///< one per family
};

/// World k of a campaign is world k / F of family k mod F, F families.
StepFuzzResult run_campaign(const StepFuzzSettings& settings);

generators::World world_of(const StepFuzzSettings& settings, std::size_t family, std::uint64_t index);
step_trial::TrialSettings trial_settings(const StepFuzzSettings& settings, std::size_t family);

}  // namespace jade::reports
