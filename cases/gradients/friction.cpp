#include "cases/gradient_case.h"
#include "cases/scenes.h"
#include "reference/closed_form/sliding.h"

namespace jade::cases {
namespace {

constexpr double kSide = 0.1, kRadius = 0.1;

SceneDescription block_scene(double friction, double speed) {
  SceneDescription s = contact_scene("block", kGravity, friction, 0);
  s.bodies = {fixed_solid("table", HalfSpace{}),
              free_solid("block", Box{Vec3(kSide, kSide, kSide)}, Vec3(0, 0, kSide / 2 + kStandoff),
                         Vec3(speed, 0, 0))};
  return s;
}

constexpr closed_form::SlidingBlock kBlock{.speed0 = 2, .friction = 0.4, .gravity = kGravity};

const RegisterGradientCase sliding{{
    .name = "sliding_block",
    .claim = "A block that slides to rest comes d = v²/(2 μ g) far: ∂d/∂μ = −d/μ, ∂d/∂v = v/(μ g).",
    .source = "Coulomb friction",
    .scene = [] { return block_scene(kBlock.friction, kBlock.speed0); },
    .time_step = 0.01,
    .steps = 80,
    .outcome = final_position("block", {0}),
    .truths = {by_friction({kBlock.stop_distance_by_friction()}),
               by_velocity("block", 0, {kBlock.stop_distance_by_speed()}), by_mass("block", {0.0}),
               by_position("block", 0, {1.0})},
    .tolerance = {.relative = 1e-8,
                  .covers = Covers::solver,
                  .why =
                      "deceleration is constant and the stop is located; four contacts share the load, whose "
                      "problem is solved to 1e-10"},
}};

const RegisterGradientCase sticking{{
    .name = "sticking_block",
    .claim = "A block that is pushed with less than μ m g does not move, whatever the push.",
    .source = "Coulomb friction",
    .scene =
        [] {
          SceneDescription s = block_scene(0.5, 0);
          // 1 kg: 4.905 N hold it.
          const Signal push{.times = {0}, .values = {2}}, none{.times = {0}, .values = {0}};
          s.bodies[1].joint.effort = {push, none, none, none, none, none};
          return s;
        },
    .time_step = 0.01,
    .steps = 20,
    .outcome = final_position("block", {0}),
    .truths = {by_effort("block", 0, {0.0}), by_friction({0.0}), by_position("block", 0, {1.0})},
    .tolerance = {.relative = 1e-9, .covers = Covers::solver, .why = "it is held to the residual of the LCP"},
    .wrong = [](SceneDescription& s) { s.pairs[0].friction = 0.1; },
}};

constexpr closed_form::SlidingSphere kSphere{.speed0 = 3, .friction = 0.2, .gravity = kGravity};

const RegisterGradientCase rolling{{
    .name = "sphere_rolling",
    .claim = "A ball thrown flat slides, then rolls: x = 5 v T/7 + 2 v²/(49 μ g).",
    .source = "Coulomb friction and its torque, differentiated",
    .scene =
        [] {
          SceneDescription s = contact_scene("sphere_rolling", kGravity, kSphere.friction, 0);
          s.bodies = {fixed_solid("table", HalfSpace{}),
                      free_solid("ball", Sphere{kRadius}, Vec3(0, 0, kRadius + kStandoff),
                                 Vec3(kSphere.speed0, 0, 0))};
          return s;
        },
    .time_step = 0.01,
    .steps = 100,
    .outcome = final_position("ball", {0}),
    .truths = {by_velocity("ball", 0, {kSphere.distance_by_speed(1)}),
               by_friction({kSphere.distance_by_friction(1)})},
    .tolerance = {.relative = 2 * kStandoff / kRadius,
                  .covers = Covers::model_limit,
                  .why =
                      "friction acts in the middle of the standoff: its lever is longer by δ/2r, which every "
                      "speed feels with a factor below 2"},
}};

}  // namespace
}  // namespace jade::cases
