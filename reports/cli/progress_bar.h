#pragma once

#include <chrono>
#include <cstdint>

namespace jade::cli {

/// A bar on the terminal that takes itself away in the end; nothing where standard error is a file.
class ProgressBar {
 public:
  explicit ProgressBar(std::uint64_t total);
  ~ProgressBar();
  void show(std::uint64_t done);

 private:
  std::uint64_t total_;
  bool shown_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), last_ = begin_;
};

}  // namespace jade::cli
