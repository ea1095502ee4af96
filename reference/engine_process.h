#pragma once

#include <string>

#include "reference/world.h"

namespace jade::reference {

struct ProcessLimits {
  double timeout_seconds = 120;            ///< from start to end line; the process group is killed after it
  std::size_t output_bytes = 512u << 20u;  ///< more than this is no recording
};

/// Runs a shell command that speaks the protocol of protocol.h. A command that crashes, hangs, or says something
/// else gives a recording with status error and a reason that holds the end of what it wrote to standard error.
/// Throws std::system_error only when no process can be started at all.
[[nodiscard]] Recording run_engine_process(const std::string& command, const RunRequest& request,
                                           const ProcessLimits& limits = {});

}  // namespace jade::reference
