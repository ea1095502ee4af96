#include "cases/optimisation_case.h"

#include <algorithm>

#include "jade/base/error.h"

namespace jade::cases {
namespace {

std::vector<OptimisationCase>& registry() {
  static std::vector<OptimisationCase> cases;
  return cases;
}

}  // namespace

Verdict OptimisationRow::verdict() const {
  if (tolerance == 0) return Verdict::not_applicable;
  return error <= tolerance ? Verdict::pass : Verdict::fail;
}

RegisterOptimisationCase::RegisterOptimisationCase(OptimisationCase description) {
  std::vector<OptimisationCase>& cases = registry();
  const auto place =
      std::lower_bound(cases.begin(), cases.end(), description.name,
                       [](const OptimisationCase& c, const std::string& name) { return c.name < name; });
  if (place != cases.end() && place->name == description.name) {
    throw InvalidInput("optimisation cases",
                       {{description.name, "is registered twice", "give one of them another name"}});
  }
  cases.insert(place, std::move(description));
}

const std::vector<OptimisationCase>& all_optimisation_cases() { return registry(); }

OptimisationResult run_optimisation_case(const OptimisationCase& c) {
  OptimisationResult result{.case_name = c.name};
  try {
    result.rows = c.solve();
    std::vector<Verdict> verdicts;
    for (const OptimisationRow& row : result.rows) verdicts.push_back(row.verdict());
    result.verdict = worst(verdicts);
  } catch (const std::exception& error) {
    result.verdict = Verdict::engine_error;
    result.reason = error.what();
  }
  return result;
}

}  // namespace jade::cases
