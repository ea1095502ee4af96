#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace jade::cli {

/// From now on what ends this process early (Ctrl-C, a closed terminal) ends the programs that work for it as well.
void end_children_with_us();

/// From now on the first Ctrl-C sets `interrupted` and a campaign ends with what it has; the second ends the program.
void listen_for_interrupt();
extern std::atomic<bool> interrupted;

/// A bar on the terminal, nothing elsewhere.
class ProgressBar {
 public:
  explicit ProgressBar(std::uint64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void show(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t total_;
  bool shown_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

/// The threads to use when none are asked for: all cores.
int default_jobs();

/// Where the results of a campaign go; an empty path is not wanted.
struct OutputPlaces {
  std::string folder, file;
};

/// Makes the folder with all above it. Throws std::runtime_error unless folder and file can be written: what cannot be
/// kept is better known before a long campaign than after it.
void make_ready(const OutputPlaces& places);

}  // namespace jade::cli
