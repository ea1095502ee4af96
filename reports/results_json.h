#pragma once

#include <string>

#include "reports/suite_run.h"

namespace jade::reports {

/// results.json, schema "jade-results-1": environment, engines with their settings, every case with every
/// measurement. A number that is not finite is null beside a key <name>_reason. Everything but `wall_seconds` and
/// `environment` is the same for the same build, whatever the number of jobs.
std::string results_json(const SuiteRun& run);

/// The cases and engines as JSON, for `jade list --json`.
std::string list_json(const std::vector<cases::Case>& cases, const std::vector<reference::Engine>& engines);

/// Everything about one case, for `jade show CASE --json`: what it claims and what each expectation allows.
std::string case_json(const cases::Case& c);

}  // namespace jade::reports
