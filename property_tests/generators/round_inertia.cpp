#include "generators/round_inertia.h"

#include "jade/model/model.h"

namespace jade::generators {

World with_round_inertia(World world) {
  const Model model = build_model(world.scene);
  for (std::size_t i = 0; i < world.scene.bodies.size(); ++i) {
    const SpatialInertia& inertia = model.bodies()[i].inertia;
    const Vec3 com = inertia.moment / inertia.mass;
    const double about_com = inertia.inertia.trace() / 3 - 2.0 / 3 * inertia.mass * com.squaredNorm();
    world.scene.bodies[i].inertia = {inertia.mass, com, about_com * Mat3::Identity()};
  }
  return world;
}

}  // namespace jade::generators
