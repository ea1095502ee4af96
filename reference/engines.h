#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/world.h"

namespace jade::reference {

/// An engine that cases can be run on.
struct Engine {
  std::string name;
  std::string description;
  bool ours = false;    ///< a failed expectation of ours is a failure; a peer's is a finding
  std::string missing;  ///< why it cannot be run here; empty: it can
  std::function<Recording(const RunRequest&)> run;
};

/// Every engine this build knows, ours first, whether it can be run here or not.
std::vector<Engine> known_engines();

/// An engine behind a command that speaks the protocol of protocol.h.
Engine command_engine(const std::string& name, const std::string& command, double timeout_seconds = 120);

}  // namespace jade::reference
