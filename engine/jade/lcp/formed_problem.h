#pragma once

#include "jade/lcp/lcp_solver.h"

namespace jade {

/// True when `classes` are those of a solution to the last digits, which is then in `solution`. For a contact problem of
/// whose classes there is more than one good guess: where this one fails nothing else is tried.
/// Throws InvalidInput as `solve` does.
[[nodiscard]] bool solve_for_classes(const LcpProblem& problem, const LcpSettings& settings,
                                     const std::vector<RowClass>& classes, LcpWorkspace& workspace,
                                     LcpSolution& solution);

}  // namespace jade
