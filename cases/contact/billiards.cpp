#include <cmath>

#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/impacts.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.01, kRadius = 0.05;
const Vec2 kShot(4, -0.1);

closed_form::Billiards table(double duration) {
  return {.radius = kRadius, .standoff = kStandoff, .restitution = 1, .duration = duration};
}

/// A smooth table with weight on it, so that the contacts with the table take part in the impact.
SceneDescription scene() {
  SceneDescription s = contact_scene("billiards", kGravity, 0, 1);
  const Vec2 start = table(1).start;
  const double z = kRadius + kStandoff;
  s.bodies = {
      fixed_solid("table", HalfSpace{}),
      free_solid("shot", Sphere{kRadius}, Vec3(start.x(), start.y(), z), Vec3(kShot.x(), kShot.y(), 0)),
      free_solid("target", Sphere{kRadius}, Vec3(0, 0, z))};
  return s;
}

ClosedForm target(int axis) {
  return [=](double t) { return table(t).shoot(kShot).position[axis]; };
}

/// Before the impact the shot is where it started plus v t, and the sum of both balls' ways always is.
ClosedForm shot(int axis) {
  return
      [=](double t) { return table(t).start[axis] + t * kShot[axis] - table(t).shoot(kShot).position[axis]; };
}

const Tolerance kLocated{
    .absolute = 1e-9,
    .covers = Covers::rounding,
    .why =
        "no force acts along the table, so every scheme is exact between impacts, and the moment "
        "of impact is located to rounding: 1e-12 s at 4 m/s, and 1/L = 10/m for the direction"};

const RegisterCase billiards{{
    .name = "billiards",
    .claim = "A ball shot at another on a smooth table sends it along the line of centres.",
    .source = "momentum and energy of the two-ball impact, met at the distance 2 r plus the standoff",
    .scene = scene,
    .time_step = kStep,
    .steps = 20,
    .expects = {equals(position_of("target", 0), target(0), kLocated),
                equals(position_of("target", 1), target(1), kLocated),
                equals(position_of("shot", 0), shot(0), kLocated),
                equals(position_of("shot", 1), shot(1), kLocated),
                conserves(kinetic_energy(),
                          {.relative = 1e-12, .covers = Covers::rounding, .why = "e = 1, no friction"}),
                never_intersects()},
}};

}  // namespace
}  // namespace jade::cases
