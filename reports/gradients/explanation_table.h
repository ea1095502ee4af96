#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "campaign/table.h"
#include "gradient_trial/explanation.h"

namespace jade::reports {

/// Differences of all nudges beside the gradient, and the stages of both steps: all of them, or those about the first at which
/// tape and differences part.
std::vector<Table> tables_of(const gradient_trial::Explanation& explanation, bool all_stages);
nlohmann::ordered_json to_json(const gradient_trial::Explanation& explanation);

}  // namespace jade::reports
