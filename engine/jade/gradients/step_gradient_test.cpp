#include "jade/gradients/step_gradient.h"

#include <cmath>

#include <gtest/gtest.h>

#include "jade/dynamics/manifold.h"
#include "jade/gradients/chained_steps.h"
#include "jade/math/differences.h"

namespace jade {
namespace {

using namespace step_tests;

TEST(StepGradient, BounceWithoutGravityHasTheClosedForm) {
  // y_T = e |v| T − e (y₀ − r) + …: ∂y_T/∂y₀ = −e, ∂y_T/∂|v| = e T, ∂y_T/∂e = |v| T − (y₀ − r − δ).
  const double e = 0.8, r = 0.1, speed = 2, y0 = 0.5;
  SceneDescription scene = ground(0, e, 0);
  scene.bodies.push_back(body("ball", Sphere{r}, Vec3(0, 0, y0), Vec3(0, 0, -speed)));
  const Chain run(scene, 50);
  EXPECT_TRUE(run.regularity.regular) << run.regularity.why;
  EXPECT_NEAR(run.by_state(2, 2), -e, 1e-12);                         // rounding
  EXPECT_NEAR(run.by_state(2, run.model.nv() + 2), -e * 0.5, 1e-12);  // by v = −|v|
  const int by_e = run.column({ParameterKind::restitution, 0, 0});
  EXPECT_NEAR(run.by_parameters(2, by_e), speed * 0.5 - (y0 - r - kStandoff), 1e-12);
}

TEST(StepGradient, BounceUnderGravityHasTheClosedForm) {
  // ∂y_T/∂y₀ = −e + (1 + e) g τ / s with s = √(2 g h), τ = T − TOI: 0.190552 for h = 1, e = 0.8, T = 0.7.
  SceneDescription scene = ground(0, 0.8, 9.81);
  scene.bodies.push_back(body("ball", Sphere{0.1}, Vec3(0, 0, 1.1 + kStandoff), Vec3::Zero()));
  const Chain run(scene, 70);
  const double s = std::sqrt(2 * 9.81);
  EXPECT_NEAR(run.by_state(2, 2), -0.8 + 1.8 * 9.81 * (0.7 - s / 9.81) / s, 1e-10);  // 70 steps of rounding
  EXPECT_NEAR(run.by_state(2, 2), 0.190552, 1e-6);                                   // as printed
}

TEST(StepGradient, EqualBallsOnALineExchangeTheirDerivatives) {
  SceneDescription scene = empty_scene(0, 1, 0);
  scene.bodies.push_back(body("first", Sphere{0.1}, Vec3(0, 0, 0), Vec3(1, 0, 0)));
  scene.bodies.push_back(body("second", Sphere{0.1}, Vec3(0.5, 0, 0), Vec3::Zero()));
  const Chain run(scene, 100);
  const int nv = run.model.nv(), a = run.velocity("first"), b = run.velocity("second");
  EXPECT_NEAR(run.by_state(b, a), 1, 1e-12);
  EXPECT_NEAR(run.by_state(b, b), 0, 1e-12);
  EXPECT_NEAR(run.by_state(b, nv + a), 1, 1e-12);  // T = 1
  EXPECT_NEAR(run.by_state(b, nv + b), 0, 1e-12);
}

TEST(StepGradient, SlidingBlockStopsWhereItsDerivativesSay) {
  // d = v₀²/(2μg): ∂d/∂μ = −d/μ, ∂d/∂v₀ = v₀/(μg).
  const double mu = 0.16, g = 9, v0 = 2, d = v0 * v0 / (2 * mu * g);
  SceneDescription scene = ground(mu, 0, g);
  scene.bodies.push_back(body("box", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0, 0.1 + kStandoff), Vec3(v0, 0, 0)));
  const Chain run(scene, 150);
  EXPECT_NEAR(run.state.q[0], d, 1e-9);
  // The step's friction acts at the gap below the box, its distance is exact to 1e-9 and so are its derivatives.
  EXPECT_NEAR(run.by_parameters(0, run.column({ParameterKind::friction, 0, 0})), -d / mu, 1e-7);
  EXPECT_NEAR(run.by_state(0, run.model.nv()), v0 / (mu * g), 1e-7);
}

TEST(StepGradient, StickingBlockDoesNotMove) {
  SceneDescription scene = ground(0.5, 0, 9.81);
  scene.bodies.push_back(body("box", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0, 0.1 + kStandoff), Vec3::Zero()));
  const Chain run(scene, 4);
  const int nv = run.model.nv();
  EXPECT_TRUE(run.regularity.regular) << run.regularity.why;
  EXPECT_NEAR(run.by_state(0, 0), 1, 1e-12);   // it stays where it was put
  EXPECT_NEAR(run.by_state(0, nv), 0, 1e-12);  // a slip of no speed ends at once
  EXPECT_NEAR(run.by_effort(0, 0), 0, 1e-12);  // friction holds it
  EXPECT_NEAR(run.by_parameters(0, run.column({ParameterKind::friction, 0, 0})), 0, 1e-12);
}

