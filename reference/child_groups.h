#pragma once

#include <sys/types.h>

namespace jade::reference {

/// Process groups of programs that work for us. A terminal's Ctrl-C does not reach them, so whoever ends this process
/// early ends them first.
void remember_child_group(pid_t leader);
void forget_child_group(pid_t leader);

/// Kills all that are remembered. Allowed in a signal handler.
void kill_child_groups();

}  // namespace jade::reference
