#include "mechanisms.h"

#include <fmt/core.h>

namespace jade::benchmarks {
namespace {

BodyDescription link(std::string name, std::string parent, const Vec3& offset, const Vec3& axis) {
  BodyDescription body{.name = std::move(name)};
  body.inertia = InertiaDescription{
      .mass = 1.5, .com = Vec3(0.01, 0.02, 0.1), .inertia = Vec3(0.012, 0.011, 0.004).asDiagonal()};
  body.joint = {.kind = JointKind::revolute,
                .parent = std::move(parent),
                .X_PJ = {offset, Quat::Identity()},
                .axis = axis,
                .position = {0.3},
                .velocity = {0.5}};
  return body;
}

/// Adds hinges in a row and returns the name of the last link.
std::string add_limb(SceneDescription& scene, const std::string& name, std::string parent, const Vec3& root,
                     int hinges) {
  for (int i = 0; i < hinges; ++i) {
    const std::string own = fmt::format("{}{}", name, i);
    scene.bodies.push_back(link(own, parent, i == 0 ? root : Vec3(0, 0.01, 0.2), Vec3::Unit((i + 2) % 3)));
    parent = own;
  }
  return parent;
}

}  // namespace

SceneDescription arm() {
  SceneDescription scene{.name = "7-dof arm"};
  add_limb(scene, "arm", "", Vec3(0, 0, 0.3), 7);
  return scene;
}

SceneDescription humanoid() {
  SceneDescription scene{.name = "36-dof humanoid"};
  BodyDescription pelvis = link("pelvis", "", Vec3::Zero(), Vec3::UnitZ());
  pelvis.joint = {.kind = JointKind::free,
                  .position = {0.1, 0.2, 1, 0.8, 0, 0.6, 0},
                  .velocity = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
  scene.bodies.push_back(pelvis);
  const std::string chest = add_limb(scene, "waist", "pelvis", Vec3(0, 0, 0.1), 3);
  add_limb(scene, "left_leg", "pelvis", Vec3(0, 0.1, -0.1), 6);
  add_limb(scene, "right_leg", "pelvis", Vec3(0, -0.1, -0.1), 6);
  add_limb(scene, "left_arm", chest, Vec3(0, 0.2, 0.3), 7);
  add_limb(scene, "right_arm", chest, Vec3(0, -0.2, 0.3), 7);
  add_limb(scene, "head", chest, Vec3(0, 0, 0.4), 1);
  return scene;
}

SceneDescription chain(int links) {
  SceneDescription scene{.name = fmt::format("{}-link chain", links)};
  add_limb(scene, "link", "", Vec3::Zero(), links);
  return scene;
}

}  // namespace jade::benchmarks
