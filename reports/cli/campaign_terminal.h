#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace jade::cli {

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

/// Makes a folder with all above it; throws std::runtime_error when it cannot be made.
void make_folder(const std::string& folder);

}  // namespace jade::cli
