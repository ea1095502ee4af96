#include "reference/engine_process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/child_groups.h"
#include "reference/protocol.h"

namespace jade::reference {
namespace {

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_read();
    close_write();
  }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read() { close_end(0); }
  void close_write() { close_end(1); }

 private:
  void close_end(int i) {
    if (ends_[i] >= 0) ::close(ends_[i]);
    ends_[i] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

/// A shell command in a process group of its own with its three streams on pipes. Killed with its children when
/// this goes out of scope.
class Child {
 public:
  explicit Child(const std::string& command) {
    pid_ = fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) {
      // Only calls that are safe after fork in a process with threads.
      setpgid(0, 0);
      std::signal(SIGPIPE, SIG_DFL);
      dup2(in.read_end(), STDIN_FILENO);
      dup2(out.write_end(), STDOUT_FILENO);
      dup2(err.write_end(), STDERR_FILENO);
      execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    setpgid(pid_, pid_);
    remember_child_group(pid_);
    in.close_read();
    out.close_write();
    err.close_write();
    for (const int fd : {in.write_end(), out.read_end(), err.read_end()}) fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { stop(); }

  /// Ends the group and says how the shell ended by itself before, if it did.
  std::string stop() {
    if (pid_ < 0) return {};
    int status = 0;
    const bool ended = waitpid(pid_, &status, WNOHANG) == pid_;
    kill(-pid_, SIGKILL);
    forget_child_group(pid_);
    if (!ended) waitpid(pid_, &status, 0);
    pid_ = -1;
    if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }

  /// Waits a moment for a process whose output has ended, so that its own exit code is seen and not our kill.
  void let_exit() const {
    for (int i = 0; i < 200; ++i) {
      siginfo_t info{};
      if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0)
        return;
      usleep(1000);
    }
  }

  Pipe in, out, err;

 private:
  pid_t pid_ = -1;
};

/// Writing to a process that has gone must be an error code, not the end of ours.
void ignore_broken_pipes() {
  static const bool once = [] { return std::signal(SIGPIPE, SIG_IGN) != SIG_ERR; }();
  static_cast<void>(once);
}

enum class Talk { finished, silent, timeout, too_much };

/// Feeds the request and reads lines until the recording ends, the process falls silent or the time is over.
Talk talk(Child& child, const std::string& request, const ProcessLimits& limits, RecordingReader& reader,
          std::string& complaints) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(limits.timeout_seconds);
  std::size_t sent = 0, received = 0;
  std::string line;
  std::array<char, 65536> buffer{};
  bool out_open = true, err_open = true;
  while (out_open) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Talk::timeout;
    std::array<pollfd, 3> fds{{{out_open ? child.out.read_end() : -1, POLLIN, 0},
                               {err_open ? child.err.read_end() : -1, POLLIN, 0},
                               {child.in.write_end(), POLLOUT, 0}}};
    if (poll(fds.data(), fds.size(), static_cast<int>(std::min<long long>(left, 1000))) < 0 &&
        errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "poll");
    }
    if (fds[2].revents != 0) {
      const ssize_t n = write(child.in.write_end(), request.data() + sent, request.size() - sent);
      if (n > 0) sent += static_cast<std::size_t>(n);
      const bool gone = n < 0 && errno != EAGAIN && errno != EINTR;
      if (gone || sent == request.size()) child.in.close_write();
    }
    if (fds[1].revents != 0) {
      const ssize_t n = read(child.err.read_end(), buffer.data(), buffer.size());
      if (n == 0) err_open = false;
      if (n > 0) complaints.append(buffer.data(), static_cast<std::size_t>(n));
      if (complaints.size() > 4000) complaints.erase(0, complaints.size() - 2000);
    }
    if (fds[0].revents == 0) continue;
    const ssize_t n = read(child.out.read_end(), buffer.data(), buffer.size());
    if (n == 0) out_open = false;
    if (n <= 0) continue;
    received += static_cast<std::size_t>(n);
    if (received > limits.output_bytes) return Talk::too_much;
    line.append(buffer.data(), static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t end; (end = line.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (!reader.read_line(std::string_view(line).substr(begin, end - begin))) return Talk::finished;
    }
    line.erase(0, begin);
  }
  if (!line.empty() && !reader.read_line(line)) return Talk::finished;
  return Talk::silent;
}

std::string last_words(std::string complaints) {
  while (!complaints.empty() && (complaints.back() == '\n' || complaints.back() == ' '))
    complaints.pop_back();
  if (complaints.size() > 300) complaints = "…" + complaints.substr(complaints.size() - 300);
  return complaints.empty() ? "" : "; it wrote to standard error: " + complaints;
}

}  // namespace

Recording run_engine_process(const std::string& command, const RunRequest& request,
                             const ProcessLimits& limits) {
  ignore_broken_pipes();
  std::vector<std::string> names;
  for (const BodyDescription& body : request.scene.bodies) names.push_back(body.name);
  RecordingReader reader(names);
  std::string complaints;
  Child child(command);
  const Talk outcome = talk(child, request_json(request), limits, reader, complaints);
  if (outcome == Talk::silent) child.let_exit();
  const std::string ending = child.stop();

  const auto failed = [&](const std::string& reason) {
    Recording recording;
    recording.info.engine = request.engine;
    recording.status = RunStatus::error;
    recording.reason = reason + last_words(complaints);
    return recording;
  };
  if (outcome == Talk::timeout)
    return failed(fmt::format("no end after {} s; stopped", limits.timeout_seconds));
  if (outcome == Talk::too_much)
    return failed(fmt::format("more than {} bytes of output", limits.output_bytes));
  if (outcome == Talk::silent) return failed(fmt::format("ended without an end line ({})", ending));
  Recording recording = std::move(reader).finish();
  recording.info.engine = request.engine;
  if (recording.status == RunStatus::error) recording.reason += last_words(complaints);
  return recording;
}

}  // namespace jade::reference
