#include <algorithm>

#include <fmt/format.h>

#include "cases/case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

constexpr int kBoxes = 10;
constexpr double kSide = 0.2;

Vec3 place_of(int box) { return {0, 0, kSide / 2 + kStandoff + box * (kSide + kStandoff)}; }

SceneDescription scene() {
  SceneDescription s = contact_scene("stack", kGravity, 0.5, 0);
  s.bodies = {fixed_solid("ground", HalfSpace{})};
  for (int i = 0; i < kBoxes; ++i)
    s.bodies.push_back(free_solid(fmt::format("box{}", i + 1), Box{Vec3(kSide, kSide, kSide)}, place_of(i)));
  return s;
}

Quantity drift() {
  return {"largest drift", "m", [](const Mechanism& m, const reference::Frame& f) {
            double most = 0;
            for (int i = 0; i < kBoxes; ++i)
              most = std::max(most, (m.centre_of_mass(f, i + 1) - place_of(i)).norm());
            return VecX::Constant(1, most);
          }};
}

const RegisterCase stack{{
    .name = "stack",
    .claim = "Ten boxes on each other stand still for five seconds.",
    .source = "statics",
    .scene = scene,
    .time_step = 0.01,
    .steps = 500,
    .record_every = 10,
    .expects = {equals(
                    drift(), 0.0,
                    {.absolute = 1e-9,
                     .covers = Covers::solver,
                     .why = "500 steps of contact forces exact to rounding, ten boxes high: 1e-13 m/s each"})
                    .at_first_order({.absolute = 1.01 * kBoxes * kStandoff,
                                     .covers = Covers::model_limit,
                                     .why = "without a gap every box comes down by the standoffs below it"}),
                never_intersects()},
    .wrong =
        [](SceneDescription& s) {
          s.gravity.x() = 0.05 * kGravity;
          s.pairs[0].friction = 0;
        },
}};

}  // namespace
}  // namespace jade::cases