TEST(StepGradient, BallStartsToRollAtFiveSevenths) {
  // v = 5/7 v₀ once it rolls, whatever μ is; at 2 v₀/(7 μ g).
  const double mu = 0.2, v0 = 1;
  SceneDescription scene = ground(mu, 0, 9.81);
  scene.bodies.push_back(body("ball", Sphere{0.1}, Vec3(0, 0, 0.1 + kStandoff), Vec3(v0, 0, 0)));
  const Chain run(scene, 20);
  const int nv = run.model.nv();
  // The friction acts at the middle of the gap, δ/2 below the ball: the ratio is off by δ/r.
  EXPECT_NEAR(run.by_state(nv, nv), 5.0 / 7, 1e-4);
  EXPECT_NEAR(run.by_state(nv, nv), run.state.v[0] / v0, 1e-10);  // homogeneous in v₀
  EXPECT_NEAR(run.by_parameters(nv, run.column({ParameterKind::friction, 0, 0})), 0, 1e-10);
}

/// Derivatives of two steps along random directions of q, v and τ, against differences.
struct Trial {
  int before = 0;  ///< steps
  StepSettings settings;
  double effort = 0.01;
  int first = 0;  ///< coordinates before it are not varied
};

void expect_agreement(const SceneDescription& scene, const Trial& trial) {
  const StepSettings& settings = trial.settings;
  const int before = trial.before;
  const double effort = trial.effort;
  Chain run(scene, 0, 0.01, settings);
  run.effort = effort * VecX::Random(run.model.nv());
  run.advance(before, 0.01);
  Chain two(scene, 0, 0.01, settings);
  two.effort = run.effort;
  two.state = run.state;
  two.memory = run.memory;
  two.advance(2, 0.01);
  ASSERT_TRUE(two.regularity.regular) << two.regularity.why;
  const Model& model = run.model;
  const int nv = model.nv();
  for (int direction = 0; direction < 3; ++direction) {
    VecX dq = direction == 0 ? VecX(VecX::Random(nv)) : VecX(VecX::Zero(nv));
    VecX dv = direction == 1 ? VecX(VecX::Random(nv)) : VecX(VecX::Zero(nv));
    dq.head(trial.first).setZero();
    dv.head(trial.first).setZero();
    const VecX dt = direction == 2 ? VecX(VecX::Random(nv)) : VecX(VecX::Zero(nv));
    const auto end = [&](double s) -> VecX {
      State x{integrate(model, run.state.q, VecX(s * dq)), run.state.v + s * dv};
      StepMemory memory = run.memory;
      for (int i = 0; i < 2; ++i) {
        StepResult result =
            step(model, x, memory, {run.effort + s * dt, VecX::Zero(nv)}, 0.01, settings, two.workspace);
        x = result.next;
        memory = result.memory;
      }
      VecX moved(2 * nv);
      moved << difference(model, two.state.q, x.q), x.v - two.state.v;
      return moved;
    };
    VecX in(2 * nv);
    in << dq, dv;
    const VecX analytic = two.by_state * in + two.by_effort * dt;
    // Gaps are 1e-5: steps of the differences stay far below that.
    const Derivative numeric = ridders_derivative(end, {.first_step = 1e-7, .levels = 6});
    // Differences of 1e-7 know seven digits of entries up to 1/h; where they do not they are no judge.
    const double size = std::max(1.0, numeric.value.norm());
    EXPECT_LE(numeric.error, 1e-6 * size) << "direction " << direction;
    EXPECT_LE((analytic - numeric.value).norm(), 1e-6 * size + numeric.error) << "direction " << direction;
  }
}

TEST(StepGradient, AgreesWithDifferencesForATumblingBoxThatLands) {
  SceneDescription scene = ground(0.4, 0.5, 9.81);
  scene.bodies.push_back(
      body("box", Box{Vec3(0.2, 0.3, 0.1)}, Vec3(0, 0, 0.25), Vec3(0.5, 0.2, -2), Vec3(3, 2, 1)));
  for (const int before : {0, 4, 6, 9}) expect_agreement(scene, {.before = before});
}

