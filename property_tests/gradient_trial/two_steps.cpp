#include "gradient_trial/two_steps.h"

#include <cmath>

#include <Eigen/Eigenvalues>

#include "jade/dynamics/manifold.h"

namespace jade::gradient_trial {
namespace {

using generators::RandomStream;

VecX bell(RandomStream& random, int n) {
  VecX x(n);
  for (int i = 0; i < n; ++i) x[i] = random.normal();
  return x;
}

/// Parameters at the end of their range have one side only and stay where they are.
bool can_move(const Model& model, const ParameterId& id) {
  if (id.kind == ParameterKind::step_size) return true;
  const double value = parameter_value(model, id);
  switch (id.kind) {
    case ParameterKind::restitution:
      return value > 0 && value < 1;
    case ParameterKind::friction:
    case ParameterKind::damping:
    case ParameterKind::stiffness:
      return value > 0;
    default:
      return true;
  }
}

VecX parameter_direction(const Start& start, RandomStream& random) {
  VecX d = VecX::Zero(static_cast<Eigen::Index>(start.ids.size()));
  for (std::size_t i = 0; i < start.ids.size(); ++i) {
    const ParameterId& id = start.ids[i];
    const auto k = static_cast<Eigen::Index>(i);
    if (id.kind == ParameterKind::inertia) {
      if (id.component == 0)
        d.segment<10>(k) =
            possible_direction(start.model.bodies()[static_cast<std::size_t>(id.index)].inertia, random);
    } else if (can_move(start.model, id)) {
      const double value = id.kind == ParameterKind::step_size ? start.h : parameter_value(start.model, id);
      d[k] = random.uniform(-1, 1) * (id.kind == ParameterKind::gravity ? 1 : std::abs(value));
    }
  }
  return d;
}

Direction random_direction(const Start& start, bool state, bool parameters, RandomStream& random) {
  const int nv = start.model.nv();
  Direction d = no_direction(start);
  if (state) {
    d.q = bell(random, nv);
    d.v = bell(random, nv);
    for (VecX& effort : d.effort) effort = bell(random, nv);
  }
  if (parameters) d.parameters = parameter_direction(start, random);
  return d;
}

}  // namespace

Direction no_direction(const Start& start) {
  const VecX none = VecX::Zero(start.model.nv());
  return {none, none, {none, none}, VecX::Zero(static_cast<Eigen::Index>(start.ids.size()))};
}

Probe draw_probe(const Start& start, std::size_t k, RandomStream& random) {
  Probe probe{.direction = random_direction(start, k != 1, k != 0, random)};
  probe.cotangent = bell(random, 2 * start.model.nv());
  probe.part = probe.cotangent.cwiseProduct(bell(random, 2 * start.model.nv()));
  return probe;
}

Model Flow::moved_model(const Direction& d, double s) const {
  std::vector<ParameterValue> values;
  for (std::size_t i = 0; i < start_.ids.size(); ++i) {
    const double by = s * d.parameters[static_cast<Eigen::Index>(i)];
    if (by != 0 && start_.ids[i].kind != ParameterKind::step_size)
      values.push_back({start_.ids[i], parameter_value(start_.model, start_.ids[i]) + by});
  }
  return start_.model.with(values);
}

VecX Flow::operator()(const Direction& d, double s, Traces* traces) {
  std::optional<Model> changed;
  std::optional<StepWorkspace> other;
  double h = start_.h;
  if (!d.parameters.isZero(0) && s != 0) {
    for (std::size_t i = 0; i < start_.ids.size(); ++i)
      if (start_.ids[i].kind == ParameterKind::step_size) h += s * d.parameters[static_cast<Eigen::Index>(i)];
    changed = moved_model(d, s);
    other.emplace(*changed, workspace_);
  }
  const Model& model = changed ? *changed : start_.model;
  State state = start_.state;
  state.q = integrate(model, start_.state.q, s * d.q);
  state.v += s * d.v;
  StepMemory memory = start_.memory;
  for (std::size_t i = 0; i < kSteps; ++i) {
    Controls controls = start_.controls[i];
    controls.effort += s * d.effort[i];
    StepResult result = step(model, state, memory, controls, h, {}, other ? *other : workspace_,
                             traces != nullptr ? &(*traces)[i] : nullptr);
    state = std::move(result.next);
    memory = std::move(result.memory);
  }
  if (end_.q.size() == 0) end_ = state;
  VecX out(2 * model.nv());
  out << difference(model, end_.q, state.q), state.v;
  return out;
}

Start warmed_up(const generators::World& world, int steps) {
  Model model = build_model(world.scene);
  State state = initial_state(model);
  StepMemory memory;
  StepWorkspace workspace(model);
  for (int i = 0; i < steps; ++i) {
    StepResult next =
        step(model, state, memory, controls_at(model, i * world.h, world.h), world.h, {}, workspace);
    state = std::move(next.next);
    memory = std::move(next.memory);
  }
  std::array<Controls, kSteps> controls;
  for (int i = 0; i < kSteps; ++i)
    controls[static_cast<std::size_t>(i)] = controls_at(model, (steps + i) * world.h, world.h);
  std::vector<ParameterId> ids = parameters_of(model);
  return {std::move(model),    std::move(state), std::move(memory),
          std::move(controls), world.h,          std::move(ids)};
}

Eigen::Matrix<double, 10, 1> possible_direction(const SpatialInertia& inertia, RandomStream& random) {
  Eigen::Matrix4d P;
  P.topLeftCorner<3, 3>() = 0.5 * inertia.inertia.trace() * Mat3::Identity() - inertia.inertia;
  P.topRightCorner<3, 1>() = inertia.moment;
  P.bottomLeftCorner<1, 3>() = inertia.moment.transpose();
  P(3, 3) = inertia.mass;
  // A root of P that exists for flat matter as well.
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> eigen(P);
  const Eigen::Matrix4d L = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  Eigen::Matrix4d S;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j <= i; ++j) S(i, j) = S(j, i) = random.uniform(-0.5, 0.5);
  const Eigen::Matrix4d D = L * S * L.transpose();
  const Mat3 second = D.topLeftCorner<3, 3>();
  const Mat3 I = second.trace() * Mat3::Identity() - second;
  Eigen::Matrix<double, 10, 1> d;
  d << D(3, 3), D(0, 3), D(1, 3), D(2, 3), I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2);
  return d;
}

}  // namespace jade::gradient_trial
