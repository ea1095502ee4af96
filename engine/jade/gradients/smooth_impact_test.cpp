#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "jade/dynamics/manifold.h"
#include "jade/geometry/test_meshes.h"
#include "jade/gradients/step_gradient.h"
#include "jade/math/differences.h"

namespace jade {
namespace {

struct Shot {
  Shape ball, target;
  Vec3 start = Vec3(-0.4, 0, 0), velocity = Vec3(4, -0.1, 0), spin = Vec3::Zero();
  double friction = 0, restitution = 1;
  double inertia =
      0.02;  ///< of both [kg m²], of a mass of 1 kg; 0: those of their shapes, with the density of water
};

BodyDescription body(const std::string& name, const Shape& shape, const Vec3& at, double inertia) {
  BodyDescription result;
  result.name = name;
  result.joint.position = {at.x(), at.y(), at.z(), 1, 0, 0, 0};
  // That of a ball: its free flight is exact, so that nothing but the impact is looked at.
  if (inertia > 0)
    result.inertia =
        InertiaDescription{.mass = 1, .com = Vec3::Zero(), .inertia = inertia * Mat3::Identity()};
  result.shapes = {{.name = "", .geometry = shape, .X_BS = {}, .material = "stuff", .density = {}}};
  if (inertia == 0) result.shapes[0].density = 1000;
  return result;
}

SceneDescription scene(const Shot& shot) {
  SceneDescription s;
  s.name = "smooth impact";
  s.gravity.setZero();
  s.materials = {"stuff"};
  s.pairs = {{"stuff", "stuff", shot.friction, shot.restitution}};
  s.bodies = {body("ball", shot.ball, shot.start, shot.inertia),
              body("target", shot.target, Vec3::Zero(), shot.inertia)};
  s.bodies[0].joint.velocity = {shot.velocity.x(), shot.velocity.y(), shot.velocity.z(),
                                shot.spin.x(),     shot.spin.y(),     shot.spin.z()};
  return s;
}

/// Where the target is after 0.2 s.
Vec3 end_of(const Shot& shot) {
  const Model model = build_model(scene(shot));
  StepWorkspace workspace(model);
  State state = initial_state(model);
  StepMemory memory;
  for (int i = 0; i < 20; ++i) {
    StepResult result =
        step(model, state, memory, {VecX::Zero(12), VecX::Zero(12)}, 0.01, {}, workspace, nullptr);
    EXPECT_GT(result.report.smallest_clearance, 0);
    state = std::move(result.next);
    memory = std::move(result.memory);
  }
  return state.q.segment<3>(7);
}

TEST(SmoothImpact, OfMeshBallsConvergesToThatOfSpheres) {
  constexpr double kRadius = 0.05, kInertia = 0.4 * kRadius * kRadius;
  const Sphere sphere{kRadius};
  for (const double vy : {-0.1, -0.35, -0.7}) {
    const Vec3 velocity(4, vy, 0),
        exact = end_of({.ball = sphere, .target = sphere, .velocity = velocity, .inertia = kInertia});
    for (const int vertices : {50, 200, 800}) {
      const TriangleMesh mesh = test_meshes::ellipsoid(vertices, Vec3::Constant(kRadius));
      const Vec3 end = end_of({.ball = mesh, .target = mesh, .velocity = velocity, .inertia = kInertia});
      // Facets of angle α are met up to a radius times α² too late and α beside the line of centres, which costs α² of the
      // speed; a sphere has 4π/α² of them. Flat normals would be off by α itself.
      const double squared_angle = 4 * M_PI / vertices;
      EXPECT_LT((end - exact).norm(), exact.norm() * squared_angle) << vertices << " vertices, v_y " << vy;
    }
  }
}

/// One step in which two bodies hit each other with spin, friction and a loss; positions and velocities after it.
TEST(SmoothImpact, HasTheGradientOfItsDifferences) {
  const Shot shots[] = {
      {.ball = test_meshes::ellipsoid(60, Vec3(0.3, 0.2, 0.25)),
       .target = test_meshes::ellipsoid(80, Vec3(0.2, 0.3, 0.3)),
       .start = Vec3(-0.51, 0.07, 0.03),
       .velocity = Vec3(4, -0.3, 0.2),
       .spin = Vec3(0.5, -1, 2),
       .restitution = 0.5},
      {.ball = test_meshes::ellipsoid(60, Vec3(0.3, 0.2, 0.25)),
       .target = Sphere{0.2},
       .start = Vec3(-0.51, 0.05, -0.04),
       .velocity = Vec3(4, 0.3, 0.2),
       .spin = Vec3(-0.5, 1, 1),
       .friction = 0.3,
       .restitution = 0.7},
      // Matter that is no ball precesses between impact and end of the step.
      {.ball = test_meshes::ellipsoid(60, Vec3(0.3, 0.2, 0.25)),
       .target = test_meshes::ellipsoid(80, Vec3(0.2, 0.3, 0.3)),
       .start = Vec3(-0.51, 0.07, 0.03),
       .velocity = Vec3(4, -0.3, 0.2),
       .spin = Vec3(5, -10, 20),
       .friction = 0.3,
       .restitution = 0.5,
       .inertia = 0},
  };
  constexpr double kStep = 0.02;
  for (const Shot& shot : shots) {
    const Model model = build_model(scene(shot));
    StepWorkspace workspace(model);
    GradientWorkspace gradients(model);
    const State start = initial_state(model);
    StepTrace trace;
    const auto next = [&](const State& from, StepTrace* to) {
      return step(model, from, {}, {VecX::Zero(12), VecX::Zero(12)}, kStep, {}, workspace, to).next;
    };
    const State reached = next(start, &trace);
    bool smooth = false;
    for (const IslandTrace& island : trace.islands)
      for (const SubstepTrace& substep : island.substeps)
        for (const RowsTrace& rows : substep.collision.rows) smooth = smooth || rows.smooth;
    ASSERT_TRUE(smooth);
    StepJacobian jacobian;
    step_jacobian(model, trace, {}, gradients, jacobian);
    for (int column = 0; column < 24; ++column) {
      const auto moved = [&](double s) -> VecX {
        State from = start;
        if (column < 12)
          integrate(model, start.q, VecX(s * VecX::Unit(12, column)), from.q);
        else
          from.v[column - 12] += s;
        const State to = next(from, nullptr);
        // Tangent coordinates are those of centres of mass, which are not where a mesh has its origin.
        VecX out(24);
        out << difference(model, reached.q, to.q), to.v;
        return out;
      };
      const Derivative expected = ridders_derivative(moved, {.first_step = 1e-4, .levels = 8});
      const VecX column_of = jacobian.state.col(column);
      // Steps stay within one facet; the time of impact is polished to rounding of 1e-13 m.
      const double size = std::max(1.0, expected.value.norm());
      EXPECT_LE(expected.error, 1e-6 * size) << "column " << column;
      EXPECT_LE((column_of - expected.value).norm(), 1e-6 * size + expected.error) << "column " << column;
    }
  }
}

}  // namespace
}  // namespace jade
