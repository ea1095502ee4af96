#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "campaign/table.h"
#include "cases/optimisation_case.h"

namespace jade::reports {

/// case × method: what was found, how far from the goal, after how many simulations.
Table table_of(const std::vector<cases::OptimisationResult>& results);
nlohmann::ordered_json to_json(const std::vector<cases::OptimisationResult>& results);

}  // namespace jade::reports
