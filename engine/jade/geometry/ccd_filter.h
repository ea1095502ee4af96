#pragma once

#include <optional>

#include "jade/geometry/ccd_query.h"

namespace jade {

/// What floating point can prove about a query with finite coordinates, or nothing. The stages are described at
/// `exact_ccd`. Internal: this header is not installed.
std::optional<CcdResult> filter_ccd(const CcdQuery& query);

}  // namespace jade
