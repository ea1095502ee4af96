#include <gtest/gtest.h>

#include "jade/base/allocation_count.h"
#include "jade/dynamics/dynamics_derivatives.h"
#include "jade/dynamics/energy.h"
#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/test_trees.h"

#if defined(JADE_COUNTS_ALLOCATIONS)
namespace jade {
namespace {

/// Of the second call: results get their sizes in the first.
template <class Function>
int allocations_of(Function&& f) {
  f();
  return test::allocations_of(f);
}

TEST(Workspaces, MakeDynamicsFreeOfAllocations) {
  test::RandomTrees random(4);
  SceneDescription scene = random.forest(12);
  random.add_passive(scene);
  const Model model = build_model(scene);
  const State state = random.state(model);
  const VecX effort = random.vector(model.nv(), 5.0);
  DynamicsWorkspace work(model);
  DerivativeWorkspace derivative(model);
  DynamicsDerivatives derivatives;
  TreeFactorization factorization(model);
  VecX a = VecX::Zero(model.nv()), tau, q_next;
  MatX M;
  Mat6X body(6, model.nv());
  Mat3X point(3, model.nv());
  double energy = 0;

  VecX fresh;
  ASSERT_GT(allocations_of([&] { fresh = VecX(effort); }), 0) << "the counter must see what Eigen allocates";
  EXPECT_EQ(fresh, effort);
  EXPECT_EQ(allocations_of([&] { forward_dynamics(model, state, effort, work, a); }), 0);
  EXPECT_EQ(allocations_of([&] { forward_dynamics_derivatives(model, work, derivative, derivatives); }), 0);
  EXPECT_EQ(allocations_of([&] { inverse_dynamics(model, state, a, work, tau); }), 0);
  EXPECT_EQ(
      allocations_of([&] { inverse_dynamics_derivatives(model, state, a, work, derivative, derivatives); }),
      0);
  EXPECT_EQ(allocations_of([&] { crba(model, work, M); }), 0);
  EXPECT_EQ(allocations_of([&] {
              if (factorization.factor(model, M)) factorization.solve(model, tau);
            }),
            0);
  EXPECT_EQ(allocations_of([&] {
              for (int b = 0; b < 12; ++b) {
                body_jacobian(model, work, b, body);
                point_jacobian(model, work, b, body_pose(model, work, b).p, point);
                energy += body_velocity(model, work, b).v_WB.norm();
              }
            }),
            0);
  EXPECT_EQ(allocations_of([&] {
              energy += kinetic_energy(model, work, state.v) + potential_energy(model, work, state.q) +
                        momentum(model, work, Vec3::Zero()).angular.norm();
            }),
            0);
  EXPECT_EQ(allocations_of([&] { integrate(model, state.q, state.v, q_next); }), 0);
  EXPECT_GT(energy, 0);
}

}  // namespace
}  // namespace jade
#endif
