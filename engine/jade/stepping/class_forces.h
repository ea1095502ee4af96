#pragma once

#include <vector>

#include "jade/lcp/lcp_solver.h"

namespace jade {

/// Forces of given classes: f = P x with x the free rows, S (A P x + b) = 0. Redundant rows are shared by a compliance
/// that vanishes: x ← x + (K + ε)⁻¹(−b − K x).
VecX forces_of_classes(const LcpProblem& problem, const std::vector<RowClass>& classes);

}  // namespace jade
