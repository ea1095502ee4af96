#include "jade/model/model.h"

#include <cmath>

#include <gtest/gtest.h>

#include "jade/model/parameter.h"

namespace jade {
namespace {

BodyDescription body(const std::string& name, const std::string& parent, JointKind kind) {
  BodyDescription description;
  description.name = name;
  description.inertia = InertiaDescription{1, Vec3::Zero(), Mat3::Identity()};
  description.joint.kind = kind;
  description.joint.parent = parent;
  return description;
}

TEST(Model, NumbersLinksDepthFirstWhateverTheOrderOfTheScene) {
  SceneDescription scene;
  scene.bodies = {body("hand", "arm", JointKind::revolute), body("other", "", JointKind::free),
                  body("base", "", JointKind::ball), body("arm", "base", JointKind::universal),
                  body("leg", "base", JointKind::planar)};
  const Model model = build_model(scene);
  EXPECT_EQ(model.nq(), 7 + 4 + 2 + 1 + 3);
  EXPECT_EQ(model.nv(), 6 + 3 + 2 + 1 + 3);
  ASSERT_EQ(model.trees().size(), 2u);
  for (int i = 0; i < static_cast<int>(model.links().size()); ++i) {
    const Link& link = model.links()[i];
    EXPECT_LT(link.parent, i);
    // A link is in the range of each of its ancestors and of no other link before it.
    for (int j = 0; j < i; ++j) {
      int up = i;
      while (up > j) up = model.links()[up].parent;
      EXPECT_EQ(i < model.links()[j].subtree_end, up == j);
    }
  }
  EXPECT_EQ(model.joints()[0].v, model.joints()[3].v + 2);  // the hand follows its arm
  EXPECT_EQ(model.velocity_parent()[model.joints()[4].v], model.joints()[2].v + 2);
}

TEST(Model, LumpsWeldedBodiesIntoTheirLink) {
  // Two unit cubes of 1 kg side by side weigh like a box of 2 × 1 × 1 m.
  const Mat3 cube = Mat3::Identity() / 6;
  SceneDescription scene;
  scene.bodies = {body("left", "", JointKind::free), body("right", "left", JointKind::fixed)};
  for (BodyDescription& b : scene.bodies) b.inertia->inertia = cube;
  scene.bodies[1].joint.X_PJ = {Vec3(1, 0, 0), Quat(std::sqrt(0.5), 0, 0, std::sqrt(0.5))};
  const Model model = build_model(scene);
  ASSERT_EQ(model.links().size(), 1u);
  const SpatialInertia& link = model.links()[0].inertia;
  EXPECT_DOUBLE_EQ(link.mass, 2);
  EXPECT_LT((model.links()[0].reference_L - Vec3(0.5, 0, 0)).norm(), 1e-15);
  const Mat3 about_com = transformed({Mat3::Identity(), Vec3(-0.5, 0, 0)}, link).inertia;
  EXPECT_LT((about_com - Mat3(Vec3(2.0, 5.0, 5.0).asDiagonal()) / 6).norm(), 1e-15);
}

TEST(Model, WeighsShapesWhenNoInertiaIsGiven) {
  SceneDescription scene;
  scene.materials = {"wood"};
  scene.pairs = {{"wood", "wood", 0.5, 0}};
  scene.bodies = {body("box", "", JointKind::free)};
  scene.bodies[0].inertia.reset();
  ShapeDescription half;
  half.geometry = Box{Vec3(1, 1, 1)};
  half.material = "wood";
  half.density = 3;
  half.X_BS.position = Vec3(0.5, 0, 0);
  scene.bodies[0].shapes = {half, half};
  scene.bodies[0].shapes[1].X_BS.position = Vec3(-0.5, 0, 0);
  const SpatialInertia inertia = build_model(scene).bodies()[0].inertia;
  EXPECT_NEAR(inertia.mass, 6, 1e-14);
  EXPECT_LT(inertia.moment.norm(), 1e-14);
  EXPECT_LT((inertia.inertia - Mat3(Vec3(1.0, 2.5, 2.5).asDiagonal())).norm(), 1e-14);
}

TEST(Model, SuggestsTheNearestBody) {
  SceneDescription scene;
  scene.bodies = {body("gripper", "", JointKind::free)};
  const Model model = build_model(scene);
  EXPECT_EQ(model.body_named("gripper"), 0);
  try {
    static_cast<void>(model.body_named("griper"));
    FAIL() << "an unknown body was found";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("gripper"), std::string::npos);
  }
}

TEST(Parameters, AreReadBackAfterBeingSetAndAgreeWithTheScene) {
  SceneDescription scene;
  scene.materials = {"steel"};
  scene.pairs = {{"steel", "steel", 0.3, 0.1}};
  scene.bodies = {body("base", "", JointKind::free), body("arm", "base", JointKind::revolute)};
  const Model model = build_model(scene);
  for (const ParameterId& id : parameters_of(model)) {
    if (id.kind == ParameterKind::step_size) continue;
    const double value = parameter_value(model, id) + 0.01;
    const Model changed = model.with(std::vector<ParameterValue>{{id, value}});
    EXPECT_EQ(parameter_value(changed, id), value) << name_of(model, id);
    // A model built from the changed scene is the same mechanism.
    EXPECT_NEAR(parameter_value(build_model(changed.scene()), id), value, 1e-15) << name_of(model, id);
  }
}

TEST(Parameters, ThatNoMatterCouldHaveAreRefused) {
  SceneDescription scene;
  scene.bodies = {body("base", "", JointKind::free)};
  const Model model = build_model(scene);
  const auto refused = [&](ParameterId id, double value) {
    EXPECT_THROW(static_cast<void>(model.with(std::vector<ParameterValue>{{id, value}})), InvalidInput);
  };
  refused({ParameterKind::inertia, 0, 0}, -1);
  refused({ParameterKind::inertia, 0, 4}, 5);  // violates the triangle inequality
  refused({ParameterKind::inertia, 7, 0}, 1);
  refused({ParameterKind::damping, 0, 0}, -1);
  refused({ParameterKind::stiffness, 0, 0}, 1);  // a free joint has no spring
  refused({ParameterKind::gravity, 0, 2}, std::nan(""));
  refused({ParameterKind::step_size, 0, 0}, 0.01);
}

}  // namespace
}  // namespace jade
