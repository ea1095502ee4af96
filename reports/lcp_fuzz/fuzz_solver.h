#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jade/lcp/lcp_solver.h"

namespace jade::reports {

/// How a solver ended on a problem, in its own words.
enum class Claim {
  solved,
  gave_up,  ///< says that it found nothing valid
  crashed,  ///< its process ended
  garbage,  ///< its answer could not be read
  hung,     ///< no answer in time; it was stopped
};

struct SolverReply {
  Claim claim = Claim::solved;
  VecX f;
  double regularisation = 0;  ///< when it gave up: f is claimed to solve A + εI; 0: nothing is claimed
  double microseconds = 0;
  std::string detail;  ///< why there is no answer
};

/// A solver under test. One instance per thread; it may keep memory or a process between problems, never a result.
class FuzzSolver {
 public:
  virtual ~FuzzSolver() = default;
  virtual SolverReply solve(const LcpProblem& problem) = 0;
};

/// A solver that can be made as often as there are threads.
struct SolverSpec {
  std::string name;
  bool must_be_valid = false;  ///< `jade` and the user's own command: an invalid answer fails the run
  std::function<std::unique_ptr<FuzzSolver>()> make;
};

/// Names of every solver that `solver_named` knows, ours first.
std::vector<std::string> solver_names();

/// A method of this engine (`jade`, `dantzig`, `ergodic`, `lemke`, `pgs`) or a peer (`bullet-dantzig`, …), whose
/// program stands in `peer_folder`. Throws InvalidInput for an unknown name, std::runtime_error when the program is
/// missing.
SolverSpec solver_named(std::string_view name, const std::string& peer_folder, double timeout_seconds);

/// A program that stays alive, reads a problem a line and answers `{"f": […]}` a line.
SolverSpec solver_command(const std::string& command, double timeout_seconds);

}  // namespace jade::reports
