#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cases/optimisation_case.h"
#include "campaign/table.h"

namespace jade::reports {

/// case × method: what was found, how far from the goal, after how many simulations.
Table table_of(const std::vector<cases::OptimisationResult>& results);
nlohmann::ordered_json to_json(const std::vector<cases::OptimisationResult>& results);

}  // namespace jade::reports
