#include <fstream>
#include <thread>

#include <sys/utsname.h>

#include "jade/base/version.h"
#include "reports/commit.h"
#include "reports/suite_run.h"

namespace jade::reports {
namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string system_name() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  return std::string(name.sysname) + " " + name.machine;
}

}  // namespace

Environment this_environment() {
  return {.version = version(),
          .commit = JADE_COMMIT,
          .compiler = JADE_COMPILER,
          .build_type = JADE_BUILD_TYPE,
          .cpu = cpu_name(),
          .system = system_name(),
          .cores = static_cast<int>(std::thread::hardware_concurrency())};
}

}  // namespace jade::reports
