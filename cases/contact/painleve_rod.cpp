#include <cmath>

#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/thresholds.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.005, kLength = 1, kRadius = 0.005, kSpeed = 3;
const double kAngle = std::atan(2.0);

/// A thin capsule that slides foot first, leaning back: friction at its foot turns it into the floor.
SceneDescription scene(double friction) {
  SceneDescription s = contact_scene("painleve_rod", kGravity, friction, 0);
  const double half = kLength / 2;
  const double z = half * std::sin(kAngle) + kRadius + kStandoff;
  BodyDescription rod = free_solid("rod", Capsule{kRadius, half}, Vec3(0, 0, z), Vec3(kSpeed, 0, 0));
  // Its upper end is behind, towards −x.
  const Quat R(Eigen::AngleAxisd(-(M_PI / 2 - kAngle), Vec3::UnitY()));
  rod.joint.position = {0, 0, z, R.w(), R.x(), R.y(), R.z()};
  s.bodies = {fixed_solid("floor", HalfSpace{}), rod};
  return s;
}

const RegisterCase painleve_rod{{
    .name = "painleve_rod",
    .claim = "A rod that friction drives into the floor, where accelerations have no solution, goes on "
             "without energy "
             "from nowhere.",
    .source = "Painlevé 1895: at tan θ = 2 every μ above 4/3; impulses always have a solution",
    .scene = [] { return scene(1.5 * closed_form::painleve_friction(kAngle)); },
    .time_step = kStep,
    .steps = 200,
    .expects = {never_increases(
                    total_energy(),
                    {.relative = 1e-3,
                     .why =
                         "turning is followed to second order: (ω h)²/12 with up to 10 rad/s, and falls of "
                         "many steps"})
                    .at_first_order({.relative = 0.05, .why = "energies ripple by ω h with up to 10 rad/s"}),
                never_intersects()},
    .wrong =
        [](SceneDescription& s) {
          s.never_collide = {{"floor", "rod"}};
        },
}};

}  // namespace
}  // namespace jade::cases
