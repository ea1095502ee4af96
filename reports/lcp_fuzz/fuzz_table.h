#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "lcp_fuzz/campaign.h"

namespace jade::reports {

/// The table family × solver for people.
std::string text_table(const FuzzSettings& settings, const FuzzResult& result);

/// The same as {"title", "columns", "rows", "notes"}, which the report includes.
nlohmann::ordered_json report_table(const FuzzSettings& settings, const FuzzResult& result);

/// Everything that was counted, for scripts.
nlohmann::ordered_json to_json(const FuzzSettings& settings, const FuzzResult& result);

}  // namespace jade::reports
