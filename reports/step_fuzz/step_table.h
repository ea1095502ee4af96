#pragma once

#include "campaign/table.h"
#include "step_fuzz/step_campaign.h"

namespace jade::reports {

/// A line per family: what was done, what went wrong, how near things came.
Table table_of(const StepFuzzSettings& settings, const StepFuzzResult& result);

/// The same with every failure, to be made again from seed, family and index.
nlohmann::ordered_json to_json(const StepFuzzSettings& settings, const StepFuzzResult& result);

}  // namespace jade::reports
