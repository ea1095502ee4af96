#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cases/verdict.h"

namespace jade::cases {

/// One way to a goal, and how near it came.
struct OptimisationRow {
  std::string method;    ///< who searched, and how
  std::string found;     ///< the variables in the end
  std::string quantity;  ///< what `error` is of
  double error = 0;      ///< distance from the goal, in `unit`
  std::string unit;
  double tolerance = 0;  ///< 0: shown for comparison, nothing is asked of it
  std::string why;       ///< reason of the tolerance, or what the row shows
  int evaluations = 0;   ///< of the simulation; 0: none
  Verdict verdict() const;
};

/// A task that a gradient solves, with a known answer.
struct OptimisationCase {
  std::string name;
  std::string claim;
  std::string source;
  std::function<std::vector<OptimisationRow>()> solve;
};

class RegisterOptimisationCase {
 public:
  explicit RegisterOptimisationCase(OptimisationCase description);
};
const std::vector<OptimisationCase>& all_optimisation_cases();

struct OptimisationResult {
  std::string case_name;
  std::vector<OptimisationRow> rows;
  Verdict verdict = Verdict::not_applicable;
  std::string reason;
};
[[nodiscard]] OptimisationResult run_optimisation_case(const OptimisationCase& c);

}  // namespace jade::cases
