/// Laws of mechanics that the Jacobians of every step must know, differentiated: where theory says what a step conserves, it
/// says what its Jacobian maps to what. No differences are taken, and no other code is trusted but that of the step.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/arbitrary_world.h"
#include "generators/random_stream.h"
#include "generators/round_inertia.h"
#include "jade/gradients/rollout.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

using generators::arbitrary_world;
using generators::RandomStream;
using generators::World;

constexpr int kSteps = 6;

/// A world that is stepped and differentiated.
class Run {
 public:
  explicit Run(const World& world)
      : model(build_model(world.scene)),
        ids(parameters_of(model)),
        h(world.h),
        state(initial_state(model)),
        steps_(model),
        gradients_(model) {}

  /// One step with its Jacobian: from `before` to `state`.
  void advance() {
    before = state;
    trace.clear();
    StepResult result =
        step(model, state, memory_, controls_at(model, done_++ * h, h), h, {}, steps_, &trace);
    step_jacobian(model, trace, ids, gradients_, jacobian);
    state = std::move(result.next);
    memory_ = std::move(result.memory);
    report = std::move(result.report);
  }

  const Model model;
  const std::vector<ParameterId> ids;
  const double h;
  State before, state;
  StepTrace trace;
  StepJacobian jacobian;
  StepReport report;

 private:
  StepWorkspace steps_;
  GradientWorkspace gradients_;
  StepMemory memory_;
  int done_ = 0;  ///< steps
};

/// Round bodies that nothing holds, thrown at each other: they meet at the origin half-way through the steps.
World thrown_together(int most_things) {
  World world = generators::with_round_inertia(
      *arbitrary_world({.fixed = false, .articulated = false, .gravity = false, .most_things = most_things}));
  world.h = 0.02;
  for (BodyDescription& body : world.scene.bodies)
    for (std::size_t k = 0; k < 3; ++k)
      body.joint.velocity[k] = -body.joint.position[k] / (0.5 * kSteps * world.h);
  return world;
}

