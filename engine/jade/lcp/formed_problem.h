#pragma once

#include "jade/lcp/lcp_solver.h"

namespace jade {

/// For who has formed A = J M⁻¹ Jᵀ and mirrored its upper half into the lower: a contact problem that is symmetric without a
/// look at it, and finite where its diagonal is. All of them throw InvalidInput as `solve` does.

/// `solve` for such a problem.
void solve_formed(const LcpProblem& problem, const LcpSettings& settings,
                  const std::vector<RowClass>& warm_classes, LcpWorkspace& workspace, LcpSolution& solution);

/// True when `classes` are those of a solution to the last digits, which is then in `solution`. For a problem of whose
/// classes there is more than one good guess: where this one fails nothing else is tried.
[[nodiscard]] bool solve_formed_for_classes(const LcpProblem& problem, const LcpSettings& settings,
                                            const std::vector<RowClass>& classes, LcpWorkspace& workspace,
                                            LcpSolution& solution);

}  // namespace jade
