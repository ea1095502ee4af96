#pragma once

#include "step_contest.h"

namespace jade::benchmarks {

/// DART with its own collision detector; the ground is a large box, since that detector knows no half-spaces.
std::unique_ptr<reference::World> make_dart_world(const StepScene& scene);

}  // namespace jade::benchmarks
