#include "jade/stepping/propagate.h"

#include <algorithm>
#include <cmath>

#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"

namespace jade {
namespace {

// Beyond this turn a step the iteration for v⁺ is no longer sure to contract, and the midpoint rule's own error
// is some percent.
constexpr double kLargestTurn = 0.5;
// Linear convergence by a factor of at worst about 2 an iteration: 60 reach rounding.
constexpr int kMostIterations = 60;

void set_displacement(const Model& model, const State& state, const VecX& v, const Controls& controls,
                      double h, VecX& displacement) {
  displacement = h * v;
  for (const Link& link : model.links())
    if (link.prescribed)
      displacement[link.v] = h * (state.v[link.v] + 0.5 * h * controls.acceleration[link.v]);
}

void euler_step(const Model& model, const State& state, const Controls& controls, double h,
                bool semi_implicit, PropagateWorkspace& work, State& next) {
  work.a = controls.acceleration;
  forward_dynamics(model, state, controls.effort, work.dynamics, work.a);
  work.v_m = state.v + h * work.a;
  set_displacement(model, state, semi_implicit ? work.v_m : state.v, controls, h, work.displacement);
  integrate(model, state.q, work.displacement, next.q);
  next.v = work.v_m;
}

double fastest_turn(const DynamicsWorkspace& dynamics) {
  double fastest = 0;
  for (const Vec6& V : dynamics.V) fastest = std::max(fastest, V.head<3>().squaredNorm());
  return std::sqrt(fastest);
}

void update_midpoint(const Model& model, const State& state, double h, PropagateWorkspace& work) {
  work.displacement = (0.5 * h) * state.v;
  integrate(model, state.q, work.displacement, work.q_m);
  update_positions(model, work.q_m, work.dynamics);
  update_velocities(model, state.v, work.dynamics);
}

void set_implicit_parts(const Model& model, double h, PropagateWorkspace& work) {
  work.diagonal = model.armature();
  for (int k = 0; k < model.nv(); ++k) {
    const double d = h * model.damping()[k];
    const double theta = std::max(0.5, d > 0 ? 1 - model.least_inertia()[k] / d : 0.5);
    work.diagonal[k] += theta * d + 0.25 * h * h * model.stiffness()[k];
  }
}

/// One midpoint step from a workspace that is updated to q_m.
void midpoint_step(const Model& model, const State& state, const Controls& controls, double h,
                   PropagateWorkspace& work, State& next, PropagateReport& report) {
  set_implicit_parts(model, h, work);
  factor_articulated(model, work.diagonal, work.dynamics);
  passive_forces(model, work.q_m, state.v, work.tau);
  work.tau += controls.effort;
  work.a = controls.acceleration;
  work.v_m = state.v;
  double last_change = std::numeric_limits<double>::infinity();
  for (int iteration = 0;; ++iteration) {
    if (iteration > 0) update_velocities(model, work.v_m, work.dynamics);
    work.a_last = work.a;
    aba(model, work.tau, work.dynamics, work.a);
    ++report.iterations;
    work.v_m = state.v + (0.5 * h) * work.a;
    if (iteration == 0) continue;
    // Stop at rounding: the change is no longer falling, or too small to matter to the velocity.
    const double change = h * (work.a - work.a_last).lpNorm<Eigen::Infinity>();
    const double size = work.v_m.lpNorm<Eigen::Infinity>();
    if (change <= 1e-15 * size || (change <= 1e-12 * size && change >= last_change)) break;
    last_change = change;
    if (iteration == kMostIterations) {
      report.converged = false;
      break;
    }
  }
  work.displacement = h * work.v_m;
  integrate(model, state.q, work.displacement, next.q);
  next.v = state.v + h * work.a;
}

}  // namespace

PropagateWorkspace::PropagateWorkspace(const Model& model) : dynamics(model) {
  for (VecX* vector : {&diagonal, &theta, &damper, &v_m, &displacement, &tau, &a, &a_last})
    vector->setZero(model.nv());
  q_m.setZero(model.nq());
}

Controls controls_at(const Model& model, double t, double h) {
  Controls controls{VecX::Zero(model.nv()), VecX::Zero(model.nv())};
  for (const Joint& joint : model.joints()) {
    const JointDescription& described = model.scene().bodies[joint.body].joint;
    for (int k = 0; k < static_cast<int>(described.effort.size()); ++k) {
      const double limit = model.effort_limit()[joint.v + k];
      controls.effort[joint.v + k] = std::clamp(value_at(described.effort[k], t + 0.5 * h), -limit, limit);
    }
    for (int k = 0; k < static_cast<int>(described.motion.size()); ++k)
      controls.acceleration[joint.v + k] =
          (value_at(described.motion[k], t + h) - value_at(described.motion[k], t)) / h;
  }
  return controls;
}

PropagateReport propagate(const Model& model, const State& state, const Controls& controls, double h,
                          Integrator integrator, PropagateWorkspace& work, State& next) {
  PropagateReport report;
  if (integrator != Integrator::midpoint) {
    euler_step(model, state, controls, h, integrator == Integrator::semi_implicit_euler, work, next);
    report.iterations = 1;
    return report;
  }
  update_midpoint(model, state, h, work);
  report.substeps = std::max(1, static_cast<int>(std::ceil(h * fastest_turn(work.dynamics) / kLargestTurn)));
  const double part = h / report.substeps;
  for (int i = 0; i < report.substeps; ++i) {
    const State& from = i == 0 ? state : next;
    if (report.substeps > 1) update_midpoint(model, from, part, work);
    midpoint_step(model, from, controls, part, work, next, report);
  }
  return report;
}

State propagate(const Model& model, const State& state, const Controls& controls, double h,
                Integrator integrator) {
  PropagateWorkspace work(model);
  State next = state;
  propagate(model, state, controls, h, integrator, work, next);
  return next;
}

std::string_view name_of(Integrator integrator) {
  switch (integrator) {
    case Integrator::explicit_euler:
      return "explicit_euler";
    case Integrator::semi_implicit_euler:
      return "semi_implicit_euler";
    case Integrator::midpoint:
      return "midpoint";
  }
  return "";
}

}  // namespace jade
