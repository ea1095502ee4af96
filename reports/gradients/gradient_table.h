#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "campaign/table.h"
#include "cases/gradient_case.h"

namespace jade::reports {

/// case × variable: analytic, truth, digits, regular or kink.
Table table_of(const std::vector<cases::GradientResult>& results);
nlohmann::ordered_json to_json(const std::vector<cases::GradientResult>& results);

}  // namespace jade::reports
