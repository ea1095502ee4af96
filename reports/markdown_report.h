#pragma once

#include <string>

#include "reports/suite_run.h"

namespace jade::reports {

/// report.md: the matrix of verdicts, what failed, every measurement, the engines with their settings.
std::string markdown_report(const SuiteRun& run);

/// One word for a result, with its margin: `pass 0.12`, `finding 3.4`, `n/a`.
std::string short_verdict(const cases::CaseResult& result);

}  // namespace jade::reports
