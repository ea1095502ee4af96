/// Our dynamics beside MuJoCo's on random trees of the joints that both know. MuJoCo shares no code with us, and its
/// recursions are arranged differently, so agreement means that both solve the same equations.

#include <gtest/gtest.h>

#include "generators/random_stream.h"
#include "generators/scene_growth.h"
#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/mass_matrix.h"
#include "jade/model/scene_json.h"
#include "reference/mujoco/mujoco_mechanism.h"

namespace jade::reference {
namespace {

constexpr int kTrees = 300;

/// Dampers and armature of a ball joint are one number in MuJoCo, and would act in other axes than ours.
SceneDescription random_tree(std::uint64_t index) {
  using enum JointKind;
  SceneDescription scene = generators::random_scene(
      11, index, {.kinds = {revolute, free, ball, prismatic, fixed, universal, planar}, .most_bodies = 20});
  for (BodyDescription& body : scene.bodies)
    if (body.joint.kind == ball) {
      body.joint.damping.assign(3, 0.1);
      body.joint.armature.assign(3, 0.05);
    }
  return scene;
}

/// Calls compare(model, state, effort, mujoco) for every tree and expects the error that it returns to be small.
template <class Compare>
void expect_agreement(double tolerance, Compare&& compare) {
  double worst = 0;
  for (std::uint64_t index = 0; index < kTrees; ++index) {
    const SceneDescription scene = random_tree(index);
    const Model model = build_model(scene);
    if (model.nv() == 0) continue;
    const State state = initial_state(model);
    generators::RandomStream stream(index);
    const VecX effort = VecX::NullaryExpr(model.nv(), [&] { return stream.uniform(-5, 5); });
    MujocoMechanism mujoco(model);
    mujoco.set_state(state, effort);
    const double error = compare(model, state, effort, mujoco);
    worst = std::max(worst, error);
    ASSERT_LE(error, tolerance) << "tree " << index << "\n" << scene_to_json(scene);
  }
  testing::Test::RecordProperty("worst_relative_error", std::to_string(worst));
  std::printf("worst relative error %.2g of %.2g allowed\n", worst, tolerance);
}

double relative(const auto& ours, const auto& theirs, double scale) {
  return (ours - theirs).cwiseAbs().maxCoeff() / (scale + theirs.cwiseAbs().maxCoeff());
}

// Both round differently in sums over trees of up to 20 bodies: 1e-16 times what the recursions amplify.
TEST(Mujoco, HasTheSameMassMatrix) {
  expect_agreement(1e-12, [](const Model& model, const State& state, const VecX&, MujocoMechanism& mujoco) {
    return relative(crba(model, state.q), mujoco.mass_matrix(), 0);
  });
}

TEST(Mujoco, HasTheSameBiasForces) {
  expect_agreement(1e-12, [](const Model& model, const State& state, const VecX&, MujocoMechanism& mujoco) {
    return relative(rnea(model, state.q, state.v, VecX::Zero(model.nv())), mujoco.bias(), 1);
  });
}

// Solving with M multiplies rounding by its condition, up to 1e4 on these trees.
TEST(Mujoco, HasTheSameForwardDynamics) {
  expect_agreement(1e-10,
                   [](const Model& model, const State& state, const VecX& effort, MujocoMechanism& mujoco) {
                     return relative(forward_dynamics(model, state, effort), mujoco.acceleration(), 1);
                   });
}

TEST(Mujoco, RefusesWhatItCannotSay) {
  SceneDescription scene = generators::grow({{JointKind::screw, 0, 0}}, {});
  EXPECT_THROW(MujocoMechanism{build_model(scene)}, InvalidInput);
}

}  // namespace
}  // namespace jade::reference
