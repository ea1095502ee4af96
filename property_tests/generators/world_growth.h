#pragma once

#include <cstdint>
#include <vector>

#include "jade/model/scene_description.h"

namespace jade::generators {

/// What is thrown into a world. Some are several bodies: a stack of boxes, a pendulum of two links, an arm.
enum class Thing { sphere, box, capsule, cylinder, hull, plate, angle, ring, stack, pendulum, walker };

/// One thing of a world in two words that can be made simpler one by one: every list of them grows into a valid world in
/// which nothing intersects, so leaving things away and taking plainer numbers shrinks a counterexample.
struct Seed {
  Thing thing = Thing::sphere;
  std::uint64_t numbers = 0;  ///< seed of sizes, places and speeds; 0: plain ones, at rest
};

/// What a world is grown with.
struct Climate {
  bool fixed = true;           ///< a floor and walls; without, all that moves is free
  bool articulated = true;     ///< joints between bodies
  bool gravity = true;         ///< in some worlds; without, in none
  bool touching = true;        ///< see World::touches_without_load; without, in none
  double fastest = 100;        ///< [m/s]
  double spin = 200;           ///< [rad/s]
  double longest_step = 0.05;  ///< [s]
  int most_things = 6;
};

struct World {
  SceneDescription scene;
  double h = 0.01;  ///< the time step to take [s]
  /// Something was placed at the standoff of what it would rest on, and there is no gravity: it touches without a load. Gap,
  /// closing speed and force all vanish there, which only a landing without a bounce leads to: a start of measure zero, and a
  /// kink of the physics itself, since what is moved into the floor is pushed and what is moved away is not. A step must
  /// cope with it, so it is drawn; who counts how often a gradient exists says how many of these there were, or leaves
  /// them out: without Climate::touching the same things are placed some distance above what they would rest on.
  bool touches_without_load = false;
};

/// `setting` is the seed of what holds for the whole: floor, friction, restitution, gravity, time step; 0: plain ones.
World grow_world(std::uint64_t setting, const std::vector<Seed>& seeds, const Climate& climate);

/// World number `index` of the campaign `seed`: the same on every machine.
World random_world(std::uint64_t seed, std::uint64_t index, const Climate& climate);

}  // namespace jade::generators
