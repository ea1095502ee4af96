#include <gtest/gtest.h>

#include "jade/dynamics/dynamics_derivatives.h"
#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/test_trees.h"
#include "jade/math/differences.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

using test::RandomTrees;

constexpr int kWorlds = 25;
// Ridders' extrapolation gives about ten digits on these smooth functions.
constexpr double kTolerance = 1e-7;

struct World {
  Model model;
  State state;
  VecX a, effort;
};

World world(RandomTrees& random, int size) {
  SceneDescription scene = random.forest(size);
  random.add_passive(scene);
  for (BodyDescription& body : scene.bodies)
    if (body.joint.kind == JointKind::screw)  // a prescribed joint somewhere in the tree
      body.joint.motion = {
          {.interpolation = Signal::Interpolation::linear, .times = {0, 1}, .values = {0, 1}}};
  Model model = build_model(scene);
  const State state = random.state(model);
  const int nv = model.nv();
  return {std::move(model), state, random.vector(nv, 5.0), random.vector(nv, 5.0)};
}

/// Columns of d/ds f(s, k) against the analytic matrix.
template <class Function>
void expect_columns(const MatX& analytic, Function&& f, const char* what, int seed) {
  MatX numeric(analytic.rows(), analytic.cols());
  for (int k = 0; k < analytic.cols(); ++k)
    numeric.col(k) =
        ridders_derivative([&](double s) -> VecX { return f(s, k); }, {.first_step = 0.05}).value;
  EXPECT_LT((analytic - numeric).norm(), kTolerance * (1e-3 + numeric.norm())) << what << " seed " << seed;
}

VecX moved(const Model& model, const VecX& q, double s, int k) {
  return integrate(model, q, s * VecX::Unit(model.nv(), k));
}
VecX shifted(const VecX& x, double s, int k) { return x + s * VecX::Unit(x.size(), k); }

TEST(InverseDynamicsDerivatives, AgreeWithDifferencesForAllJoints) {
  for (int seed = 0; seed < kWorlds; ++seed) {
    RandomTrees random(seed);
    const World drawn = world(random, 10);
    const Model& model = drawn.model;
    const State& state = drawn.state;
    const VecX& a = drawn.a;
    const DynamicsDerivatives d = inverse_dynamics_derivatives(model, state, a);
    const auto id = [&](const VecX& q, const VecX& v, const VecX& acc) {
      return inverse_dynamics(model, {q, v}, acc);
    };
    expect_columns(
        d.q(), [&](double s, int k) { return id(moved(model, state.q, s, k), state.v, a); }, "q", seed);
    expect_columns(
        d.v(), [&](double s, int k) { return id(state.q, shifted(state.v, s, k), a); }, "v", seed);
    expect_columns(
        d.input(), [&](double s, int k) { return id(state.q, state.v, shifted(a, s, k)); }, "a", seed);
  }
}

TEST(ForwardDynamicsDerivatives, AgreeWithDifferencesForAllJoints) {
  for (int seed = 0; seed < kWorlds; ++seed) {
    RandomTrees random(seed);
    const World drawn = world(random, 10);
    const Model& model = drawn.model;
    const State& state = drawn.state;
    const VecX &a = drawn.a, &effort = drawn.effort;
    const DynamicsDerivatives d = forward_dynamics_derivatives(model, state, effort, a);
    const auto fd = [&](const VecX& q, const VecX& v, const VecX& tau) {
      return forward_dynamics(model, {q, v}, tau, a);
    };
    expect_columns(
        d.q(), [&](double s, int k) { return fd(moved(model, state.q, s, k), state.v, effort); }, "q", seed);
    expect_columns(
        d.v(), [&](double s, int k) { return fd(state.q, shifted(state.v, s, k), effort); }, "v", seed);
    expect_columns(
        d.input(), [&](double s, int k) { return fd(state.q, state.v, shifted(effort, s, k)); }, "tau", seed);
  }
}

TEST(ParameterDerivatives, AgreeWithDifferencesForEveryParameter) {
  for (int seed = 0; seed < 10; ++seed) {
    RandomTrees random(seed);
    const World drawn = world(random, 9);
    const Model& model = drawn.model;
    const State& state = drawn.state;
    const VecX &a = drawn.a, &effort = drawn.effort;
    const std::vector<ParameterId> ids = parameters_of(model);
    const auto changed = [&](double s, int k) {
      const ParameterId id = ids[k];
      // Small steps keep the ten numbers those of some matter.
      if (id.kind == ParameterKind::step_size) return model;
      return model.with(std::vector<ParameterValue>{{id, parameter_value(model, id) + 0.02 * s}});
    };
    expect_columns(
        0.02 * inverse_dynamics_by_parameters(model, state, a, ids),
        [&](double s, int k) { return inverse_dynamics(changed(s, k), state, a); }, "inverse", seed);
    expect_columns(
        0.02 * forward_dynamics_by_parameters(model, state, effort, ids, a),
        [&](double s, int k) { return forward_dynamics(changed(s, k), state, effort, a); }, "forward", seed);
  }
}

TEST(Integrate, IsUndoneByDifference) {
  for (int seed = 0; seed < kWorlds; ++seed) {
    RandomTrees random(seed);
    const World drawn = world(random, 10);
    const Model& model = drawn.model;
    const VecX& q = drawn.state.q;
    // Up to 0.35 |(5, 5, 5)| = 3.03 rad, inside the ball of radius π where the logarithm is the inverse.
    const VecX step = 0.35 * drawn.a;
    EXPECT_LT((difference(model, q, integrate(model, q, step)) - step).norm(), 1e-13) << seed;
  }
}

TEST(IntegrationJacobians, AgreeWithDifferences) {
  for (int seed = 0; seed < kWorlds; ++seed) {
    RandomTrees random(seed);
    const World drawn = world(random, 10);
    const Model& model = drawn.model;
    const State& state = drawn.state;
    const VecX d = 0.3 * drawn.a, end = integrate(model, state.q, d);
    const IntegrationJacobians jacobians = integration_jacobians(model, d);
    expect_columns(
        jacobians.q,
        [&](double s, int k) {
          return difference(model, end, integrate(model, moved(model, state.q, s, k), d));
        },
        "q", seed);
    expect_columns(
        jacobians.d,
        [&](double s, int k) { return difference(model, end, integrate(model, state.q, shifted(d, s, k))); },
        "d", seed);
  }
}

}  // namespace
}  // namespace jade
