#pragma once

#include <functional>

#include "generators/world_growth.h"
#include "jade/model/model.h"

namespace jade::reports {

/// Makes a failing world small while it keeps failing: fewer bodies, nothing moving that need not, no gravity, friction
/// and bounce that it can do without, rounder numbers. `fails` is called at most `tries` times, with valid scenes only.
generators::World shrink(const generators::World& world,
                         const std::function<bool(const generators::World&)>& fails, int tries = 300);

/// The same world at another time: its bodies placed and moving as `state` says.
generators::World world_at(const generators::World& world, const State& state);

}  // namespace jade::reports
