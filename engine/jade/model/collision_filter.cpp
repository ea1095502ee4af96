#include "jade/model/collision_filter.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace jade {

CollisionFilter::CollisionFilter(const SceneDescription& scene) {
  const int count = static_cast<int>(scene.bodies.size());
  std::unordered_map<std::string, int> index;
  for (int i = count - 1; i >= 0; --i) index[scene.bodies[static_cast<std::size_t>(i)].name] = i;
  const auto named = [&](const std::string& name) {
    const auto found = index.find(name);
    return name.empty() || found == index.end() ? -1 : found->second;
  };
  const auto joint = [&](int body) -> const JointDescription& {
    return scene.bodies[static_cast<std::size_t>(body)].joint;
  };

  excludes_.assign(static_cast<std::size_t>(count), false);
  for (int i = 0; i < count; ++i) {
    // Up along fixed joints; a cycle of them would never end, so at most one visit each.
    int top = i;
    for (int visits = 0; top >= 0 && joint(top).kind == JointKind::fixed && visits < count; ++visits)
      top = named(joint(top).parent);
    weld_.push_back(top);

    const int parent = named(joint(i).parent);
    if (parent >= 0 && !joint(i).collides_with_parent) exclude(i, parent);
  }
  for (const auto& [a, b] : scene.never_collide)
    if (named(a) >= 0 && named(b) >= 0) exclude(named(a), named(b));
}

bool CollisionFilter::bodies_can_meet(int a, int b) const {
  return a != b && weld(a) != weld(b) &&
         !(excludes_[static_cast<std::size_t>(a)] && excludes_[static_cast<std::size_t>(b)] &&
           excluded_.contains(key(a, b)));
}

void CollisionFilter::exclude(int a, int b) {
  excluded_.insert(key(a, b));
  excludes_[static_cast<std::size_t>(a)] = excludes_[static_cast<std::size_t>(b)] = true;
}

std::uint64_t CollisionFilter::key(int a, int b) {
  const auto [low, high] = std::minmax(a, b);
  return std::uint64_t(static_cast<std::uint32_t>(low)) << 32 | static_cast<std::uint32_t>(high);
}

bool shapes_can_meet(const ShapeDescription& a, const ShapeDescription& b) {
  return (a.groups & b.collides_with) != 0 && (b.groups & a.collides_with) != 0;
}

}  // namespace jade
