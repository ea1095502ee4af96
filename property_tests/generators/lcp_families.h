#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "jade/lcp/lcp_problem.h"

namespace jade::generators {

/// A named kind of contact problem.
struct LcpFamily {
  std::string_view name;     ///< as users write it, e.g. `box_sliding`
  std::string_view meaning;  ///< one line for --help and for the report
  /// b can leave the range of J, so that some problems have no solution: counted apart. In every other family
  /// each problem is solvable by construction: b = J w for some w (the compliance path then ends at ε = 0).
  bool may_have_no_solution = false;
};

/// Every family, in the order of reports.
std::span<const LcpFamily> lcp_families();
/// nullptr when there is none of that name.
const LcpFamily* lcp_family_named(std::string_view name);

/// All that a generated problem depends on: the same id gives the same bits on every machine and in every build.
struct LcpProblemId {
  std::uint64_t seed = 1;
  std::string_view family = "random";
  std::uint64_t index = 0;
  int max_contacts = 16;
  /// Exactly max_contacts contacts rather than one to max_contacts.
  bool exact = false;
};

/// "seed 1, family stack, index 17, max contacts 16"
std::string to_string(const LcpProblemId& id);

/// The problem of an id, with its factors. Throws InvalidInput for an unknown family or max_contacts < 1.
LcpProblem make_lcp_problem(const LcpProblemId& id);

}  // namespace jade::generators
