#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "jade/model/scene_description.h"

namespace jade {

/// Which bodies and shapes of a scene can meet at all. Two bodies never do when
///   - they cannot move against each other: the same body, or bodies welded together by fixed joints, where all
///     bodies fixed to the world count as welded together;
///   - one hangs on the other by a joint that does not ask for `collides_with_parent`;
///   - they are listed in `never_collide`.
/// Two shapes of bodies that can meet do so iff each is in a group that the other collides with.
/// A scene with unknown parents or cycles is fine here: an unknown parent is taken for the world.
class CollisionFilter {
 public:
  explicit CollisionFilter(const SceneDescription& scene);

  /// Bodies by their index in the scene.
  bool bodies_can_meet(int a, int b) const;

  /// Whether a body is fixed to the world, directly or through other fixed bodies.
  bool fixed_to_world(int body) const { return weld_[static_cast<std::size_t>(body)] < 0; }

  /// The body that stands for all bodies welded to this one (that nearest to the world); −1: the world itself.
  int weld(int body) const { return weld_[static_cast<std::size_t>(body)]; }

 private:
  static std::uint64_t key(int a, int b);

  void exclude(int a, int b);

  std::vector<int> weld_;
  std::vector<char> excludes_;  ///< per body: whether it is in `excluded_` with some other
  std::unordered_set<std::uint64_t> excluded_;
};

bool shapes_can_meet(const ShapeDescription& a, const ShapeDescription& b);

}  // namespace jade
