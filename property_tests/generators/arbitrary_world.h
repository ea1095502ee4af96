#pragma once

#include <ostream>

#include <rapidcheck.h>

#include "generators/world_growth.h"
#include "jade/model/scene_json.h"

namespace jade::generators {

/// RapidCheck prints a counterexample as its time step and the scene file that reproduces it.
inline void showValue(const World& world, std::ostream& out) {
  out << "h = " << world.h << '\n' << scene_to_json(world.scene);
}

/// Worlds in which nothing intersects; counterexamples shrink to few things with plain numbers.
inline rc::Gen<World> arbitrary_world(const Climate& climate = {}) {
  const auto number = rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>());
  const auto seed = rc::gen::build<Seed>(
      rc::gen::set(&Seed::thing, rc::gen::map(rc::gen::inRange(0, static_cast<int>(Thing::walker) + 1),
                                              [](int thing) { return static_cast<Thing>(thing); })),
      rc::gen::set(&Seed::numbers, number));
  const auto seeds =
      rc::gen::mapcat(rc::gen::inRange<std::size_t>(1, static_cast<std::size_t>(climate.most_things) + 1),
                      [=](std::size_t n) { return rc::gen::container<std::vector<Seed>>(n, seed); });
  return rc::gen::apply(
      [climate](std::uint64_t setting, const std::vector<Seed>& list) {
        return grow_world(setting, list, climate);
      },
      number, seeds);
}

}  // namespace jade::generators
