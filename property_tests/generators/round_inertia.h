#pragma once

#include "generators/world_growth.h"

namespace jade::generators {

/// Every body as heavy as before and equally hard to turn about every axis: then free rotation is exact, and what is left
/// of a change of angular momentum or energy is made by contacts.
World with_round_inertia(World world);

}  // namespace jade::generators
