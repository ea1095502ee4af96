#pragma once

#include <string>
#include <vector>

#include "cases/case.h"
#include "reference/engines.h"

namespace jade::cli {

/// The cases of these names, in the order of the registry; all when none is named. Throws InvalidInput with a
/// suggestion for every name that is unknown.
std::vector<cases::Case> select_cases(const std::vector<std::string>& names);

/// The engines of these names, in the given order; all that are known when none is named. `commands` are engines
/// given as NAME=COMMAND, which are always included.
std::vector<reference::Engine> select_engines(const std::vector<std::string>& names,
                                              const std::vector<std::string>& commands,
                                              double timeout_seconds);

}  // namespace jade::cli
