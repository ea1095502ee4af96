#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/sliding.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.01, kSide = 0.2;
const closed_form::PushedCubes kCubes{
    .speed0 = 2, .gap = 0.5, .friction = 0.16, .gravity = 9, .restitution = 0};

/// The first cube stands at x = 0. They meet at the standoff, so that the free way is `gap`.
SceneDescription scene() {
  SceneDescription s = contact_scene("pushed_cubes", kCubes.gravity, kCubes.friction, kCubes.restitution);
  const Box cube{Vec3(kSide, kSide, kSide)};
  const double z = kSide / 2 + kStandoff;
  s.bodies = {fixed_solid("ground", HalfSpace{}),
              free_solid("pusher", cube, Vec3(0, 0, z), Vec3(kCubes.speed0, 0, 0)),
              free_solid("pushed", cube, Vec3(kSide + kStandoff + kCubes.gap, 0, z))};
  return s;
}

/// Way of either cube since the impact.
double pushed_way(double t) {
  return t < kCubes.impact_time() ? 0 : kCubes.pushed_after().distance(t - kCubes.impact_time());
}

double pusher_way(double t) {
  const closed_form::SlidingBlock alone{kCubes.speed0, kCubes.friction, kCubes.gravity};
  return t < kCubes.impact_time() ? alone.distance(t) : kCubes.gap + pushed_way(t);
}

const Tolerance kExact{.absolute = 1e-9,
                       .covers = Covers::rounding,
                       .why = "constant forces between events, and impact and stop are located to rounding"};
const Tolerance kEuler{
    .absolute = 2 * kCubes.speed0 * kStep,
    .why =
        "the impact comes up to a step early or late (v₀ h), and speeds of one end of each step are "
        "used (v₀ h/2 before and after)"};

const RegisterCase pushed_cubes{{
    .name = "pushed_cubes",
    .claim = "A cube slides half a metre into an equal one; they go on together at half the speed and stop "
             "after 5/6 s.",
    .source = "Coulomb friction and momentum, e = 0",
    .scene = scene,
    .time_step = kStep,
    .steps = 100,
    .expects = {equals(position_of("pusher", 0), pusher_way, kExact).at_first_order(kEuler),
                equals(
                    position_of("pushed", 0),
                    [](double t) { return kSide + kStandoff + kCubes.gap + pushed_way(t); }, kExact)
                    .at_first_order(kEuler),
                ends_at(velocity_of("pusher", 0), 0.0, kExact),
                ends_at(velocity_of("pushed", 0), 0.0, kExact), equals(position_of("pushed", 1), 0.0, kExact),
                never_increases(
                    kinetic_energy(),
                    {.relative = 1e-12, .covers = Covers::rounding, .why = "friction and impact only take"}),
                never_intersects()},
}};

}  // namespace
}  // namespace jade::cases
