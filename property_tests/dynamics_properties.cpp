/// Laws of mechanics over random trees of every joint kind. The state is the scene's initial one, so that a
/// counterexample prints as a scene file that holds everything.

#include <Eigen/Cholesky>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/arbitrary_scene.h"
#include "generators/random_stream.h"
#include "jade/dynamics/dynamics_derivatives.h"
#include "jade/dynamics/energy.h"
#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/dynamics/mass_matrix.h"
#include "jade/math/differences.h"
#include "jade/model/model.h"

namespace jade {
namespace {

using generators::arbitrary_scene;

/// A vector of nv numbers within ±size, from a seed that shrinks to the zero vector.
VecX arbitrary_vector(const Model& model, double size) {
  const auto seed = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>());
  if (seed == 0) return VecX::Zero(model.nv());
  generators::RandomStream stream(seed);
  return VecX::NullaryExpr(model.nv(), [&] { return stream.uniform(-size, size); });
}

double largest(const auto& x) { return x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff(); }

// The recursions lose a few digits of the 16 on trees of a dozen bodies whose inertias differ a hundredfold.
constexpr double kRounding = 1e-11;

RC_GTEST_PROP(ForwardDynamics, UndoesInverseDynamics, ()) {
  const Model model = build_model(*arbitrary_scene());
  const State state = initial_state(model);
  const VecX a = arbitrary_vector(model, 10);
  const VecX back = forward_dynamics(model, state, inverse_dynamics(model, state, a));
  RC_ASSERT(largest(back - a) <= kRounding * (1 + largest(a)));
}

RC_GTEST_PROP(InverseDynamics, UndoesForwardDynamics, ()) {
  const Model model = build_model(*arbitrary_scene());
  const State state = initial_state(model);
  const VecX tau = arbitrary_vector(model, 10);
  const VecX back = inverse_dynamics(model, state, forward_dynamics(model, state, tau));
  // Forces of weight and of velocity cancel in it, some 100 N.
  RC_ASSERT(largest(back - tau) <= kRounding * (100 + largest(tau)));
}

RC_GTEST_PROP(MassMatrix, IsWhatInverseDynamicsSaysOfUnitAccelerations, ()) {
  const Model model = build_model(*arbitrary_scene());
  const VecX q = initial_state(model).q;
  const VecX zero = VecX::Zero(model.nv());
  const VecX weight = rnea(model, q, zero, zero);
  const MatX M = crba(model, q);
  for (int k = 0; k < model.nv(); ++k) {
    const VecX column = rnea(model, q, zero, VecX::Unit(model.nv(), k)) - weight;
    RC_ASSERT(largest(M.col(k) - column) <= kRounding * (largest(M) + largest(weight)));
  }
}

RC_GTEST_PROP(MassMatrix, IsSymmetricPositiveDefinite, ()) {
  const Model model = build_model(*arbitrary_scene());
  const MatX M = crba(model, initial_state(model).q);
  RC_ASSERT(M == M.transpose());
  if (model.nv() > 0) RC_ASSERT(Eigen::LLT<MatX>(M).info() == Eigen::Success);
}

RC_GTEST_PROP(KineticEnergy, IsTheQuadraticFormOfTheMassMatrix, ()) {
  const Model model = build_model(*arbitrary_scene());
  const State state = initial_state(model);
  const double energy = 0.5 * state.v.dot(crba(model, state.q) * state.v);
  RC_ASSERT(std::abs(kinetic_energy(model, state) - energy) <= kRounding * (1 + energy));
}

/// Moves along the trajectory through the state: exact to first order in s, which is what a derivative at 0 needs.
State along(const Model& model, const State& state, const VecX& a, double s) {
  return {integrate(model, state.q, s * state.v), state.v + s * a};
}

/// Rate of a quantity along the trajectory, by steps in which speeds change by about one tenth.
template <class Function>
Derivative rate_along(const Model& model, const State& state, const VecX& a, Function&& quantity) {
  const auto f = [&](double s) { return quantity(along(model, state, a, s)); };
  return ridders_derivative(f, {.first_step = 0.1 / (1 + largest(a) + largest(state.v))});
}

RC_GTEST_PROP(Energy, ChangesByThePowerOfMotorsAndDampers, ()) {
  const Model model = build_model(*arbitrary_scene());
  const State state = initial_state(model);
  const VecX tau = arbitrary_vector(model, 10);
  const VecX a = forward_dynamics(model, state, tau);
  const Derivative rate = rate_along(model, state, a, [&](const State& moved) {
    return VecX::Constant(1, kinetic_energy(model, moved) + potential_energy(model, moved.q));
  });
  const double power = tau.dot(state.v) - state.v.dot(model.damping().cwiseProduct(state.v));
  // The power is the small difference of what each link gains and loses, of the order of |v| |M a|; differences
  // keep more than seven digits of that.
  const double size = 1 + state.v.norm() * (crba(model, state.q) * a).norm();
  RC_ASSERT(std::abs(rate.value[0] - power) <= 1e-7 * size);
}

RC_GTEST_PROP(Momentum, OfFloatingTreesChangesByTheirWeightAlone, ()) {
  const Model model = build_model(*arbitrary_scene({.passive = false, .floating = true}));
  const State state = initial_state(model);
  // Internal forces must not show, so motors act on all but the free joints.
  VecX tau = arbitrary_vector(model, 10);
  for (const Joint& joint : model.joints())
    if (joint.kind == JointKind::free) tau.segment(joint.v, joint.nv).setZero();
  const VecX a = forward_dynamics(model, state, tau);
  const Derivative rate = rate_along(model, state, a, [&](const State& moved) {
    const Momentum p = momentum(model, moved);
    return VecX((VecX(6) << p.linear, p.angular).finished());
  });
  DynamicsWorkspace work(model);
  update_positions(model, state.q, work);
  const MassCentre centre = centre_of_mass(model, work);
  const Vec3 weight = centre.mass * model.gravity();
  const VecX expected = (VecX(6) << weight, centre.position.cross(weight)).finished();
  // As for the energy: links pull at each other with forces of the order of M a.
  const double size = 1 + largest(expected) + (crba(model, state.q) * a).norm();
  RC_ASSERT(largest(rate.value - expected) <= 1e-7 * size);
}

/// One column of derivatives beside Ridders differences in one direction at a time, all directions of one state.
void expect_columns(const Eigen::Ref<const MatX>& analytic, double first_step, auto&& moved) {
  const double size = 1 + largest(analytic);
  for (int k = 0; k < analytic.cols(); ++k) {
    const Derivative column =
        ridders_derivative([&](double s) { return moved(k, s); }, {.first_step = first_step});
    // Relative to the whole matrix: single columns can be differences of large numbers.
    RC_ASSERT(largest(analytic.col(k) - column.value) <= 1e-7 * size);
  }
}

RC_GTEST_PROP(ForwardDynamicsDerivatives, MatchDifferencesOnTheManifold, ()) {
  const Model model = build_model(*arbitrary_scene({.most_bodies = 6}));
  const State state = initial_state(model);
  const VecX tau = arbitrary_vector(model, 5);
  const DynamicsDerivatives derivatives = forward_dynamics_derivatives(model, state, tau);
  const auto unit = [&](int k, double s) { return VecX(s * VecX::Unit(model.nv(), k)); };
  expect_columns(derivatives.q(), 0.02, [&](int k, double s) {
    return forward_dynamics(model, {integrate(model, state.q, unit(k, s)), state.v}, tau);
  });
  expect_columns(derivatives.v(), 0.1, [&](int k, double s) {
    return forward_dynamics(model, {state.q, state.v + unit(k, s)}, tau);
  });
  expect_columns(derivatives.input(), 0.1,
                 [&](int k, double s) { return forward_dynamics(model, state, tau + unit(k, s)); });
}

RC_GTEST_PROP(InverseDynamicsDerivatives, MatchDifferencesOnTheManifold, ()) {
  const Model model = build_model(*arbitrary_scene({.most_bodies = 6}));
  const State state = initial_state(model);
  const VecX a = arbitrary_vector(model, 5);
  const DynamicsDerivatives derivatives = inverse_dynamics_derivatives(model, state, a);
  const auto unit = [&](int k, double s) { return VecX(s * VecX::Unit(model.nv(), k)); };
  expect_columns(derivatives.q(), 0.1, [&](int k, double s) {
    return inverse_dynamics(model, {integrate(model, state.q, unit(k, s)), state.v}, a);
  });
  expect_columns(derivatives.v(), 0.1, [&](int k, double s) {
    return inverse_dynamics(model, {state.q, state.v + unit(k, s)}, a);
  });
  expect_columns(derivatives.input(), 0.1,
                 [&](int k, double s) { return inverse_dynamics(model, state, a + unit(k, s)); });
}

RC_GTEST_PROP(Manifold, DifferenceUndoesIntegration, ()) {
  const Model model = build_model(*arbitrary_scene());
  const VecX q = initial_state(model).q;
  // Below half a turn of every joint: |d| ≤ 1.5 in each of three components.
  const VecX d = arbitrary_vector(model, 1.5);
  const VecX back = difference(model, q, integrate(model, q, d));
  RC_ASSERT(largest(back - d) <= 1e-13 * (10 + largest(d)));
}

}  // namespace
}  // namespace jade
