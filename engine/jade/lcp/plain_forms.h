#pragma once

#include "jade/lcp/lcp_solver.h"
#include "jade/lcp/lemke.h"

namespace jade::lcp {

/// Plain and boxed problems: any matrix, no contact structure to use.
///
/// A plain problem goes to Lemke's method, in double and then in quad. A ray is followed by the question whether
/// any x ≥ 0 with A x + b ≥ 0 exists (a linear program, itself solved as the LCP of its optimality conditions);
/// the answer `infeasible` rests on a vector y ≥ 0 with Aᵀy ≤ 0, bᵀy < 0 that is checked before it is believed.
///
/// A boxed problem becomes a plain one in new unknowns y ≥ 0: x = lo + y with 0 ≤ λ ⟂ hi − lo − y ≥ 0 for an upper
/// bound, x = hi − y without a lower one, x = y − y′ without any; moving bounds likewise, with x_findex in place of 1.
struct PlainOutcome {
  LcpStatus status = LcpStatus::no_solution_found;
  const char* stage = "";
  int pivots = 0;
};
PlainOutcome solve_plain_or_boxed(const LcpProblem& problem, const LcpSettings& settings, VecX& x);

/// Projected Gauss–Seidel on a plain or boxed problem; rows with A_ii ≤ 0 stay where they are.
PlainOutcome pgs_on_plain_or_boxed(const LcpProblem& problem, const LcpSettings& settings, VecX& x);

/// Classes read off a solution of a plain or boxed problem.
void classify_plain_or_boxed(const LcpProblem& problem, const VecX& x, const VecX& w,
                             std::vector<RowClass>& classes);

}  // namespace jade::lcp
