#pragma once

#include <string>

#include <sys/types.h>

#include "lcp_fuzz/fuzz_solver.h"

namespace jade::reports {

/// Talks to a program over its standard input and output, a JSON line each way. Whatever the program does becomes a
/// reply: it may end, write nonsense or hang. It is started when first needed and again after it ended or was
/// stopped; it runs in a process group of its own, so that Ctrl-C reaches only us.
class CommandSolver : public FuzzSolver {
 public:
  CommandSolver(std::string command, double timeout_seconds);
  ~CommandSolver() override;
  CommandSolver(const CommandSolver&) = delete;
  CommandSolver& operator=(const CommandSolver&) = delete;

  SolverReply solve(const LcpProblem& problem) override;

 private:
  enum class Exchange { answered, ended, timed_out };

  void start();
  /// Ends the program and everything it started; returns how it had ended, in words.
  std::string stop();
  Exchange exchange(const std::string& line, std::string& answer);

  std::string command_;
  double timeout_seconds_;
  pid_t process_ = -1;
  int to_program_ = -1, from_program_ = -1;
};

}  // namespace jade::reports
