#include "lcp_fuzz/command_solver.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lcp_io/lcp_json.h"
#include "reference/child_groups.h"

namespace jade::reports {
namespace {

using Clock = std::chrono::steady_clock;

void close_pipe(int& end) {
  if (end >= 0) close(end);
  end = -1;
}

/// No answer is as long as this: a program that writes on and on must not fill our memory until its time is over.
constexpr std::size_t kLongestAnswer = 8u << 20;

/// What a shell returns when it does not find the program.
constexpr int kNotFound = 127;

std::string ending_in_words(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}{}", WEXITSTATUS(status),
                     WEXITSTATUS(status) == kNotFound ? ": is there such a program?" : "");
}

}  // namespace

CommandSolver::CommandSolver(std::string command, double timeout_seconds)
    : command_(std::move(command)), timeout_seconds_(timeout_seconds) {
  // A program that ends while we write is a finding, not a reason to die.
  signal(SIGPIPE, SIG_IGN);
}

CommandSolver::~CommandSolver() { stop(); }

void CommandSolver::start() {
  int input[2], output[2];
  if (pipe2(input, O_CLOEXEC) != 0) throw std::runtime_error("cannot open a pipe: too many open files?");
  if (pipe2(output, O_CLOEXEC) != 0) {
    close(input[0]);
    close(input[1]);
    throw std::runtime_error("cannot open a pipe: too many open files?");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  // What it says on stderr would tear our progress bar apart.
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  char shell[] = "/bin/sh", option[] = "-c";
  char* arguments[] = {shell, option, command_.data(), nullptr};
  const int error = posix_spawn(&process_, shell, &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(input[0]);
  close(output[1]);
  to_program_ = input[1];
  from_program_ = output[0];
  fcntl(to_program_, F_SETFL, O_NONBLOCK);
  if (error != 0) {
    process_ = -1;
    close_pipe(to_program_);
    close_pipe(from_program_);
    throw std::runtime_error(fmt::format("cannot start /bin/sh: {}", std::strerror(error)));
  }
  reference::remember_child_group(process_);
}

std::string CommandSolver::stop() {
  close_pipe(to_program_);
  close_pipe(from_program_);
  if (process_ <= 0) return {};
  // A program that has ended by itself keeps its own status; any other is killed with its children.
  int status = 0;
  pid_t ended = 0;
  for (int wait = 0; wait < 20 && ended == 0; ++wait) {
    ended = waitpid(process_, &status, WNOHANG);
    if (ended == 0) usleep(1000);
  }
  kill(-process_, SIGKILL);
  reference::forget_child_group(process_);
  if (ended == 0) waitpid(process_, &status, 0);
  process_ = -1;
  return ending_in_words(status);
}

CommandSolver::Exchange CommandSolver::exchange(const std::string& line, std::string& answer) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_seconds_);
  std::size_t written = 0;
  answer.clear();
  char buffer[65536];
  while (answer.find('\n') == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Exchange::timed_out;
    // Both ways at once: a program may answer before it has read everything.
    pollfd ends[2] = {{from_program_, POLLIN, 0}, {to_program_, POLLOUT, 0}};
    const int ready =
        poll(ends, written < line.size() ? 2 : 1, static_cast<int>(std::min<long>(left, 60'000)));
    if (ready < 0 && errno != EINTR) return Exchange::ended;
    if (ready <= 0) continue;
    if (written < line.size() && (ends[1].revents & (POLLOUT | POLLERR))) {
      const ssize_t count = write(to_program_, line.data() + written, line.size() - written);
      if (count < 0 && errno != EAGAIN && errno != EINTR) return Exchange::ended;
      if (count > 0) written += static_cast<std::size_t>(count);
    }
    if (ends[0].revents & (POLLIN | POLLHUP)) {
      const ssize_t count = read(from_program_, buffer, sizeof buffer);
      if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return Exchange::ended;
      if (count > 0) answer.append(buffer, static_cast<std::size_t>(count));
      if (answer.size() > kLongestAnswer) return Exchange::answered;
    }
  }
  return Exchange::answered;
}

SolverReply CommandSolver::solve(const LcpProblem& problem) {
  if (process_ <= 0) start();
  SolverReply reply;
  std::string answer;
  const std::string line = reference::to_json_line(problem) + "\n";
  const auto begin = Clock::now();
  const Exchange result = exchange(line, answer);
  reply.microseconds = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  if (result == Exchange::timed_out) {
    stop();
    reply.claim = Claim::hung;
    reply.detail = fmt::format("no answer within {} s", timeout_seconds_);
    return reply;
  }
  if (result == Exchange::ended) {
    reply.claim = Claim::crashed;
    reply.detail = stop();
    return reply;
  }
  try {
    const std::size_t end = answer.find('\n');
    if (end == std::string::npos) {
      throw InvalidInput("answer", {{"line 1", "goes on and on", "answer one line a problem"}});
    }
    if (end + 1 != answer.size()) {
      throw InvalidInput("answer", {{"line 2", "more than one line", "answer one line a problem"}});
    }
    reference::LcpAnswer parsed = reference::parse_lcp_answer(answer, "answer");
    reply.f = std::move(parsed.f);
    reply.claim = parsed.gave_up ? Claim::gave_up : Claim::solved;
    reply.regularisation = parsed.regularisation;
    if (parsed.microseconds) reply.microseconds = *parsed.microseconds;
  } catch (const InvalidInput& error) {
    // What follows may be out of step with the questions: start afresh.
    stop();
    reply.claim = Claim::garbage;
    const Mistake& first = error.mistakes().front();
    reply.detail = fmt::format("{} {}; {}", first.place, first.problem, first.remedy);
  }
  return reply;
}

}  // namespace jade::reports
