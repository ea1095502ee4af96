#pragma once

#include <memory>

#include "reference/world.h"

namespace jade::reference {

/// Our own engine, in this process. Engines `jade` (the default integrator), `jade:semi_implicit_euler` and
/// `jade:explicit_euler`.
std::unique_ptr<World> make_jade_world(const RunRequest& request);

}  // namespace jade::reference
