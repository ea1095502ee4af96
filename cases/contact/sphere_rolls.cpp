#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/sliding.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.01, kRadius = 0.1;
constexpr closed_form::SlidingSphere kSphere{.speed0 = 3, .friction = 0.2, .gravity = kGravity};
constexpr double kEnd = 1;

SceneDescription scene() {
  SceneDescription s = contact_scene("sphere_rolls", kGravity, kSphere.friction, 0);
  s.bodies = {
      fixed_solid("ground", HalfSpace{}),
      free_solid("ball", Sphere{kRadius}, Vec3(0, 0, kRadius + kStandoff), Vec3(kSphere.speed0, 0, 0))};
  return s;
}

/// r ω, counted positive in the sense of rolling towards +x.
Quantity rim_speed() {
  return {"rim speed", "m/s", [](const Mechanism& m, const reference::Frame& f) {
            return VecX::Constant(1, kRadius * f.bodies[m.body("ball")].angular_velocity.y());
          }};
}

// Forces act at the middle of the gap, half a standoff below the ball: its lever is r + δ/2, and 5/7 becomes
// 1/(1 + 2/5 r²/(r + δ/2)²), of relative size δ/r · 2/7.
const Tolerance kGap{
    .absolute = 1e-9 + kSphere.speed0 * kStandoff / kRadius,
    .covers = Covers::model_limit,
    .why =
        "friction acts in the middle of the standoff: its lever is longer by δ/2r, which every speed "
        "feels with a factor below 2"};
const Tolerance kEuler{
    .absolute = kSphere.speed0 * kStandoff / kRadius + 3.5 * kSphere.friction * kGravity * kStep,
    .why = "the step in which slip ends is all or nothing: slip falls by 7/2 μ g h a step"};

const RegisterCase sphere_rolls{{
    .name = "sphere_rolls",
    .claim =
        "A ball thrown flat onto a rough table slides for 2 v₀/(7 μ g) and rolls on with 5/7 of its speed.",
    .source = "Coulomb friction and its torque",
    .scene = scene,
    .time_step = kStep,
    .steps = static_cast<int>(kEnd / kStep),
    .expects = {equals(
                    velocity_of("ball", 0), [](double t) { return kSphere.speed(t); }, kGap)
                    .at_first_order(kEuler),
                equals(
                    rim_speed(), [](double t) { return kSphere.rim_speed(t); }, kGap)
                    .at_first_order(kEuler),
                equals(position_of("ball", 0), [](double t) { return kSphere.distance(t); },
                       {.absolute = kEnd * kGap.absolute,
                        .covers = kGap.covers,
                        .why = "the speed's error times 1 s"})
                    .at_first_order(
                        {.absolute = kEnd * kGap.absolute + kSphere.friction * kGravity * kStep * kEnd,
                         .why = "½ μ g h t while it slides, and as much for the step in which slip ends"}),
                equals(position_of("ball", 1), 0.0,
                       {.absolute = 1e-9, .covers = Covers::rounding, .why = "straight on"}),
                never_increases(kinetic_energy(),
                                {.relative = 1e-10, .covers = Covers::rounding, .why = "friction takes"}),
                never_intersects()},
}};

}  // namespace
}  // namespace jade::cases
