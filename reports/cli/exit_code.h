#pragma once

namespace jade::cli {

/// What `jade` tells the shell. Stable: scripts rely on it.
enum ExitCode {
  kSuccess = 0,      ///< everything of ours passed
  kFailure = 1,      ///< something of ours failed
  kUsage = 2,        ///< wrong arguments or an input that cannot be used
  kEnvironment = 3,  ///< something the machine lacks, or a file that cannot be read or written
};

}  // namespace jade::cli