TEST(StepGradient, AgreesWithDifferencesForABallThatBouncesOffARestingBox) {
  SceneDescription scene = ground(0.4, 0.5, 9.81);
  scene.bodies.push_back(body("box", Box{Vec3(0.4, 0.3, 0.1)}, Vec3(0, 0, 0.05 + kStandoff), Vec3::Zero()));
  scene.bodies.push_back(body("ball", Sphere{0.05}, Vec3(0.03, 0.02, 0.18), Vec3(0.3, -0.1, -1)));
  // A box that turns at 1e-7 rad/s stops in many small slips, which differences do not see through.
  for (const int before : {0, 2, 6}) expect_agreement(scene, {.before = before, .effort = 0, .first = 6});
}

TEST(StepGradient, AgreesWithDifferencesForAPendulumAgainstTheGround) {
  SceneDescription scene = ground(0.3, 0.5, 9.81);
  std::string parent;
  for (int k = 0; k < 2; ++k) {
    BodyDescription link{.name = k == 0 ? "upper" : "lower"};
    link.shapes = {
        {.name = "", .geometry = Capsule{0.03, 0.15}, .X_BS = {}, .material = "stuff", .density = 1000.0}};
    link.joint.kind = k == 0 ? JointKind::ball : JointKind::revolute;
    link.joint.parent = parent;
    link.joint.X_PJ.position = k == 0 ? Vec3(0, 0, 0.6) : Vec3(0, 0, -0.2);
    link.joint.X_BK.position = Vec3(0, 0, 0.2);
    link.joint.axis = Vec3::UnitX();
    link.joint.velocity = k == 0 ? std::vector<double>{1, 0.3, 0.2} : std::vector<double>{2};
    if (k == 1) link.joint.position = {1.2};
    if (k == 1) link.joint.damping = {0.02};
    if (k == 1) link.joint.stiffness = {0.5};
    parent = link.name;
    scene.bodies.push_back(link);
  }
  for (const int before : {0, 10, 20, 30}) expect_agreement(scene, {.before = before});
}

TEST(StepGradient, AgreesWithDifferencesForAnArmThatMeetsItsLimit) {
  SceneDescription scene = empty_scene(0.3, 0.5, 9.81);
  std::string parent;
  for (int k = 0; k < 2; ++k) {
    BodyDescription link{.name = k == 0 ? "upper" : "lower"};
    link.inertia = InertiaDescription{1, Vec3(0, 0, -0.1), Vec3(0.01, 0.012, 0.004).asDiagonal()};
    link.joint.kind = JointKind::revolute;
    link.joint.parent = parent;
    link.joint.X_PJ.position = Vec3(0, 0, k == 0 ? 0.6 : -0.2);
    link.joint.axis = Vec3::UnitX();
    link.joint.velocity = {k == 0 ? 1.0 : 3.0};
    link.joint.upper = {k == 0 ? 2.0 : 0.1};
    link.joint.limit_restitution = 0.5;
    parent = link.name;
    scene.bodies.push_back(link);
  }
  // Flight, the first hits, and at rest against the limit.
  for (const int before : {0, 2, 6, 10}) expect_agreement(scene, {.before = before});
}

TEST(StepGradient, AgreesWithDifferencesForSpringsAndDampersUnderContact) {
  // Columns of damping and stiffness, free and with the hand on the ground.
  SceneDescription scene = ground(0.3, 0.2, 9.81);
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
    link.joint.damping = {k == 0 ? 0.3 : 40.0};  // the second is stiff: it is implicit to first order
    link.joint.stiffness = {k == 0 ? 2.0 : 5.0};
    parent = link.name;
    scene.bodies.push_back(link);
  }
  for (const int before : {0, 15, 40}) {
    const Chain run(scene, before);
    for (const ParameterKind kind : {ParameterKind::damping, ParameterKind::stiffness})
      for (int k = 0; k < 2; ++k) {
        const ParameterId id{kind, k, 0};
        Chain two(scene);
        two.state = run.state;
        two.memory = run.memory;
        two.advance(2, 0.01);
        const double value = parameter_value(run.model, id);
        const auto end = [&](double s) -> VecX {
          const Model model = run.model.with(std::vector<ParameterValue>{{id, value + s}});
          StepWorkspace workspace(model);
          State x = run.state;
          StepMemory memory = run.memory;
          for (int i = 0; i < 2; ++i) {
            StepResult result = step(model, x, memory, {VecX::Zero(2), VecX::Zero(2)}, 0.01, {}, workspace);
            x = result.next;
            memory = result.memory;
          }
          VecX out(4);
          out << x.q, x.v;
          return out;
        };
        const Derivative numeric = ridders_derivative(end, {.first_step = 1e-2, .levels = 8});
        const VecX analytic = two.by_parameters.col(two.column(id));
        // Rounding of positions and velocities of size 1, over steps down to 1e-4.
        const double tolerance = 1e-7 * numeric.value.norm() + 1e-11;
        EXPECT_LE(numeric.error, tolerance);
        EXPECT_LE((analytic - numeric.value).norm(), tolerance) << "before " << before << ", joint " << k;
      }
  }
}

