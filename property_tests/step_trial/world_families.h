#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/world_growth.h"

namespace jade::step_trial {

/// A kind of world to fuzz the step with, and what one step may add to its kinetic energy. Impacts and contacts never
/// add any beyond push-out work; the bound is for free rotation and joints, which the scheme follows to second order in
/// the turn of a segment, half a radian at most. Single bodies gain less than a hundredth by it; a chain of links that
/// whirl against each other can gain four tenths in such a step (and 0.7 % in half of it), so there it only tells blow-ups.
struct WorldFamily {
  std::string name, meaning;
  generators::Climate climate;
  double energy_bound = 0;  ///< as a share of the kinetic energy
};

const std::vector<WorldFamily>& world_families();
std::optional<WorldFamily> world_family_named(const std::string& name);

}  // namespace jade::step_trial
