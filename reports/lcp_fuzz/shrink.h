#pragma once

#include <functional>
#include <optional>

#include "jade/lcp/lcp_problem.h"

namespace jade::reports {

/// Makes a failing contact problem small while it keeps failing: fewer contacts, fewer bodies (those that J moves
/// and that are held still instead), rounder numbers. Works on the factors when there are any, so that b = J u + k
/// keeps its meaning and a solvable problem stays solvable. `fails` sees each candidate as it would be saved: without
/// factors. It is called at most `tries` times.
/// Returns the smallest failing problem found, without factors; nothing when the problem does not fail without them.
std::optional<LcpProblem> shrink(const LcpProblem& problem,
                                 const std::function<bool(const LcpProblem&)>& fails, int tries = 2000);

}  // namespace jade::reports
