#pragma once

#include <cstdint>
#include <vector>

#include "jade/model/scene_description.h"

namespace jade::generators {

/// One body of a random scene, in three words that can be made simpler one by one: a scene is grown from a list of
/// them, and every list, whatever its numbers, grows into a valid scene. So leaving bodies away, hanging them on the
/// world and taking plainer numbers shrinks a counterexample without leaving the valid ones.
struct Sprout {
  JointKind kind = JointKind::revolute;
  std::uint32_t parent =
      0;  ///< modulo the number of bodies before it; 0: the world, 1: the body before it, …
  std::uint64_t numbers = 0;  ///< seed of its sizes, axes and speeds; 0: ones, coordinate axes, at rest
};

/// What a scene is grown with.
struct Soil {
  std::vector<JointKind> kinds{JointKind::revolute,  JointKind::free,  JointKind::ball,
                               JointKind::prismatic, JointKind::fixed, JointKind::universal,
                               JointKind::planar,    JointKind::screw};
  int most_bodies = 12;
  bool passive = true;  ///< dampers, springs and armature on some joints
  bool shapes =
      false;  ///< collision shapes, materials and a ground; some bodies weigh what their shapes weigh
  bool floating = false;  ///< nothing hangs on the world: a body without parent is free
};

/// The scene with its initial positions and velocities.
SceneDescription grow(const std::vector<Sprout>& sprouts, const Soil& soil);

/// Scene number `index` of the campaign `seed`: the same on every machine.
SceneDescription random_scene(std::uint64_t seed, std::uint64_t index, const Soil& soil);

}  // namespace jade::generators
