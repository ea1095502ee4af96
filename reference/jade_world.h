#pragma once

#include <memory>
#include <optional>

#include "jade/stepping/propagate.h"
#include "reference/world.h"

namespace jade::reference {

/// Our own engine, in this process. Engines `jade` (the default integrator), `jade:semi_implicit_euler` and
/// `jade:explicit_euler`.
std::unique_ptr<World> make_jade_world(const RunRequest& request);

/// The integrator behind an engine of ours; nothing for other names.
std::optional<Integrator> integrator_of(const std::string& engine);

}  // namespace jade::reference
