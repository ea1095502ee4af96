#include "cases/case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

constexpr double kSide = 0.1, kThickness = 0.002, kPlate = 1;
constexpr double kMeets =
    kPlate - kThickness / 2 - kSide / 2 - kStandoff;  ///< centre of the cube at the plate

/// A metre a step, against two millimetres. In weightlessness: nothing but the plate can stop the cube.
SceneDescription scene() {
  SceneDescription s = contact_scene("thin_plate_stops_cube", 0, 0.3, 0);
  s.bodies = {fixed_solid("plate", Box{Vec3(kThickness, 1, 1)}, {.position = Vec3(kPlate, 0, 0)}),
              free_solid("cube", Box{Vec3(kSide, kSide, kSide)}, Vec3(0.2, 0, 0), Vec3(100, 0, 0))};
  return s;
}

const Tolerance kLocated{
    .absolute = 1e-9,
    .covers = Covers::rounding,
    .why = "no force acts but the impact, whose moment is located to rounding: 1e-14 s at 100 m/s"};

const RegisterCase thin_plate_stops_cube{{
    .name = "thin_plate_stops_cube",
    .claim = "A cube at 100 m/s does not pass a plate of 2 mm, though it covers a metre a step.",
    .source = "solid bodies do not pass through each other; e = 0 takes the whole speed",
    .scene = scene,
    .time_step = 0.01,
    .steps = 10,
    .expects = {ends_at(position_of("cube", 0), kMeets, kLocated),
                ends_at(velocity_of("cube", 0), 0.0, kLocated),
                never_increases(kinetic_energy(),
                                {.relative = 1e-12, .covers = Covers::rounding, .why = "e = 0"}),
                never_intersects()},
    .wrong =
        [](SceneDescription& s) {
          s.never_collide = {{"plate", "cube"}};
        },
}};

}  // namespace
}  // namespace jade::cases
