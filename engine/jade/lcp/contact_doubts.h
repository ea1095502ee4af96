#pragma once

#include "jade/lcp/lcp_problem.h"

namespace jade::lcp {

/// What a quick look at a contact problem leaves in doubt. A closer look decides: it may still be sound.
struct Doubts {
  bool dimensions = false;
  bool matrix = false;   ///< A is not finite, or differs from its transpose in some bit
  bool numbers = false;  ///< b is not finite; β is not finite or negative
  bool rows =
      false;  ///< an A_ii that is negative or not finite, a friction index or coefficient that cannot be

  bool any() const { return dimensions | matrix | numbers | rows; }
};

Doubts doubts_about_contacts(const LcpProblem& problem);
/// The same without a look at A beside its diagonal.
bool formed_is_in_doubt(const LcpProblem& problem);

}  // namespace jade::lcp
