#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "jade/dynamics/energy.h"
#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/mass_matrix.h"
#include "jade/dynamics/test_trees.h"
#include "jade/math/differences.h"

namespace jade {
namespace {

using test::RandomTrees;

constexpr int kWorlds = 60;

double relative(const VecX& a, const VecX& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / (1e-300 + b.lpNorm<Eigen::Infinity>());
}

TEST(ForwardDynamics, UndoesInverseDynamics) {
  for (int seed = 0; seed < kWorlds; ++seed) {
    RandomTrees random(seed);
    SceneDescription scene = random.forest(8 + random.integer(12));
    random.add_passive(scene);
    const Model model = build_model(scene);
    const State state = random.state(model);
    const VecX a = random.vector(model.nv(), 10.0);
    EXPECT_LT(relative(forward_dynamics(model, state, inverse_dynamics(model, state, a)), a), 1e-11) << seed;
  }
}

TEST(MassMatrix, ColumnsAreInverseDynamicsOfUnitAccelerations) {
  for (int seed = 0; seed < kWorlds; ++seed) {
    RandomTrees random(seed);
    SceneDescription scene = random.forest(8 + random.integer(12));
    random.add_passive(scene);
    const Model model = build_model(scene);
    const State state = random.state(model);
    const VecX zero = VecX::Zero(model.nv());
    const VecX bias = rnea(model, state.q, zero, zero);
    const MatX M = crba(model, state.q);
    MatX columns(model.nv(), model.nv());
    for (int k = 0; k < model.nv(); ++k)
      columns.col(k) = rnea(model, state.q, zero, VecX::Unit(model.nv(), k)) - bias;
    EXPECT_LT((M - columns).norm(), 1e-11 * M.norm()) << seed;
  }
}

TEST(TreeFactorization, SolvesTheMassMatrix) {
  for (int seed = 0; seed < kWorlds; ++seed) {
    RandomTrees random(seed);
    const Model model = build_model(random.forest(8 + random.integer(12)));
    const State state = random.state(model);
    const MatX M = crba(model, state.q);
    TreeFactorization factorization(model);
    ASSERT_TRUE(factorization.factor(model, M));
    const VecX x = random.vector(model.nv(), 1.0);
    VecX solved = M * x;
    factorization.solve(model, solved);
    EXPECT_LT(relative(solved, x), 1e-11) << seed;

    DynamicsWorkspace work(model);
    update_positions(model, state.q, work);
    factor_articulated(model, model.armature(), work);
    VecX articulated;
    solve_articulated(model, work, M * x, articulated);
    EXPECT_LT(relative(articulated, x), 1e-11) << seed;
  }
}

TEST(LinkResponse, IsThatOfTheMassMatrix) {
  for (int seed = 0; seed < kWorlds; ++seed) {
    RandomTrees random(seed);
    const Model whole = build_model(random.forest(8 + random.integer(12)));
    const State state = random.state(whole);
    for (std::size_t t = 0; t < whole.trees().size(); ++t) {
      const Model model = whole.tree_alone(static_cast<int>(t));
      const VecX q = state.q.segment(whole.links()[whole.trees()[t].first].q, model.nq());
      DynamicsWorkspace work(model);
      update_positions(model, q, work);
      factor_articulated(model, model.armature(), work);
      const int link = random.integer(static_cast<int>(model.links().size()));
      Mat6X S = Mat6X::Zero(6, model.nv());
      for (int l = link; l >= 0; l = model.links()[l].parent)
        for (int k = 0; k < model.links()[l].nv; ++k)
          S.col(model.links()[l].v + k) = work.S[model.links()[l].v + k];
      const MatX expected = crba(model, q).llt().solve(S.transpose());
      std::vector<Vec6> response(static_cast<std::size_t>(model.nv()));
      Mat6 on_link;
      link_response(model, link, work, response.data(), on_link);
      for (int k = 0; k < model.nv(); ++k)
        EXPECT_LT((response[k].transpose() - expected.row(k)).norm(), 1e-11 * expected.norm()) << seed;
      EXPECT_LT((on_link - S * expected).norm(), 1e-11 * (S * expected).norm()) << seed;
    }
  }
}

TEST(KineticEnergy, IsTheQuadraticFormOfTheMassMatrix) {
  for (int seed = 0; seed < kWorlds; ++seed) {
    RandomTrees random(seed);
    SceneDescription scene = random.forest(10);
    random.add_passive(scene);
    const Model model = build_model(scene);
    const State state = random.state(model);
    const double expected = 0.5 * state.v.dot(crba(model, state.q) * state.v);
    EXPECT_NEAR(kinetic_energy(model, state), expected, 1e-12 * expected) << seed;
  }
}

/// d/dt of a function of the state along the motion under `effort`, by differences.
template <class Function>
Derivative rate_along_motion(const Model& model, const State& state, const VecX& effort, Function&& f) {
  const VecX a = forward_dynamics(model, state, effort);
  return ridders_derivative(
      [&](double s) -> VecX {
        // To first order in s any curve with this velocity and acceleration does; central differences need no more.
        const VecX v = state.v + s * a;
        return f(State{integrate(model, state.q, s * state.v), v});
      },
      {.first_step = 0.02});
}

TEST(Energy, ChangesByThePowerOfEffortsAndDampers) {
  for (int seed = 0; seed < kWorlds; ++seed) {
    RandomTrees random(seed);
    SceneDescription scene = random.forest(10);
    random.add_passive(scene);
    const Model model = build_model(scene);
    const State state = random.state(model);
    const VecX effort = random.vector(model.nv(), 5.0);
    const Derivative rate = rate_along_motion(model, state, effort, [&](const State& s) {
      return VecX{{kinetic_energy(model, s) + potential_energy(model, s.q)}};
    });
    const double power = state.v.dot(effort) - state.v.dot(model.damping().cwiseProduct(state.v));
    EXPECT_NEAR(rate.value[0], power, 1e-8 * (1 + std::abs(power))) << seed;
  }
}

TEST(Momentum, OfAFloatingTreeChangesByItsWeightAlone) {
  for (int seed = 0; seed < kWorlds; ++seed) {
    RandomTrees random(seed);
    SceneDescription scene = random.forest(10);
    scene.bodies[0].joint = random.joint(JointKind::free);
    for (std::size_t i = 1; i < scene.bodies.size(); ++i) {
      if (!scene.bodies[i].joint.parent.empty()) continue;
      scene.bodies[i].joint = random.joint(JointKind::ball);
      scene.bodies[i].joint.parent = "b0";
    }
    const Model model = build_model(scene);
    const State state = random.state(model);
    VecX effort = random.vector(model.nv(), 5.0);
    effort.head(6).setZero();  // inner efforts only
    const Derivative rate = rate_along_motion(model, state, effort, [&](const State& s) {
      const auto [linear, angular] = momentum(model, s);
      VecX both(6);
      both << linear, angular;
      return both;
    });
    DynamicsWorkspace work(model);
    update_positions(model, state.q, work);
    const auto [mass, com] = centre_of_mass(model, work);
    VecX expected(6);
    expected << mass * model.gravity(), com.cross(mass * model.gravity());
    EXPECT_LT(relative(rate.value, expected), 1e-8) << seed;
  }
}

}  // namespace
}  // namespace jade
