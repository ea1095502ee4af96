#pragma once

#include <filesystem>

#include "reports/suite_run.h"

namespace jade::reports {

/// Writes results.json, junit.xml, report.md, report.html and recordings/ into the folder, each file whole or not
/// at all. Tables found in the folder's benchmarks/ become part of the run first. Throws
/// std::filesystem::filesystem_error when something cannot be written.
void write_report(SuiteRun& run, const std::filesystem::path& folder);

}  // namespace jade::reports
