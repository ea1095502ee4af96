#include <gtest/gtest.h>

#include "jade/base/allocation_count.h"
#include "jade/gradients/step_gradient.h"

#if defined(JADE_COUNTS_ALLOCATIONS)
namespace jade {
namespace {

SceneDescription ground() {
  SceneDescription scene{.name = "memory"};
  scene.gravity = Vec3(0, 0, -9.81);
  scene.materials = {"stuff"};
  scene.pairs = {{"stuff", "stuff", 0.2, 0}};
  BodyDescription body{.name = "ground"};
  body.joint.kind = JointKind::fixed;
  body.shapes = {{.name = "", .geometry = HalfSpace{}, .X_BS = {}, .material = "stuff", .density = {}}};
  scene.bodies = {body};
  return scene;
}

/// Cubes on each other, all with one velocity.
SceneDescription tower(int cubes, double speed) {
  SceneDescription scene = ground();
  for (int k = 0; k < cubes; ++k) {
    BodyDescription cube{.name = "cube" + std::to_string(k)};
    cube.joint.position = {0, 0, 0.05 + 1e-5 + k * (0.1 + 1e-5), 1, 0, 0, 0};
    cube.joint.velocity = {speed, 0, 0, 0, 0, 0};
    cube.shapes = {
        {.name = "", .geometry = Box{Vec3(0.1, 0.1, 0.1)}, .X_BS = {}, .material = "stuff", .density = 1000}};
    scene.bodies.push_back(cube);
  }
  return scene;
}

/// Two hinges whose hand falls on the ground.
SceneDescription arm() {
  SceneDescription scene = ground();
  std::string parent;
  for (int k = 0; k < 2; ++k) {
    BodyDescription link{.name = k == 0 ? "upper" : "lower"};
    link.shapes = {
        {.name = "", .geometry = Capsule{0.03, 0.15}, .X_BS = {}, .material = "stuff", .density = 1000.0}};
    link.joint.kind = JointKind::revolute;
    link.joint.parent = parent;
    link.joint.X_PJ.position = k == 0 ? Vec3(0, 0, 0.65) : Vec3(0, 0, -0.2);
    link.joint.X_BK.position = Vec3(0, 0, 0.2);
    link.joint.axis = Vec3::UnitX();
    link.joint.position = {k == 0 ? 1.0 : -0.6};
    link.joint.damping = {0.2};
    parent = link.name;
    scene.bodies.push_back(link);
  }
  return scene;
}

/// Of a Jacobian and of a product from the left, each asked for twice after `steps` steps.
int allocations_of_later_gradients(const SceneDescription& scene, int steps) {
  const Model model = build_model(scene);
  StepWorkspace workspace(model);
  GradientWorkspace gradients(model);
  const Controls none{VecX::Zero(model.nv()), VecX::Zero(model.nv())};
  const StepCotangent cotangent{VecX::Ones(model.nv()), VecX::Ones(model.nv())};
  State state = initial_state(model);
  StepMemory memory;
  StepTrace trace;
  StepJacobian jacobian;
  StepPullback pullback;
  for (int i = 0; i <= steps; ++i) {
    trace.clear();
    StepResult next = step(model, state, memory, none, 0.01, {}, workspace, &trace);
    state = next.next;
    memory = next.memory;
  }
  EXPECT_FALSE(trace.islands.at(0).substeps.at(0).contacts.empty());
  const auto differentiate = [&] {
    step_jacobian(model, trace, {}, gradients, jacobian);
    step_vjp(model, trace, {}, cotangent, gradients, pullback);
  };
  differentiate();
  EXPECT_TRUE(jacobian.regularity.exists) << jacobian.regularity.why;
  return test::allocations_of(differentiate);
}

TEST(GradientWorkspace, MakesLaterGradientsFreeOfAllocations) {
  EXPECT_EQ(allocations_of_later_gradients(tower(1, 2), 5), 0) << "sliding";
  EXPECT_EQ(allocations_of_later_gradients(tower(4, 0), 5), 0) << "standing";
  EXPECT_EQ(allocations_of_later_gradients(arm(), 100), 0) << "an arm";
}

}  // namespace
}  // namespace jade
#endif
