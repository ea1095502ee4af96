#pragma once

#include <string>

#include "reports/suite_run.h"

namespace jade::reports {

/// report.html: one file without outside resources: matrix of verdicts, plots against the closed forms, every
/// measurement, benchmarks, engines with their settings.
std::string html_report(const SuiteRun& run);

}  // namespace jade::reports
