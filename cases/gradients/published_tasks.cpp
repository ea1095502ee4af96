#include <cmath>

#include "cases/gradient_case.h"
#include "cases/pushing_task.h"
#include "cases/scenes.h"
#include "reference/closed_form/impacts.h"

// Y. D. Zhong, J. Han and G. O. Brikis, "Differentiable physics simulations with contacts: do they have correct gradients
// w.r.t. position, velocity and control?", 2022.

namespace jade::cases {
namespace {

const Tolerance kLocated{
    .relative = 1e-9,
    .covers = Covers::rounding,
    .why = "constant forces are exact, the moment of impact is located to rounding, 1e-15 m of 1e-5"};

const RegisterGradientCase bounce{{
    .name = "zhong_task_1",
    .claim =
        "A ball thrown down at an elastic floor ends lower by 1 for every metre higher and every m/s upward.",
    .source = "Zhong et al. 2022, task 1: y = 2 r − y₀ − v_y T",
    .scene =
        [] {
          SceneDescription s = contact_scene("zhong_task_1", 0, 0, 1);
          s.bodies = {fixed_solid("floor", HalfSpace{}),
                      free_solid("ball", Sphere{0.1}, Vec3(-1, 0, 1), Vec3(2, 0, -2))};
          return s;
        },
    .time_step = 1.0 / 480,
    .steps = 480,
    .outcome = final_position("ball", {2}),
    .truths = {by_position("ball", 2, {-1.0}), by_velocity("ball", 2, {-1.0})},
    .tolerance = kLocated,
    .wrong = [](SceneDescription& s) { s.pairs[0].restitution = 0.95; },
}};

const closed_form::PushedBall kPush{.force = 3 * std::sqrt(2.0), .gap = std::sqrt(2.0) - 0.4 - kStandoff};

const double kAlong = kPush.cost_by_force(1, std::sqrt(2.0), 0.1) / std::sqrt(2.0);

const RegisterGradientCase push{{
    .name = "zhong_task_3",
    .claim = "The cost of pushing one ball into another, by the force, at the published first guess (3, 3).",
    .source = "Zhong et al. 2022, task 3: constant force until the impact, then straight motion",
    .scene = pushing_scene,
    .time_step = 1.0 / 480,
    .steps = 480,
    .outcome = pushing_cost,
    .truths = {by_effort("first", 0, {kAlong}), by_effort("first", 1, {kAlong})},
    .tolerance = kLocated,
    .wrong = [](SceneDescription& s) { s.pairs[0].restitution = 0.95; },
}};

}  // namespace
}  // namespace jade::cases
