#pragma once

#include <vector>

#include "jade/lcp/lcp_solver.h"

namespace jade {

/// Forces of given classes: f = P x with x the free rows, S (A P x + b) = 0. Redundant rows share their load as a vanishing
/// compliance lets them, and what they contradict each other in is met in the mean, at no price: see
/// ClassInverse::factor_shared. Small steps with a compliance would leave the contradiction over the compliance as forces that
/// move nothing, and yet have a derivative. Not finite where the problem is not.
VecX forces_of_classes(const LcpProblem& problem, const std::vector<RowClass>& classes);

}  // namespace jade
