#include "interleaved.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string_view>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "jade/base/atomic_file.h"

namespace jade::benchmarks {
namespace {

double seconds(const std::function<void(int)>& batch, int calls) {
  const auto start = std::chrono::steady_clock::now();
  batch(calls);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// So many calls that a batch takes about as long as wanted; the doubling warms caches up as well.
int calls_per_batch(const std::function<void(int)>& batch, double wanted) {
  for (int calls = 1;; calls *= 2) {
    const double best = std::min({seconds(batch, calls), seconds(batch, calls), seconds(batch, calls)});
    if (best > 0.5 * wanted || calls > (1 << 24)) return std::max(1, static_cast<int>(calls * wanted / best));
  }
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

}  // namespace

ComparisonResult Comparison::run() const {
  ComparisonResult result{.title = title_};
  std::vector<std::vector<double>> samples(contenders_.size());
  for (const Contender& contender : contenders_)
    result.timings.push_back(
        {.name = contender.name, .calls = calls_per_batch(contender.batch, settings_.batch_seconds)});
  for (int round = 0; round < settings_.rounds; ++round)
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      const int calls = result.timings[i].calls;
      samples[i].push_back(seconds(contenders_[i].batch, calls) / calls);
    }
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    std::sort(samples[i].begin(), samples[i].end());
    result.timings[i].minimum = samples[i].front();
    result.timings[i].tenth = samples[i][samples[i].size() / 10];
  }
  return result;
}

void print_table(const std::vector<ComparisonResult>& results) {
  fmt::print("{:<40}{:<34}{:>11}{:>11}{:>9}\n", "", "", "minimum µs", "tenth µs", "ratio");
  for (const ComparisonResult& result : results)
    for (std::size_t i = 0; i < result.timings.size(); ++i) {
      const Timing& timing = result.timings[i];
      fmt::print("{:<40}{:<34}{:>10.3f}{:>11.3f}{:>9.3f}\n", i == 0 ? result.title : "", timing.name,
                 1e6 * timing.minimum, 1e6 * timing.tenth, result.ratio(i));
    }
}

std::string to_json(const std::string& title, const std::vector<ComparisonResult>& results,
                    const std::vector<std::string>& notes) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ComparisonResult& result : results)
    for (std::size_t i = 0; i < result.timings.size(); ++i) {
      const Timing& timing = result.timings[i];
      rows.push_back({result.title, timing.name, 1e6 * timing.minimum, 1e6 * timing.tenth, result.ratio(i)});
    }
  nlohmann::ordered_json json{{"title", title},
                              {"columns", {"what", "who", "minimum µs", "tenth µs", "ratio"}},
                              {"rows", rows},
                              {"notes",
                               {"Batches in turn in one process; the ratio is ours over theirs, by minima.",
                                "Built by g++ " __VERSION__ ", measured on " + cpu_name() + "."}}};
  for (const std::string& note : notes) json["notes"].push_back(note);
  return json.dump(2) + '\n';
}

int benchmark_main(int argc, char** argv, const std::string& about,
                   const std::function<std::vector<ComparisonResult>(const TimingSettings&)>& measure,
                   const std::vector<std::string>& notes) {
  TimingSettings settings;
  std::string file;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      settings.rounds = 30;
    } else if (argument == "--json" && i + 1 < argc) {
      file = argv[++i];
    } else {
      const bool help = argument == "--help";
      fmt::print(help ? stdout : stderr,
                 "{}\n\nusage: {} [--json FILE] [--quick]\n  --json FILE  write the results there as well\n"
                 "  --quick      a tenth of the batches: a look, not a measurement\n",
                 about, argv[0]);
      return help ? 0 : 2;
    }
  }
  try {
    const std::vector<ComparisonResult> results = measure(settings);
    print_table(results);
    if (!file.empty()) write_file(file, to_json(about, results, notes));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
  return 0;
}

}  // namespace jade::benchmarks
