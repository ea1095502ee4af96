#pragma once

#include <span>
#include <string>
#include <string_view>

#include "jade/geometry/ccd_query.h"

namespace jade::reports {

/// A way of deciding straight-line queries, and what it promises. A broken promise fails a check; a wrong answer
/// that nobody promised against is a finding.
struct CcdMethod {
  std::string_view name;
  std::string_view says;
  bool promises_no_miss = false;       ///< never says "no" to a contact
  bool promises_no_false_hit = false;  ///< never says "hit" without contact
  CcdResult (*decide)(const CcdQuery&);
};

/// Every method, the default first. A new method is a line in this table.
std::span<const CcdMethod> ccd_methods();

/// Throws InvalidInput for an unknown name, listing those there are.
const CcdMethod& ccd_method_named(std::string_view name);

}  // namespace jade::reports
