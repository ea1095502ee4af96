#pragma once

#include <ostream>

#include <rapidcheck.h>

#include "generators/scene_growth.h"
#include "jade/model/scene_json.h"

namespace jade {

/// RapidCheck prints a counterexample as the scene file that reproduces it.
inline void showValue(const SceneDescription& scene, std::ostream& out) { out << scene_to_json(scene); }

namespace generators {

/// Valid scenes; counterexamples shrink to few bodies, hung on the world, with plain numbers.
inline rc::Gen<SceneDescription> arbitrary_scene(const Soil& soil = {}) {
  const auto sprout = rc::gen::build<Sprout>(
      rc::gen::set(&Sprout::kind, rc::gen::elementOf(soil.kinds)),
      rc::gen::set(&Sprout::parent,
                   rc::gen::weightedElement<std::uint32_t>({{4, 1}, {2, 2}, {2, 3}, {1, 5}, {1, 0}})),
      rc::gen::set(&Sprout::numbers, rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>())));
  const auto sprouts =
      rc::gen::mapcat(rc::gen::inRange<std::size_t>(1, static_cast<std::size_t>(soil.most_bodies) + 1),
                      [=](std::size_t n) { return rc::gen::container<std::vector<Sprout>>(n, sprout); });
  return rc::gen::map(sprouts, [soil](const std::vector<Sprout>& list) { return grow(list, soil); });
}

}  // namespace generators
}  // namespace jade
