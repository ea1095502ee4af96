#include "jade/stepping/propagate.h"

#include <cmath>

#include <gtest/gtest.h>

#include "jade/dynamics/energy.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/test_trees.h"
#include "jade/math/differences.h"
#include "jade/stepping/propagate_derivatives.h"

namespace jade {
namespace {

using test::RandomTrees;

State after(const Model& model, double h, int steps, Integrator integrator = Integrator::midpoint) {
  PropagateWorkspace work(model);
  State state = initial_state(model), next = state;
  for (int i = 0; i < steps; ++i) {
    const PropagateReport report =
        propagate(model, state, controls_at(model, i * h, h), h, integrator, work, next);
    EXPECT_TRUE(report.converged);
    std::swap(state, next);
  }
  return state;
}

SceneDescription one_body(JointKind kind, const InertiaDescription& inertia) {
  SceneDescription scene;
  scene.bodies.resize(1);
  scene.bodies[0].name = "body";
  scene.bodies[0].joint.kind = kind;
  scene.bodies[0].inertia = inertia;
  return scene;
}

TEST(Propagate, ThrowsAParabolaExactly) {
  SceneDescription scene = one_body(JointKind::free, {2, Vec3(0.1, 0.2, -0.3), Vec3(1, 2, 2.5).asDiagonal()});
  scene.bodies[0].joint.velocity = {1, 2, 3, 0.4, -0.5, 0.6};
  const Model model = build_model(scene);
  const State end = after(model, 0.05, 20);
  const Vec3 com_start(0.1, 0.2, -0.3);
  DynamicsWorkspace work(model);
  update_positions(model, end.q, work);
  const Vec3 com = centre_of_mass(model, work).position;
  // Twenty additions of rounded numbers of size one.
  EXPECT_LT((com - (com_start + Vec3(1, 2, 3 - 0.5 * 9.81))).norm(), 1e-14);
  EXPECT_LT((end.v.head<3>() - Vec3(1, 2, 3 - 9.81)).norm(), 1e-13);
}

TEST(Propagate, KeepsAPendulumsEnergyForAHundredThousandSteps) {
  SceneDescription scene = one_body(JointKind::revolute, {1, Vec3(0, 0, -1), Mat3::Zero()});
  scene.bodies[0].joint.axis = Vec3::UnitY();
  scene.bodies[0].joint.position = {2.5};
  const Model model = build_model(scene);
  PropagateWorkspace work(model);
  State state = initial_state(model), next = state;
  const Controls controls = controls_at(model, 0, 0.01);
  const double start = potential_energy(model, state.q);
  double worst_early = 0, worst_late = 0;
  for (int i = 0; i < 100000; ++i) {
    propagate(model, state, controls, 0.01, Integrator::midpoint, work, next);
    std::swap(state, next);
    const double error = std::abs(kinetic_energy(model, state) + potential_energy(model, state.q) - start);
    double& worst = i < 50000 ? worst_early : worst_late;
    worst = std::max(worst, error);
  }
  // The error oscillates with h² = 1e-4 of the energy's swing (19.6 J) and does not grow.
  EXPECT_LT(worst_early, 1e-3 * 19.62);
  EXPECT_LT(worst_late, 1.01 * worst_early);
}

/// Errors at two step lengths against a much finer solution; the order is their logarithmic ratio.
double order_of(const Model& model, Integrator integrator) {
  const State exact = after(model, 0.5 / 16384, 16384);
  const auto error = [&](int steps) {
    const State end = after(model, 0.5 / steps, steps, integrator);
    return difference(model, exact.q, end.q).norm() + (exact.v - end.v).norm();
  };
  return std::log2(error(256) / error(512));
}

TEST(Propagate, ConvergesAtItsOrder) {
  for (const unsigned seed : {1u, 2u, 5u}) {
    RandomTrees random(seed);
    SceneDescription scene = random.forest(8);
    random.add_passive(scene);
    for (BodyDescription& body : scene.bodies) {
      const int nv = static_cast<int>(body.joint.damping.size());
      for (int k = 0; k < nv; ++k) body.joint.velocity.push_back(random.real(-1, 1));
    }
    const Model model = build_model(scene);
    EXPECT_NEAR(order_of(model, Integrator::midpoint), 2, 0.1);
    EXPECT_NEAR(order_of(model, Integrator::semi_implicit_euler), 1, 0.1);
    EXPECT_NEAR(order_of(model, Integrator::explicit_euler), 1, 0.1);
  }
}

TEST(Propagate, KeepsTheEnergyOfASpring) {
  SceneDescription scene = one_body(JointKind::prismatic, {2, Vec3::Zero(), Mat3::Identity()});
  scene.gravity.setZero();
  scene.bodies[0].joint.stiffness = {800};
  scene.bodies[0].joint.rest_position = {0.1};
  scene.bodies[0].joint.position = {0.3};
  const Model model = build_model(scene);
  const double start = potential_energy(model, initial_state(model).q);
  // h ω = 2: far beyond what an explicit rule survives; the implicit mean of both ends keeps the energy exactly.
  const State end = after(model, 0.1, 1000);
  EXPECT_NEAR(kinetic_energy(model, end) + potential_energy(model, end.q), start, 1e-11 * start);
}

TEST(Propagate, StopsStiffDampersWithoutRinging) {
  SceneDescription scene = one_body(JointKind::prismatic, {2, Vec3::Zero(), Mat3::Identity()});
  scene.gravity.setZero();
  scene.bodies[0].joint.velocity = {1};
  for (const double damping : {1.0, 100.0, 399.0, 401.0, 1e4, 1e8}) {
    scene.bodies[0].joint.damping = {damping};
    const Model model = build_model(scene);
    const double speed = after(model, 0.01, 1).v[0];
    EXPECT_GE(speed, -1e-15) << damping;
    EXPECT_LT(speed, 1) << damping;
  }
}

TEST(Propagate, FollowsPrescribedMotionUnderEveryIntegrator) {
  SceneDescription scene = one_body(JointKind::prismatic, {2, Vec3::Zero(), Mat3::Identity()});
  scene.bodies[0].joint.motion = {
      {.interpolation = Signal::Interpolation::linear, .times = {0, 0.5, 1}, .values = {0, 2, 1}}};
  const Model model = build_model(scene);
  for (const Integrator integrator :
       {Integrator::explicit_euler, Integrator::semi_implicit_euler, Integrator::midpoint}) {
    const State end = after(model, 0.05, 20, integrator);
    EXPECT_NEAR(end.v[0], 1, 1e-14);
    EXPECT_NEAR(end.q[0], 0.5 * 0.5 * 2 + 0.5 * 0.5 * (2 + 1), 1e-14);
  }
}

TEST(Propagate, TurnsAFreeBodyWithItsMomentumAndSecondOrderErrorsOfEnergy) {
  // The middle axis, where small errors grow fastest.
  SceneDescription scene = one_body(JointKind::free, {1, Vec3(0.1, 0.2, -0.3), Vec3(1, 2, 2.9).asDiagonal()});
  scene.gravity.setZero();
  scene.bodies[0].joint.velocity = {0, 0, 0, 0.01, 3, 0.02};
  const Model model = build_model(scene);
  const State start = initial_state(model);
  const auto errors = [&](int steps) {
    const State end = after(model, 10.0 / steps, steps);
    const Vec3 L0 = momentum(model, start).angular, L = momentum(model, end).angular;
    return Vec2(std::abs(kinetic_energy(model, end) / kinetic_energy(model, start) - 1),
                (L - L0).norm() / L0.norm());
  };
  const Vec2 coarse = errors(1000), fine = errors(2000);
  EXPECT_LT(coarse[0], 1e-3);
  EXPECT_NEAR(coarse[0] / fine[0], 4, 0.2);
  // Rounding of two thousand steps.
  EXPECT_LT(std::max(coarse[1], fine[1]), 1e-12);
}

TEST(Propagate, CutsStepsInWhichSomethingSpinsFast) {
  SceneDescription scene = one_body(JointKind::free, {1, Vec3::Zero(), Vec3(1, 2, 2.9).asDiagonal()});
  scene.bodies[0].joint.velocity = {0, 0, 0, 1, 2, 210};
  const Model model = build_model(scene);
  PropagateWorkspace work(model);
  State next = initial_state(model);
  const PropagateReport report = propagate(model, initial_state(model), controls_at(model, 0, 0.01), 0.01,
                                           Integrator::midpoint, work, next);
  EXPECT_EQ(report.substeps, 5);
  EXPECT_TRUE(report.converged);
}

TEST(PropagateDerivatives, AgreeWithDifferencesForAllJointsAndIntegrators) {
  for (int seed = 0; seed < 6; ++seed) {
    RandomTrees random(seed);
    SceneDescription scene = random.forest(8);
    random.add_passive(scene);
    for (BodyDescription& body : scene.bodies)
      if (body.joint.kind == JointKind::screw)
        body.joint.motion = {
            {.interpolation = Signal::Interpolation::linear, .times = {0, 1}, .values = {0, 1}}};
    const Model model = build_model(scene);
    const State state = random.state(model);
    const int nv = model.nv();
    const Controls controls{random.vector(nv, 5.0), random.vector(nv, 1.0)};
    const double h = seed % 2 == 0 ? 0.02 : 0.1;  // the long one is cut
    for (const Integrator integrator :
         {Integrator::explicit_euler, Integrator::semi_implicit_euler, Integrator::midpoint}) {
      const PropagateDerivatives d = propagate_derivatives(model, state, controls, h, integrator);
      const State end = propagate(model, state, controls, h, integrator);
      MatX numeric(2 * nv, 3 * nv + 1);
      for (int k = 0; k <= 3 * nv; ++k) {
        const auto moved_end = [&](double s) -> VecX {
          State from = state;
          Controls acting = controls;
          double length = h;
          if (k < nv) from.q = integrate(model, state.q, s * VecX::Unit(nv, k));
          if (k >= nv && k < 2 * nv) from.v[k - nv] += s;
          if (k >= 2 * nv && k < 3 * nv) acting.effort[k - 2 * nv] += s;
          if (k == 3 * nv) length += h * s;
          const State moved = propagate(model, from, acting, length, integrator);
          VecX change(2 * nv);
          change << difference(model, end.q, moved.q), moved.v - end.v;
          return change;
        };
        numeric.col(k) = ridders_derivative(moved_end, {.first_step = 0.01}).value;
      }
      numeric.col(3 * nv) /= h;
      EXPECT_LT((d.jacobian - numeric).norm(), 1e-7 * numeric.norm()) << seed << name_of(integrator);
    }
  }
}

}  // namespace
}  // namespace jade
