#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "generators/lcp_families.h"
#include "lcp_fuzz/fuzz_solver.h"
#include "lcp_judge/lcp_judge.h"

namespace jade::reports {

struct FuzzSettings {
  std::uint64_t count = 10'000;  ///< problems, shared out evenly over the families
  std::uint64_t seed = 1;
  std::vector<generators::LcpFamily> families;  ///< must not be empty
  std::vector<SolverSpec> solvers;              ///< must not be empty
  int max_contacts = 16;
  bool exact_contacts = false;
  int jobs = 1;
  double tolerance = 1e-10;
  const std::atomic<bool>* stop = nullptr;  ///< set from outside to end early with what there is
  std::function<void(std::uint64_t done)> progress = {};  ///< called from one thread, now and then
};

/// The verdict on one reply.
struct Verdict {
  bool valid = false;
  /// In a family whose problems may have no solution: not valid, said so, and valid for A + εI.
  bool compliant = false;
  bool wrong_claim = false;  ///< not valid, but it said so
  double residual = 0;
  std::string reason;  ///< "" when all is well: `NaN`, `penetrating velocity`, `gave up`, `crashed`, …

  bool acceptable() const { return valid || compliant; }
};
Verdict verdict_on(const LcpProblem& problem, const SolverReply& reply, bool may_have_no_solution,
                   double tolerance);

struct Failure {
  std::uint64_t index = 0;
  double residual = 0;
  std::string reason;
  std::string detail;  ///< why there is no answer, if there is none
};

/// Everything seen of one solver on one family. Times apart, it is the same for any number of jobs.
struct FuzzCell {
  std::uint64_t problems = 0, valid = 0, compliant = 0, wrong_claims = 0;
  double worst_residual = 0;  ///< over the answers that are finite
  std::map<std::string, std::uint64_t> reasons;
  std::vector<Failure> failures;    ///< those with the lowest indices, at most kFailuresKept
  std::vector<float> microseconds;  ///< of every problem, in no order

  static constexpr std::size_t kFailuresKept = 1000;
};

struct FuzzResult {
  std::uint64_t done = 0;
  bool interrupted = false;
  std::vector<FuzzCell> cells;  ///< family-major: [family * solvers + solver]
};

/// Problem k of a campaign is problem k / F of family k mod F, F families.
FuzzResult run_campaign(const FuzzSettings& settings);

generators::LcpProblemId problem_id(const FuzzSettings& settings, std::size_t family, std::uint64_t index);

}  // namespace jade::reports
