#pragma once

#include "reference/world.h"

namespace jade::reference {

/// The main function of an adapter executable: reads a request from standard input, runs it in the world that
/// `factory` builds and writes the recording as it goes. Returns the process's exit code: 0 when the protocol
/// was spoken to its end (whatever the status), 2 when the request could not be read.
int adapter_main(int argc, char** argv, const char* help, const WorldFactory& factory);

}  // namespace jade::reference