TEST(StepGradient, AgreesWithDifferencesWhereAFaceOnAnotherFollowsABentPath) {
  // A box rides on a plate that turns: its rows forecast a gap that the curved path undercuts, the same at all corners of a face.
  const double h = 0.03, rate = 2;
  SceneDescription scene = empty_scene(0.9, 0, 10);
  BodyDescription plate{.name = "plate"};
  plate.joint.kind = JointKind::revolute;
  plate.joint.axis = Vec3::UnitY();
  plate.joint.velocity = {rate};
  plate.joint.motion = {{Signal::Interpolation::linear, {0}, {rate}}};
  plate.shapes = {{.geometry = Box{Vec3(1, 1, 0.1)}, .material = "stuff", .density = 1000}};
  scene.bodies.push_back(plate);
  const double x = 0.1, z = 0.1 + kStandoff;
  scene.bodies.push_back(
      body("box", Box{Vec3(0.3, 0.3, 0.1)}, Vec3(x, 0, z), rate * Vec3(z, 0, -x), Vec3(0, rate, 0)));
  Chain run(scene, 2, h);
  Chain one(scene, 0, h);
  one.state = run.state;
  one.memory = run.memory;
  one.advance(1, h);
  ASSERT_FALSE(one.trace.islands[0].substeps[0].solves.back().bends.empty());
  const int nv = run.model.nv();
  VecX dv(nv);
  dv << 0, 0.3, -0.2, 0.5, 0.7, -0.4, 0.6;
  const auto end = [&](double s) -> VecX {
    return step(run.model, {run.state.q, run.state.v + s * dv}, run.memory, {run.effort, VecX::Zero(nv)}, h,
                {}, run.workspace)
        .next.v;
  };
  const VecX analytic = one.by_state.bottomRightCorner(nv, nv) * dv;
  // All corners are the lowest at the start, one of them is when it is moved, and their bends move differently by the order of the
  // bend itself: a small kink, and the gradient is that of some corner. Measured at two places of the face it would be off by
  // a third of its size.
  const double eps = 1e-7, size = analytic.norm(), third_order = std::pow(rate * h, 3);
  const VecX right = (end(eps) - end(0)) / eps, left = (end(0) - end(-eps)) / eps;
  EXPECT_LE((right - analytic).norm(), third_order * size);
  EXPECT_LE((left - analytic).norm(), third_order * size);
}

TEST(StepGradient, AgreesWithDifferencesUnderEulersRules) {
  SceneDescription scene = ground(0.4, 0.5, 9.81);
  scene.bodies.push_back(
      body("box", Box{Vec3(0.2, 0.3, 0.1)}, Vec3(0, 0, 0.25), Vec3(0.5, 0.2, -2), Vec3(3, 2, 1)));
  for (const Integrator integrator : {Integrator::explicit_euler, Integrator::semi_implicit_euler})
    for (const int before : {0, 5})
      expect_agreement(scene, {.before = before, .settings = {.integrator = integrator}});
}

