#pragma once

#include <atomic>

namespace jade::cli {

/// From now on the first Ctrl-C sets the flag, so that long work ends with what it has; the second ends the program.
void listen_for_interrupt();

const std::atomic<bool>& interrupted();

}  // namespace jade::cli
