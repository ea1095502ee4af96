#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include "jade/stepping/step.h"

/// Scenes and runs for the tests of steps.
namespace jade::step_tests {

constexpr double kStandoff = 1e-5;

/// Bodies that all meet each other in the same way.
inline SceneDescription empty_scene(double friction, double restitution, double gravity) {
  SceneDescription scene;
  scene.name = "bodies";
  scene.gravity = Vec3(0, 0, -gravity);
  scene.materials = {"stuff"};
  scene.pairs = {{"stuff", "stuff", friction, restitution}};
  return scene;
}

/// The same on flat ground.
inline SceneDescription ground(double friction, double restitution, double gravity) {
  SceneDescription scene = empty_scene(friction, restitution, gravity);
  BodyDescription body;
  body.name = "ground";
  body.joint.kind = JointKind::fixed;
  body.shapes = {{.name = "", .geometry = HalfSpace{}, .X_BS = {}, .material = "stuff", .density = {}}};
  scene.bodies = {body};
  return scene;
}

inline BodyDescription body(const std::string& name, const Shape& shape, const Vec3& at, const Vec3& velocity,
                            const Vec3& spin = Vec3::Zero()) {
  BodyDescription result;
  result.name = name;
  result.joint.position = {at.x(), at.y(), at.z(), 1, 0, 0, 0};
  result.joint.velocity = {velocity.x(), velocity.y(), velocity.z(), spin.x(), spin.y(), spin.z()};
  result.shapes = {{.name = "", .geometry = shape, .X_BS = {}, .material = "stuff", .density = 1000.0}};
  return result;
}

struct Simulation {
  explicit Simulation(const SceneDescription& scene, const StepSettings& chosen = {})
      : model(build_model(scene)), workspace(model), state(initial_state(model)), settings(chosen) {}

  void advance(int steps, double h = 0.01) {
    for (int i = 0; i < steps; ++i) {
      StepResult result = step(model, state, memory, controls_at(model, time, h), h, settings, workspace);
      state = std::move(result.next);
      memory = std::move(result.memory);
      report = std::move(result.report);
      time += h;
      clearance = std::min(clearance, report.smallest_clearance);
      lost_time += report.lost_time;
      unsolved += report.unsolved;
    }
  }
  Vec3 position(const std::string& name) const { return state.q.segment<3>(joint(name).q); }
  Vec3 velocity(const std::string& name) const { return state.v.segment<3>(joint(name).v); }
  const Joint& joint(const std::string& name) const { return model.joints()[model.body_named(name)]; }

  Model model;
  StepWorkspace workspace;
  State state;
  StepMemory memory;
  StepSettings settings;
  StepReport report;
  double time = 0, clearance = std::numeric_limits<double>::infinity(), lost_time = 0;
  int unsolved = 0;
};

}  // namespace jade::step_tests
