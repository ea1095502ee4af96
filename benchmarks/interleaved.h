#pragma once

#include <functional>
#include <string>
#include <vector>

namespace jade::benchmarks {

/// Timing of contenders on a machine that is never quiet. All run in one process in short batches in turn, so that
/// a slow phase of the machine hits all of them alike, and the minimum over many batches is what each can do.
///
///   Comparison comparison("7-dof arm, forward dynamics");
///   comparison.add("jade", [&] { forward_dynamics(model, state, effort, work, a); });
///   comparison.add("mujoco", [&] { mj_forward(m, d); });
///   print_table({comparison.run()});
struct TimingSettings {
  double batch_seconds = 300e-6;  ///< short against the phases of the machine, long against the clock
  int rounds = 300;               ///< batches per contender
};

struct Timing {
  std::string name;
  double minimum = 0;  ///< seconds per call, over all batches
  double tenth = 0;    ///< 10th percentile of the batches: near the minimum when that can be trusted
  int calls = 0;       ///< per batch
};

struct ComparisonResult {
  std::string title;
  std::vector<Timing> timings;  ///< in the order of `add`

  /// Minimum of the first contender over that of another.
  double ratio(std::size_t other) const { return timings[0].minimum / timings[other].minimum; }
};

class Comparison {
 public:
  explicit Comparison(std::string title, TimingSettings settings = {})
      : title_(std::move(title)), settings_(settings) {}

  /// The first contender is the one that ratios are about. `work` is called many times and must not need a reset.
  template <class Work>
  void add(std::string name, Work work) {
    contenders_.push_back({std::move(name), [work](int calls) mutable {
                             for (int i = 0; i < calls; ++i) work();
                           }});
  }

  ComparisonResult run() const;

 private:
  struct Contender {
    std::string name;
    std::function<void(int)> batch;
  };
  std::string title_;
  TimingSettings settings_;
  std::vector<Contender> contenders_;
};

/// One line per contender: title, name, minimum and 10th percentile in µs, ratio of the first to it.
void print_table(const std::vector<ComparisonResult>& results);

/// A table that a report takes in: {"title": …, "columns": […], "rows": [[…]…], "notes": […]}.
std::string to_json(const std::string& title, const std::vector<ComparisonResult>& results,
                    const std::vector<std::string>& notes = {});

/// The command line that all benchmarks share: [--json FILE] [--quick] [--help]. Calls `measure` with the settings,
/// prints the table and writes the file. Returns the exit code: 0, 2 for wrong usage, 3 when a
/// contender can't be measured or the file not be written.
int benchmark_main(int argc, char** argv, const std::string& about,
                   const std::function<std::vector<ComparisonResult>(const TimingSettings&)>& measure,
                   const std::vector<std::string>& notes = {});

}  // namespace jade::benchmarks
