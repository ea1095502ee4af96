#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cases/gradient_case.h"
#include "campaign/table.h"

namespace jade::reports {

/// case × variable: analytic, truth, digits, regular or kink.
Table table_of(const std::vector<cases::GradientResult>& results);
nlohmann::ordered_json to_json(const std::vector<cases::GradientResult>& results);

}  // namespace jade::reports