/// How the momentum (linear above angular about the origin) of free bodies with round inertia i 1 moves with their state:
///   p = Σ m v,   l = Σ c × m v + i ω   ⇒   dp = Σ m dv,   dl = Σ dc × m v + c × m dv + i dω
/// c centre of mass; tangent coordinates of a free joint are those of c and of the rotation in world axes.
MatX momentum_by_state(const Model& model, const State& state) {
  const int nv = model.nv();
  MatX G = MatX::Zero(6, 2 * nv);
  for (const Joint& joint : model.joints()) {
    const SpatialInertia& inertia = model.bodies()[joint.body].inertia;
    const double m = inertia.mass;
    const Vec3 com = inertia.moment / m, v = state.v.segment<3>(joint.v);
    const Eigen::Vector4d wxyz = state.q.segment<4>(joint.q + 3);
    const Quat R(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
    const Vec3 c = state.q.segment<3>(joint.q) + R * com;
    const double round = inertia.inertia.trace() / 3 - 2.0 / 3 * m * com.squaredNorm();
    G.block<3, 3>(0, nv + joint.v) = m * Mat3::Identity();
    G.block<3, 3>(3, joint.v) = -m * skew(v);
    G.block<3, 3>(3, nv + joint.v) = m * skew(c);
    G.block<3, 3>(3, nv + joint.v + 3) = round * Mat3::Identity();
  }
  return G;
}

// Of the sizes of all products in a sum. A term that is left out is of its own size; of rounding, magnified where several bodies
// meet at once, 1e-10 was seen in five thousand worlds.
constexpr double kLeastTerm = 1e-9;

/// Whether law · J = expected. Rounding is that of the largest products of all rows, and of velocities that change by one: where
/// nothing should change at all, there is nothing else to measure it by.
void require_law(const MatX& law, const MatX& J, const MatX& expected, const char* what) {
  const double size = (law.cwiseAbs() * J.cwiseAbs() + expected.cwiseAbs()).maxCoeff();
  const double error = (law * J - expected).cwiseAbs().maxCoeff();
  const double share = error / (size + law.cwiseAbs().maxCoeff());
  if (!(share <= kLeastTerm)) RC_FAIL(fmt::format("{}: off by {:.1e} of its size", what, share));
}

RC_GTEST_PROP(StepGradient, KeepsTheMomentumOfFreeBodies, ()) {
  Run run(thrown_together(3));
  const int nv = run.model.nv();
  double mass = 0;
  for (const Joint& joint : run.model.joints()) mass += run.model.bodies()[joint.body].inertia.mass;
  for (int i = 0; i < kSteps; ++i) {
    run.advance();
    if (!run.jacobian.regularity.exists || run.report.lost_time > 0) return;
    RC_CLASSIFY(!run.report.impacts.empty(), "impacts");
    const MatX before = momentum_by_state(run.model, run.before),
               after = momentum_by_state(run.model, run.state);
    require_law(after, run.jacobian.state, before, "state");
    // Forces push for the whole step; friction, restitution and the length of the step change nothing of the sum.
    MatX pushed = MatX::Zero(3, nv);
    for (const Joint& joint : run.model.joints()) pushed.block<3, 3>(0, joint.v) = run.h * Mat3::Identity();
    require_law(after.topRows(3), run.jacobian.effort, pushed, "effort");
    for (std::size_t k = 0; k < run.ids.size(); ++k) {
      const ParameterId& id = run.ids[k];
      if (id.kind == ParameterKind::inertia || id.kind == ParameterKind::damping) continue;
      MatX by_gravity = MatX::Zero(3, 1);
      if (id.kind == ParameterKind::gravity) by_gravity(id.component, 0) = run.h * mass;
      require_law(after.topRows(3), run.jacobian.parameters.col(static_cast<Eigen::Index>(k)), by_gravity,
                  "parameters");
    }
  }
}

/// ½ vᵀ M v of round bodies: M v by v, and nothing by q.
MatX energy_by_state(const Model& model, const State& state) {
  const int nv = model.nv();
  MatX G = MatX::Zero(1, 2 * nv);
  const MatX by_state = momentum_by_state(model, state);
  for (const Joint& joint : model.joints()) {
    const int v = nv + joint.v;
    G.middleCols<3>(v) = by_state(0, v) * state.v.segment<3>(joint.v).transpose();
    G.middleCols<3>(v + 3) = by_state(3, v + 3) * state.v.segment<3>(joint.v + 3).transpose();
  }
  return G;
}

RC_GTEST_PROP(StepGradient, KeepsTheEnergyOfElasticImpacts, ()) {
  World world = thrown_together(2);
  for (MaterialPair& pair : world.scene.pairs) pair.friction = 0, pair.restitution = 1;
  Run run(world);
  for (int i = 0; i < kSteps; ++i) {
    run.advance();
    // Several places that are hit at once keep the energy for some velocities only, and there is no law to differentiate.
    for (const IslandTrace& island : run.trace.islands)
      for (const SubstepTrace& substep : island.substeps) {
        if (substep.collides && substep.collision.rows.size() > 1) return;
        for (const SolveTrace& solve : substep.solves)
          if (solve.forces.f.size() > 0 && !solve.forces.f.isZero(0)) return;
      }
    if (!run.jacobian.regularity.exists || run.report.lost_time > 0) return;
    RC_CLASSIFY(!run.report.impacts.empty(), "impacts");
    require_law(energy_by_state(run.model, run.state), run.jacobian.state,
                energy_by_state(run.model, run.before), "state");
  }
}

/// A loss that looks at every state of a trajectory, differentiated backwards with whatever memory there is, and forwards by
/// multiplying the Jacobians of its steps.
RC_GTEST_PROP(RolloutGradient, EqualsProductOfSteps, ()) {
  const World world = *arbitrary_world({.most_things = 3});
  const int spacing = *rc::gen::inRange(1, kSteps + 1);
  const std::size_t bytes = *rc::gen::element<std::size_t>(1, 20'000, 100'000'000);
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>());
  const Model model = build_model(world.scene);
  const std::vector<ParameterId> ids = parameters_of(model);
  StepWorkspace steps(model);
  GradientWorkspace gradients(model);
  const RolloutSettings settings{
      .h = world.h, .steps = kSteps, .checkpoint_every = spacing, .max_bytes = bytes};
  const Rollout path = rollout(model, initial_state(model), {}, settings, steps);
  const int nv = model.nv();
  RolloutCotangents loss = no_cotangents(path);
  for (StepCotangent& c : loss.states) {
    c.q.resize(nv);
    c.v.resize(nv);
    for (int k = 0; k < nv; ++k) c.q[k] = random.normal(), c.v[k] = random.normal();
  }
  const RolloutGradient back = rollout_gradient(model, path, loss, ids, steps, gradients);
  RC_PRE(back.regularity.exists);

  Run run(world);
  MatX by_start = MatX::Identity(2 * nv, 2 * nv), by_parameters = MatX::Zero(2 * nv, long(ids.size()));
  VecX start = VecX::Zero(2 * nv), parameters = VecX::Zero(long(ids.size()));
  // What rounding is measured by: sums of the sizes of all products.
  MatX start_size = by_start, parameters_size = by_parameters;
  double largest_start = 0,
         largest_parameters = 0;  // those of a loss that moves as its cotangents do, if nothing else
  for (int i = 0; i <= kSteps; ++i) {
    VecX w(2 * nv);
    w << loss.states[static_cast<std::size_t>(i)].q, loss.states[static_cast<std::size_t>(i)].v;
    start += by_start.transpose() * w;
    parameters += by_parameters.transpose() * w;
    largest_parameters += w.cwiseAbs().maxCoeff();
    largest_start += (start_size.transpose() * w.cwiseAbs()).maxCoeff();
    largest_parameters += (parameters_size.transpose() * w.cwiseAbs()).maxCoeff();
    if (i == kSteps) break;
    run.advance();
    const MatX &J = run.jacobian.state, &P = run.jacobian.parameters;
    by_start = J * by_start;
    by_parameters = J * by_parameters + P;
    start_size = J.cwiseAbs() * start_size;
    parameters_size = J.cwiseAbs() * parameters_size + P.cwiseAbs();
  }
  VecX back_start(2 * nv);
  back_start << back.q0, back.v0;
  // A wrong term is at least of the size of one product of many. What a stiff step rounds within itself is magnified by all that
  // follow; products of single steps are held to their own rounding by IsTheTransposeOfItsVectorProducts.
  const double rounding = 1e-9;
  RC_ASSERT((start - back_start).cwiseAbs().maxCoeff() <= rounding * largest_start);
  RC_ASSERT((parameters - back.parameters).cwiseAbs().maxCoeff() <= rounding * largest_parameters);
}

}  // namespace
}  // namespace jade
