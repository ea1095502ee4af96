#include "reports/write_report.h"

#include "jade/base/atomic_file.h"
#include "reference/protocol.h"
#include "reports/html_report.h"
#include "reports/junit.h"
#include "reports/markdown_report.h"
#include "reports/results_json.h"

namespace jade::reports {

void write_report(SuiteRun& run, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "recordings");
  run.benchmarks = load_benchmark_tables((folder / "benchmarks").string());
  for (const cases::CaseResult& r : run.results) {
    if (!r.recording.frames.empty()) {
      write_file(folder / "recordings" / recording_file(r), reference::recording_lines(r.recording));
    }
  }
  write_file(folder / "results.json", results_json(run));
  write_file(folder / "junit.xml", junit_xml(run));
  write_file(folder / "report.md", markdown_report(run));
  write_file(folder / "report.html", html_report(run));
}

}  // namespace jade::reports
