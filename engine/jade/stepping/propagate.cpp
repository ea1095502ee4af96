#include "jade/stepping/propagate.h"

#include <algorithm>

#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/manifold.h"
#include "jade/stepping/midpoint.h"

namespace jade {
namespace {

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

}  // namespace

PropagateWorkspace::PropagateWorkspace(const Model& model)
    : dynamics(model), derivative(model), factorization(model) {
  const int nv = model.nv();
  jacobian.all.setZero(nv, 3 * nv);
  B.setZero(nv, nv);
  for (VecX* vector : {&v_m, &a, &tau, &residual, &displacement, &rotation}) vector->setZero(nv);
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
  report.substeps = midpoint_parts(model, state, h, work);
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
