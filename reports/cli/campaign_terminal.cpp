#include "cli/campaign_terminal.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include "jade/base/atomic_file.h"
#include "reference/child_groups.h"

namespace jade::cli {

std::atomic<bool> interrupted = false;

namespace {

/// Ends this process by the signal, as if nobody had listened, and with it the programs that work for it.
void end_by(int number) {
  reference::kill_child_groups();
  signal(number, SIG_DFL);
  raise(number);
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(number, &action, nullptr);
}

void expect_writable(const std::string& file) {
  if (std::filesystem::is_directory(file))
    throw std::runtime_error(fmt::format("{}: is a folder; name a file", file));
  const std::string probe = fmt::format("{}.{}.probe", file, getpid());
  try {
    write_file(probe, "");
    std::filesystem::remove(probe);
  } catch (const std::filesystem::filesystem_error& error) {
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", file, error.code().message()));
  }
}

}  // namespace

void end_children_with_us() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(number, nullptr, &before);
    // What a caller ignores, as nohup does, stays ignored.
    if (before.sa_handler == SIG_DFL) handle(number, end_by);
  }
}

void listen_for_interrupt() {
  interrupted = false;
  handle(SIGINT, [](int number) {
    if (interrupted.exchange(true)) end_by(number);
  });
}

ProgressBar::ProgressBar(std::uint64_t total) : total_(total), shown_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(std::uint64_t done) {
  const auto now = Clock::now();
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

int default_jobs() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

void make_ready(const OutputPlaces& places) {
  if (!places.folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(places.folder, error);
    if (error)
      throw std::runtime_error(fmt::format("{}: cannot be made: {}", places.folder, error.message()));
    expect_writable(places.folder + "/results");
  }
  if (!places.file.empty()) expect_writable(places.file);
}

}  // namespace jade::cli
