#include "cases/gradient_case.h"
#include "cases/scenes.h"

namespace jade::cases {
namespace {

SceneDescription pendulum() {
  SceneDescription s{.name = "pendulum"};
  s.gravity = Vec3(0, 0, -kGravity);
  s.bodies = {hinged_rod({.name = "rod", .mass = 0.7, .length = 0.8, .angle = 1.2})};
  s.bodies[0].joint.damping = {0.05};
  return s;
}

const RegisterGradientCase swinging{{
    .name = "pendulum",
    .claim = "The angle of a damped pendulum by its start, a constant torque, damping, mass and gravity.",
    .source = "differences",
    .scene = pendulum,
    .time_step = 0.01,
    .steps = 150,
    .outcome = final_position("rod", {0}),
    .truths = {by_position("rod", 0), by_velocity("rod", 0), by_effort("rod", 0), by_damping("rod", 0),
               by_mass("rod"), by_gravity(2)},
    .tolerance = {.why = "no closed form"},
    .wrong = [](SceneDescription& s) { s.gravity *= 1.05; },
}};

/// A cart on a rail with a pole on a hinge.
SceneDescription cart_pole() {
  SceneDescription s{.name = "cart_pole"};
  s.gravity = Vec3(0, 0, -kGravity);
  BodyDescription cart{.name = "cart"};
  cart.inertia = InertiaDescription{.mass = 1, .inertia = 0.01 * Mat3::Identity()};
  cart.joint.kind = JointKind::prismatic;
  cart.joint.axis = Vec3::UnitX();
  cart.joint.velocity = {1};
  BodyDescription pole = hinged_rod({.name = "pole", .mass = 0.3, .length = 1, .angle = 2.9});
  pole.joint.parent = "cart";
  s.bodies = {cart, pole};
  return s;
}

const RegisterGradientCase cart{{
    .name = "cart_pole",
    .claim = "Cart and pole by their start and a constant force on the cart.",
    .source = "differences",
    .scene = cart_pole,
    .time_step = 0.01,
    .steps = 100,
    .outcome = final_position("cart", {0}),
    .truths = {by_position("cart", 0), by_velocity("cart", 0), by_position("pole", 0), by_velocity("pole", 0),
               by_effort("cart", 0), by_mass("cart")},
    .tolerance = {.why = "no closed form"},
    .wrong = [](SceneDescription& s) { s.gravity *= 1.05; },
}};

SceneDescription limited_pendulum() {
  SceneDescription s = pendulum();
  s.name = "pendulum_at_its_limit";
  s.bodies[0].joint.lower = {-0.6};
  s.bodies[0].joint.limit_restitution = 0.7;
  return s;
}

const RegisterGradientCase stopped{{
    .name = "pendulum_at_its_limit",
    .claim = "A damped pendulum that swings against its limit three times, by its start, torque, damping and "
             "mass.",
    .source = "differences",
    .scene = limited_pendulum,
    .time_step = 0.01,
    .steps = 300,
    .outcome = final_position("rod", {0}),
    .truths = {by_position("rod", 0), by_velocity("rod", 0), by_effort("rod", 0), by_damping("rod", 0),
               by_mass("rod"), by_gravity(2)},
    .tolerance = {.why = "no closed form"},
    .wrong = [](SceneDescription& s) { s.bodies[0].joint.limit_restitution = 0.65; },
}};

SceneDescription limited_cart_pole() {
  SceneDescription s = cart_pole();
  s.name = "cart_pole_at_its_stops";
  s.bodies[0].joint.upper = {0.4};
  s.bodies[0].joint.limit_restitution = 0.5;
  s.bodies[1].joint.upper = {3.4};
  s.bodies[1].joint.limit_restitution = 0.3;
  return s;
}

const RegisterGradientCase cart_at_stops{{
    .name = "cart_pole_at_its_stops",
    .claim =
        "Cart and pole with a stop on the rail and one on the hinge, by their start and a force on the cart.",
    .source = "differences",
    .scene = limited_cart_pole,
    .time_step = 0.01,
    .steps = 100,
    .outcome = final_position("cart", {0}),
    .truths = {by_position("cart", 0), by_velocity("cart", 0), by_position("pole", 0), by_velocity("pole", 0),
               by_effort("cart", 0), by_mass("cart")},
    .tolerance = {.why = "no closed form"},
    .wrong = [](SceneDescription& s) { s.bodies[0].joint.limit_restitution = 0.45; },
}};

}  // namespace
}  // namespace jade::cases
