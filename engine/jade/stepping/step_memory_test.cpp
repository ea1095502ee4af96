#include <cmath>

#include <gtest/gtest.h>

#include "jade/base/allocation_count.h"
#include "jade/stepping/step.h"
#include "jade/stepping/step_trace.h"

namespace jade {
namespace {

constexpr double kStandoff = 1e-5, kSide = 0.2, kStep = 0.01;

ShapeDescription solid(const Shape& shape) {
  return {.geometry = shape, .material = "stuff", .density = 1000.0};
}

SceneDescription ground() {
  SceneDescription scene{.name = "ground", .materials = {"stuff"}, .pairs = {{"stuff", "stuff", 0.3, 0}}};
  BodyDescription body{.name = "ground"};
  body.joint.kind = JointKind::fixed;
  body.shapes = {solid(HalfSpace{})};
  body.shapes[0].density.reset();
  scene.bodies = {body};
  return scene;
}

/// Cubes standing on each other, the lowest moving along the ground with all of them.
SceneDescription tower(int cubes, double speed, double x = 0) {
  SceneDescription scene = ground();
  for (int i = 0; i < cubes; ++i) {
    BodyDescription body{.name = "cube" + std::to_string(i)};
    body.shapes = {solid(Box{Vec3::Constant(kSide)})};
    body.joint.position = {x, 0, kSide / 2 + kStandoff + i * (kSide + kStandoff), 1, 0, 0, 0};
    body.joint.velocity = {speed, 0, 0, 0, 0, 0};
    scene.bodies.push_back(body);
  }
  return scene;
}

/// Two hinges that press a ball on the ground.
SceneDescription arm() {
  SceneDescription scene = ground();
  std::string parent;
  for (int i = 0; i < 2; ++i) {
    BodyDescription body{.name = "link" + std::to_string(i)};
    body.inertia = InertiaDescription{1, Vec3(0.2, 0, 0), Vec3(0.01, 0.02, 0.02).asDiagonal()};
    body.joint = {.kind = JointKind::revolute,
                  .parent = parent,
                  .X_PJ = {i == 0 ? Vec3(0, 0, 0.3) : Vec3(0.4, 0, 0), Quat::Identity()},
                  .axis = Vec3::UnitY(),
                  .damping = {1.0},
                  .stiffness = {20.0}};
    parent = body.name;
    scene.bodies.push_back(body);
  }
  scene.bodies.back().shapes = {solid(Sphere{0.05})};
  scene.bodies.back().shapes[0].X_BS.position = Vec3(0.4, 0, 0.05 - 0.3 + kStandoff);
  return scene;
}

struct Course {
  explicit Course(const SceneDescription& scene)
      : model(build_model(scene)),
        workspace(model),
        controls{VecX::Zero(model.nv()), VecX::Zero(model.nv())} {
    result.next = initial_state(model);
  }
  void advance(int steps) {
    for (int i = 0; i < steps; ++i)
      step(model, result.next, result.memory, controls, kStep, settings, workspace, result);
  }
  Model model;
  StepWorkspace workspace;
  Controls controls;
  StepSettings settings;
  StepResult result;
};

#if defined(JADE_COUNTS_ALLOCATIONS)
int allocations_of_a_later_step(const SceneDescription& scene, int steps_before) {
  Course run(scene);
  run.advance(steps_before);
  const int allocations = test::allocations_of([&] { run.advance(1); });
  EXPECT_GT(run.result.report.contacts.size(), 0u) << "nothing touches: " << scene.name;
  return allocations;
}

TEST(StepMemory, LaterStepsAllocateNothing) {
  EXPECT_EQ(allocations_of_a_later_step(tower(1, 2), 5), 0) << "sliding";
  EXPECT_EQ(allocations_of_a_later_step(tower(4, 0), 5), 0) << "standing";
  EXPECT_EQ(allocations_of_a_later_step(arm(), 200), 0) << "an arm";
  EXPECT_EQ(allocations_of_a_later_step(tower(33, 0), 5), 0) << "a crowd";
}
#endif

/// The same steps from fresh memory, from used memory, and in place.
TEST(StepMemory, NeverChangesABit) {
  for (const SceneDescription& scene : {tower(3, 1), arm()}) {
    Course kept(scene);
    kept.advance(3);
    Course used(scene);
    used.advance(40);  // leaves islands, contacts and classes of another time behind
    used.result.next = initial_state(used.model);
    used.result.memory = {};
    used.advance(3);
    State state = initial_state(kept.model);
    StepMemory memory;
    for (int i = 0; i < 3; ++i) {
      StepWorkspace fresh(kept.model);
      StepResult result = step(kept.model, state, memory, kept.controls, kStep, kept.settings, fresh);
      state = std::move(result.next);
      memory = std::move(result.memory);
    }
    EXPECT_EQ(kept.result.next.q, state.q);
    EXPECT_EQ(kept.result.next.v, state.v);
    EXPECT_EQ(used.result.next.q, state.q);
    EXPECT_EQ(used.result.next.v, state.v);
  }
}

/// Far apart, two towers step as each of them alone: to the bit, and each in an island of its own.
TEST(StepMemory, TowersFarApartDoNotFeelEachOther) {
  SceneDescription both = tower(2, 1);
  SceneDescription second = tower(3, 0.5, 7);
  for (std::size_t i = 1; i < second.bodies.size(); ++i) {
    second.bodies[i].name += " of the second";
    both.bodies.push_back(second.bodies[i]);
  }
  Course together(both), first(tower(2, 1)), other(second);
  for (Course* run : {&together, &first, &other}) run->advance(20);
  EXPECT_EQ(together.result.next.q.head(14), first.result.next.q);
  EXPECT_EQ(together.result.next.q.tail(21), other.result.next.q);
}

/// Which corners of a face are said to bear its load is rounding: a nudge is no impact at the others.
TEST(StepMemory, CornersThatWereHeldBearTheirLoadTogether) {
  Course course(tower(2, 0));
  course.advance(1);
  int upper = 0;
  for (StepMemory::Contact& contact : course.result.memory.contacts) {
    const bool between_cubes = (contact.key >> 48) == 1;
    if (between_cubes && upper++ == 0) contact.classes.fill(RowClass::separate);
  }
  ASSERT_EQ(upper, 4);
  course.result.next.v[8] -= 1e-5;
  course.advance(1);
  EXPECT_TRUE(course.result.report.impacts.empty());
}

/// A cube that stands between two walls with less room than two standoffs: no forces open both gaps. That this was found once
/// is remembered, and what is at rest is not searched again; nothing else comes of it.
TEST(StepMemory, GapsThatNothingOpensAreRememberedAndMoveNothing) {
  SceneDescription scene = tower(1, 0);
  for (const double side : {-1, 1}) {
    BodyDescription wall{.name = side < 0 ? "left" : "right"};
    wall.joint.kind = JointKind::fixed;
    wall.joint.X_PJ.position = Vec3(side * (kSide + 0.8 * kStandoff), 0, kSide);
    wall.shapes = {solid(Box{Vec3(kSide, kSide, kSide)})};
    scene.bodies.push_back(wall);
  }
  Course course(scene);
  course.advance(2);
  ASSERT_GT(course.result.report.without_gaps, 0);
  StepMemory forgetful = course.result.memory;
  int unheeded = 0;
  for (StepMemory::Contact& contact : forgetful.contacts) {
    unheeded += contact.unheeded;
    contact.unheeded = false;
  }
  EXPECT_GT(unheeded, 0);
  StepWorkspace workspace(course.model);
  const StepResult searched =
      step(course.model, course.result.next, forgetful, course.controls, kStep, course.settings, workspace);
  course.advance(1);
  EXPECT_GT(searched.report.without_gaps, 0);
  EXPECT_EQ(course.result.report.without_gaps, searched.report.without_gaps);
  // Without the gaps each is solved from classes of its own, to some roundings of what a step of gravity does.
  const double rounding = 1e-14 * 9.81 * kStep;
  EXPECT_LE((course.result.next.q - searched.next.q).lpNorm<Eigen::Infinity>(), rounding);
  EXPECT_LE((course.result.next.v - searched.next.v).lpNorm<Eigen::Infinity>(), rounding);
}

/// A cube behind another, sliding at one speed: they touch, and neither pushes.
SceneDescription procession() {
  SceneDescription scene = tower(1, 1);
  scene.bodies.push_back(tower(1, 1, kSide + kStandoff).bodies[1]);
  scene.bodies[2].name = "in front";
  return scene;
}

Vec3 impulse_between(const StepReport& report, int shape_a, int shape_b) {
  Vec3 sum = Vec3::Zero();
  for (const ContactReport& contact : report.contacts)
    if (contact.shape_a == shape_a && contact.shape_b == shape_b) sum += contact.impulse;
  return sum;
}

/// The cube behind is pushed forward and to the side: what carried nothing is a row by its normal alone, and has friction as
/// soon as it carries.
TEST(StepMemory, WhatCarriedNothingIsHeldByFrictionAsSoonAsItCarries) {
  Course kept(procession());
  kept.advance(5);
  ASSERT_EQ(kept.result.report.contacts.size(), 12u);
  ASSERT_EQ(impulse_between(kept.result.report, 1, 2), Vec3::Zero());
  kept.controls.effort.head<2>() = Vec2(30, 10);
  StepWorkspace workspace(kept.model);
  const StepResult forgetful =
      step(kept.model, kept.result.next, {}, kept.controls, kStep, kept.settings, workspace);
  kept.advance(1);
  const Vec3 carried = impulse_between(kept.result.report, 1, 2);
  EXPECT_GT(carried.x(), 0.1);
  EXPECT_GT(std::abs(carried.y()), 0.01);
  // Rounding of velocities of a metre a second.
  EXPECT_LT((kept.result.next.v - forgetful.next.v).lpNorm<Eigen::Infinity>(), 1e-13);
}

/// The tape has the rows of their friction too, and does not change a bit.
TEST(StepMemory, TheTapeHasAllRowsOfWhatCarriesNothing) {
  Course course(procession());
  course.advance(5);
  StepWorkspace workspace(course.model);
  StepTrace trace;
  const StepResult taped = step(course.model, course.result.next, course.result.memory, course.controls,
                                kStep, course.settings, workspace, &trace);
  course.advance(1);
  EXPECT_EQ(course.result.next.q, taped.next.q);
  EXPECT_EQ(course.result.next.v, taped.next.v);
  ASSERT_EQ(trace.islands.size(), 1u);
  const SolveTrace& solve = trace.islands[0].substeps.back().solves.back();
  ASSERT_EQ(solve.rows.size(), 12u);
  for (const RowsTrace& rows : solve.rows) EXPECT_GE(rows.count, 2);
  EXPECT_EQ(solve.rows.back().first + solve.rows.back().count, solve.forces.f.size());
}

/// Two hundred radians a second for a twentieth of a second, in round numbers: rounding must not decide on the parts.
TEST(Step, RoundNumbersOfSpinAndStepAreNoJump) {
  for (const double rate : {10.0, 40.0, 200.0})
    for (const double h : {0.01, 0.025, 0.05}) {
      int parts = 0;
      for (const double change : {-1e-12, 0.0, 1e-12}) {
        SceneDescription scene = tower(1, 0);
        scene.gravity.setZero();
        scene.bodies[1].joint.position[2] = 10;
        scene.bodies[1].joint.velocity = {0, 0, 0, 0, 0, rate * (1 + change)};
        const Model model = build_model(scene);
        StepWorkspace workspace(model);
        const StepResult result =
            step(model, initial_state(model), {}, controls_at(model, 0, h), h, {}, workspace);
        if (change < 0) parts = result.report.substeps;
        EXPECT_EQ(result.report.substeps, parts) << rate << " " << h << " " << change;
      }
    }
}

/// A cube that slides on two corners of a diagonal, as it may have landed, is as much at rest above the ground as on all four;
/// what friction does when it turns is another matter.
TEST(StepMemory, OfACornerThatCarriedNothingDoesNotKeepItFromTheLoad) {
  Course course(tower(1, 1));
  course.advance(2);
  StepMemory memory = course.result.memory;
  ASSERT_EQ(memory.contacts.size(), 4U);
  const auto loads = [&](const StepMemory& from) {
    VecX f(4);
    const StepResult next =
        step(course.model, course.result.next, from, course.controls, kStep, {}, course.workspace);
    EXPECT_EQ(next.report.contacts.size(), 4U);
    for (long c = 0; c < 4; ++c) f[c] = next.report.contacts[static_cast<std::size_t>(c)].impulse.z();
    return f;
  };
  const VecX all = loads(memory);
  for (const std::size_t c : {1U, 2U}) memory.contacts[c].classes.fill(RowClass::separate);
  // Shares are those of a compliance that vanishes in steps, which leave some 1e-11 of them.
  EXPECT_LT((loads(memory) - all).lpNorm<Eigen::Infinity>(), 1e-10) << all.transpose();
  EXPECT_GT(all.minCoeff(), 0.1) << all.transpose();
}

}  // namespace
}  // namespace jade
