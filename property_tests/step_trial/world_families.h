#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/world_growth.h"

namespace jade::step_trial {

/// A kind of world to fuzz the step with, and what one step may add to its kinetic energy. Impacts and contacts never
/// add any beyond push-out work; the bound is for free rotation and joints, which the scheme follows to second order in
/// the turn of a segment, half a radian at most.
struct WorldFamily {
  std::string name, meaning;
  generators::Climate climate;
  double energy_bound = 0;  ///< as a share of the kinetic energy
};

const std::vector<WorldFamily>& world_families();
std::optional<WorldFamily> world_family_named(const std::string& name);

}  // namespace jade::step_trial