TEST(StepGradient, RecordingChangesNoBitAndProductsAreThoseOfTheJacobian) {
  SceneDescription scene = ground(0.4, 0.5, 9.81);
  scene.bodies.push_back(
      body("box", Box{Vec3(0.2, 0.3, 0.1)}, Vec3(0, 0, 0.25), Vec3(0.5, 0.2, -2), Vec3(3, 2, 1)));
  Chain run(scene);
  StepTrace trace;
  StepJacobian jacobian;
  StepPullback pullback;
  StepPushforward pushed;
  const int nv = run.model.nv();
  const Controls none{VecX::Zero(nv), VecX::Zero(nv)};
  for (int i = 0; i < 30; ++i) {
    const StepResult with = step(run.model, run.state, run.memory, none, 0.01, {}, run.workspace, &trace);
    const StepResult without = step(run.model, run.state, run.memory, none, 0.01, {}, run.workspace);
    EXPECT_EQ(with.next.q, without.next.q);
    EXPECT_EQ(with.next.v, without.next.v);
    step_jacobian(run.model, trace, run.parameters, run.gradients, jacobian);
    const StepCotangent cotangent{VecX::Random(nv), VecX::Random(nv)};
    step_vjp(run.model, trace, run.parameters, cotangent, run.gradients, pullback);
    VecX out(2 * nv), in(2 * nv);
    out << cotangent.q, cotangent.v;
    in << pullback.q, pullback.v;
    const auto near = [](const VecX& a, const VecX& b) {
      return (a - b).norm() <= 1e-12 * (a.norm() + 1e-3);
    };
    EXPECT_TRUE(near(jacobian.state.transpose() * out, in));
    EXPECT_TRUE(near(jacobian.effort.transpose() * out, pullback.effort));
    EXPECT_TRUE(near(jacobian.parameters.transpose() * out, pullback.parameters));
    const StepTangent tangent{VecX::Random(nv), VecX::Random(nv), VecX::Random(nv),
                              VecX::Random(static_cast<long>(run.parameters.size()))};
    step_jvp(run.model, trace, run.parameters, tangent, run.gradients, pushed);
    in << tangent.q, tangent.v;
    out << pushed.q, pushed.v;
    EXPECT_TRUE(near(
        jacobian.state * in + jacobian.effort * tangent.effort + jacobian.parameters * tangent.parameters,
        out));
    run.state = with.next;
    run.memory = with.memory;
  }
}

/// The derivative along one direction in the state, to the side that it points to.
VecX derivative_along(Chain& run, const StepTrace& trace, const VecX& d) {
  const int nv = run.model.nv();
  StepPushforward pushed;
  step_along(run.model, trace, {}, {d.head(nv), d.tail(nv), VecX::Zero(nv), VecX()}, run.gradients, pushed);
  EXPECT_TRUE(pushed.regularity.regular) << pushed.regularity.why;
  VecX out(2 * nv);
  out << pushed.q, pushed.v;
  return out;
}

/// A ball without friction that touches the floor without a load. What lifts it flies; what presses it is met by the row
/// J (v + v⁺) − J v − k = 0 with k = −½ J v at no gap, so that v⁺ = −½ v, and it moves by ½ h (v + v⁺) = ¼ h v.
TEST(StepAlong, TouchesOrLeavesAsTheDirectionHasIt) {
  constexpr double h = 0.01, radius = 0.1;
  SceneDescription scene = ground(0, 0.5, 0);
  scene.bodies.push_back(
      body("ball", Sphere{radius}, Vec3(0, 0, radius + kStandoff), Vec3(0.7, 0, 0), Vec3(0, 2, 0)));
  Chain run(scene, 1, h);
  EXPECT_FALSE(run.regularity.regular);
  EXPECT_EQ(run.regularity.why, "contact \"ground\"/\"ball\" between touching and leaving, taken as leaving");
  const VecX lifted = VecX::Unit(12, 8);
  const VecX up = derivative_along(run, run.trace, lifted), down = derivative_along(run, run.trace, -lifted);
  EXPECT_NEAR(up[2], h, 1e-15);
  EXPECT_NEAR(up[8], 1, 1e-15);
  EXPECT_NEAR(down[2], -0.25 * h, 1e-15);
  EXPECT_NEAR(down[8], 0.5, 1e-14);
  // The Jacobian is that of what leaves; and a derivative to one side is positively homogeneous.
  EXPECT_EQ(run.by_state(8, 8), up[8]);
  EXPECT_TRUE(derivative_along(run, run.trace, -3 * lifted).isApprox(3 * down, 1e-14));
}

/// Where nothing only touches there is one side.
TEST(StepAlong, IsTheProductWithTheJacobianAwayFromKinks) {
  SceneDescription scene = ground(0.4, 0.5, 9.81);
  scene.bodies.push_back(
      body("box", Box{Vec3(0.2, 0.3, 0.1)}, Vec3(0, 0, 0.25), Vec3(0.5, 0.2, -2), Vec3(3, 2, 1)));
  Chain run(scene);
  for (int i = 0; i < 30; ++i) {
    run.by_state = MatX::Identity(12, 12);
    run.advance(1, 0.01);
    const VecX d = VecX::Random(12), expected = run.by_state * d;
    EXPECT_LE((derivative_along(run, run.trace, d) - expected).norm(), 1e-12 * expected.norm()) << i;
  }
}

}  // namespace
}  // namespace jade
