#include "step_trial/world_families.h"

namespace jade::step_trial {

const std::vector<WorldFamily>& world_families() {
  static const std::vector<WorldFamily> families{
      {.name = "gentle",
       .meaning = "rigid bodies on a floor, up to 20 m/s, 10 rad/s, steps to 0.02 s",
       .climate = {.articulated = false, .fastest = 20, .spin = 10, .longest_step = 0.02},
       .energy_bound = 0.02},
      {.name = "fast",
       .meaning = "rigid bodies on a floor, up to 100 m/s, 200 rad/s, steps to 0.05 s",
       .climate = {.articulated = false},
       .energy_bound = 0.02},
      {.name = "jointed", .meaning = "the same with pendulums and walkers", .climate = {}, .energy_bound = 1},
      {.name = "floating",
       .meaning = "free bodies without gravity, floor and walls: momentum is kept",
       .climate = {.fixed = false, .articulated = false, .gravity = false},
       .energy_bound = 0.02},
      {.name = "crowded",
       .meaning = "up to 12 things, stacks among them, within walls",
       .climate = {.fastest = 20, .spin = 50, .longest_step = 0.02, .most_things = 12},
       .energy_bound = 1},
  };
  return families;
}

std::optional<WorldFamily> world_family_named(const std::string& name) {
  for (const WorldFamily& family : world_families())
    if (family.name == name) return family;
  return std::nullopt;
}

}  // namespace jade::step_trial
