#include "step_scenes.h"

#include <cmath>
#include <random>

#include <fmt/core.h>

#include "cases/scenes.h"

namespace jade::benchmarks {
namespace {

using cases::contact_scene;
using cases::fixed_solid;
using cases::free_solid;
using cases::kGravity;
using cases::kStandoff;

constexpr double kSide = 0.2;
const Box kCube{Vec3(kSide, kSide, kSide)};

SceneDescription on_the_ground(const std::string& name, double gravity, double friction) {
  SceneDescription scene = contact_scene(name, gravity, friction, 0);
  scene.bodies = {fixed_solid("ground", HalfSpace{})};
  return scene;
}

}  // namespace

StepScene sliding_box() {
  StepScene s{.scene = on_the_ground("sliding box", 9, 0.16), .steps = 120};
  s.scene.bodies.push_back(free_solid("box", kCube, Vec3(0, 0, kSide / 2 + kStandoff), Vec3(2, 0, 0)));
  return s;
}

StepScene pushed_cubes() {
  StepScene s{.scene = on_the_ground("pushed cubes", 9, 0.16), .steps = 80};
  const double z = kSide / 2 + kStandoff;
  s.scene.bodies.push_back(free_solid("pusher", kCube, Vec3(0, 0, z), Vec3(2, 0, 0)));
  s.scene.bodies.push_back(free_solid("pushed", kCube, Vec3(kSide + kStandoff + 0.5, 0, z)));
  return s;
}

StepScene stack_of_ten() {
  StepScene s{
      .scene = on_the_ground("10-stack", kGravity, 0.5), .steps = 500, .rests = true, .falls_at = kSide / 2};
  for (int i = 0; i < 10; ++i)
    s.scene.bodies.push_back(free_solid(fmt::format("box{}", i + 1), kCube,
                                        Vec3(0, 0, kSide / 2 + kStandoff + i * (kSide + kStandoff))));
  return s;
}

StepScene arm_on_twelve_contacts() {
  StepScene s{.scene = on_the_ground("7-dof arm, 12 contacts", kGravity, 0.5),
              .steps = 500,
              .drift_from = 100,
              .rests = true,
              .falls_at = 0.01};
  constexpr double kLink = 0.15, kHeight = 0.15, kRadius = 0.02;
  std::string parent;
  for (int i = 0; i < 7; ++i) {
    BodyDescription body{.name = fmt::format("link{}", i + 1)};
    body.inertia = InertiaDescription{
        .mass = 1.5, .com = Vec3(kLink / 2, 0, 0), .inertia = Vec3(0.02, 0.03, 0.03).asDiagonal()};
    const Vec3 axes[] = {Vec3::UnitZ(), Vec3::UnitY(), Vec3::UnitX(), Vec3::UnitY(),
                         Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitX()};
    body.joint = {.kind = JointKind::revolute,
                  .parent = parent,
                  .X_PJ = {i == 0 ? Vec3(0, 0, kHeight) : Vec3(kLink, 0, 0), Quat::Identity()},
                  .axis = axes[i],
                  .damping = {1.0},
                  .stiffness = {i < 4 ? 50.0 : 0.0}};
    parent = body.name;
    s.scene.bodies.push_back(std::move(body));
  }
  BodyDescription& hand = s.scene.bodies.back();
  for (int k = 0; k < 12; ++k) {
    ShapeDescription ball{.geometry = Sphere{kRadius}, .material = s.scene.materials[0]};
    const int column = k % 4, row = k / 4;
    ball.X_BS.position = Vec3(0.05 * column - 0.075, 0.05 * row - 0.05, kRadius + kStandoff - kHeight);
    hand.shapes.push_back(std::move(ball));
  }
  return s;
}

StepScene hundred_boxes() {
  StepScene s{.scene = on_the_ground("100 boxes in a bin", kGravity, 0.5),
              .steps = 500,
              .drift_from = 400,
              .rests = true};
  constexpr double kPitch = 0.3, kInside = 0.85, kWall = 0.2, kTall = 2;
  for (const int side : {0, 1, 2, 3}) {
    const Vec3 out = side < 2 ? Vec3(side == 0 ? 1 : -1, 0, 0) : Vec3(0, side == 2 ? 1 : -1, 0);
    Vec3 size = Vec3::Constant(2 * (kInside + kWall));
    size = size - out.cwiseAbs() * (size.x() - kWall);
    size.z() = kTall;
    s.scene.bodies.push_back(fixed_solid(
        fmt::format("wall{}", side + 1), Box{size},
        {.position = out * (kInside + kWall / 2) + Vec3(0, 0, kTall / 2), .orientation = Quat::Identity()}));
  }
  std::mt19937 random(7);  // its sequence is fixed by the standard
  const auto draw = [&] { return 2 * (random() / 4294967296.0) - 1; };
  for (int i = 0; i < 100; ++i) {
    const int column = i % 5, row = i / 5 % 5, layer = i / 25;
    const Vec3 at(kPitch * (column - 2), kPitch * (row - 2), 0.2 + kPitch * layer);
    BodyDescription box =
        free_solid(fmt::format("box{}", i + 1), kCube, at + 0.02 * Vec3(draw(), draw(), draw()));
    const Quat turn = Quat(1, 0.1 * draw(), 0.1 * draw(), 0.1 * draw()).normalized();
    const double numbers[] = {turn.w(), turn.x(), turn.y(), turn.z()};
    std::copy(numbers, numbers + 4, box.joint.position.begin() + 3);
    s.scene.bodies.push_back(std::move(box));
  }
  return s;
}

StepScene hundred_in_towers() {
  StepScene s{.scene = on_the_ground("100 boxes in 25 towers", kGravity, 0.5),
              .steps = 500,
              .rests = true,
              .falls_at = kSide / 2};
  for (int i = 0; i < 100; ++i) {
    const int column = i % 5, row = i / 5 % 5, layer = i / 25;
    s.scene.bodies.push_back(
        free_solid(fmt::format("box{}", i + 1), kCube,
                   Vec3(0.5 * column, 0.5 * row, kSide / 2 + kStandoff + layer * (kSide + kStandoff))));
  }
  return s;
}

StepScene separate_pairs(int pairs) {
  StepScene s{.scene = on_the_ground(fmt::format("{} separate pairs", pairs), kGravity, 0.5),
              .steps = 10,
              .rests = true,
              .falls_at = kSide / 2};
  const int columns = static_cast<int>(std::ceil(std::sqrt(pairs)));
  for (int i = 0; i < pairs; ++i) {
    const int column = i % columns, row = i / columns;
    for (const int k : {0, 1})
      s.scene.bodies.push_back(
          free_solid(fmt::format("cube{}", 2 * i + k + 1), kCube,
                     Vec3(column, row, kSide / 2 + kStandoff + k * (kSide + kStandoff))));
  }
  return s;
}

std::vector<StepScene> step_scenes() {
  return {sliding_box(),       pushed_cubes(), stack_of_ten(), arm_on_twelve_contacts(),
          hundred_in_towers(), hundred_boxes()};
}

}  // namespace jade::benchmarks
