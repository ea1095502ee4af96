#include "cli/progress_bar.h"

#include <algorithm>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

namespace jade::cli {

ProgressBar::ProgressBar(std::uint64_t total) : total_(total), shown_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(std::uint64_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  const double fraction = static_cast<double>(done) / static_cast<double>(std::max<std::uint64_t>(total_, 1));
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  constexpr int width = 40;
  const int filled = static_cast<int>(fraction * width);
  const std::string left =
      done == 0 ? "…" : fmt::format("{:.0f} s left", seconds * (1 - fraction) / fraction);
  fmt::print(stderr, "\r\033[K[{:#<{}}{: <{}}] {:3.0f} %  {} of {}  {}", "", filled, "", width - filled,
             100 * fraction, done, total_, left);
  std::fflush(stderr);
}

}  // namespace jade::cli
