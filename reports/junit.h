#pragma once

#include <string>

#include "reports/suite_run.h"

namespace jade::reports {

/// The run as JUnit XML: a test suite an engine, a test a case. A failed expectation of ours is a failure; a
/// peer's is a passed test whose output tells the finding; what does not apply is skipped.
std::string junit_xml(const SuiteRun& run);

/// Text for XML and HTML: the five special characters escaped, control characters that XML forbids dropped.
std::string escaped(const std::string& text);

}  // namespace jade::reports
