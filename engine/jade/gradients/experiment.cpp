#include "jade/gradients/experiment.h"

#include <algorithm>

#include <fmt/format.h>

#include "jade/dynamics/manifold.h"

namespace jade {

Experiment make_experiment(const SceneDescription& scene, const RolloutSettings& settings) {
  Model model = build_model(scene);
  State start = initial_state(model);
  return {.model = std::move(model), .start = std::move(start), .settings = settings};
}

Variable position_of(int coordinate) { return {.kind = Variable::Kind::position, .coordinate = coordinate}; }
Variable velocity_of(int coordinate) { return {.kind = Variable::Kind::velocity, .coordinate = coordinate}; }
Variable effort_of(int coordinate, int step) {
  return {.kind = Variable::Kind::effort, .coordinate = coordinate, .step = step};
}
Variable parameter_of(const ParameterId& id) { return {.kind = Variable::Kind::parameter, .parameter = id}; }

int coordinate_of(const Model& model, const std::string& body, int component) {
  const Joint& joint = model.joints()[static_cast<std::size_t>(model.body_named(body))];
  if (component < 0 || component >= joint.nv) {
    throw InvalidInput(fmt::format("joint of \"{}\"", body),
                       {{fmt::format("coordinate {}", component), "does not exist",
                         fmt::format("it has {}, counted from 0", joint.nv)}});
  }
  return joint.v + component;
}

namespace {

const Joint& joint_of(const Model& model, int coordinate) {
  for (const Joint& joint : model.joints())
    if (coordinate >= joint.v && coordinate < joint.v + joint.nv) return joint;
  throw InvalidInput("variable", {{fmt::format("coordinate {}", coordinate), "is not one of the model",
                                   fmt::format("use 0 … {}", model.nv() - 1)}});
}

bool changes_model(const Variable& variable) {
  return variable.kind == Variable::Kind::parameter && variable.parameter.kind != ParameterKind::step_size;
}

/// World position of the point whose velocity a free joint's coordinates hold.
Vec3 reference_point(const Model& model, const Joint& joint, const VecX& q) {
  const Body& body = model.bodies()[static_cast<std::size_t>(joint.body)];
  const Link& link = model.links()[static_cast<std::size_t>(body.link)];
  const Quat R(q[joint.q + 3], q[joint.q + 4], q[joint.q + 5], q[joint.q + 6]);
  return q.segment<3>(joint.q) + R.normalized() * link.reference_L;
}

double read(const Model& model, const Reading& reading, const Rollout& rollout) {
  const State& state =
      reading.step < 0 ? rollout.states.back() : rollout.states.at(static_cast<std::size_t>(reading.step));
  if (reading.velocity) return state.v[reading.coordinate];
  const Joint& joint = joint_of(model, reading.coordinate);
  if (joint.kind == JointKind::free)
    return reference_point(model, joint, state.q)[reading.coordinate - joint.v];
  return state.q[model.velocity_position()[static_cast<std::size_t>(reading.coordinate)]];
}

void require_readable(const Model& model, const Reading& reading) {
  const Joint& joint = joint_of(model, reading.coordinate);
  const bool translation = joint.kind == JointKind::free && reading.coordinate - joint.v < 3;
  if (reading.velocity || translation ||
      model.velocity_position()[static_cast<std::size_t>(reading.coordinate)] >= 0)
    return;
  throw InvalidInput("reading", {{fmt::format("orientation of \"{}\"", joint.name), "is not one number",
                                  "read an angular velocity, or write an outcome of your own"}});
}

}  // namespace

std::string name_of(const Model& model, const Variable& variable) {
  if (variable.kind == Variable::Kind::parameter) return name_of(model, variable.parameter);
  const Joint& joint = joint_of(model, variable.coordinate);
  constexpr const char* kinds[] = {"position", "velocity", "effort"};
  std::string name = fmt::format("{} \"{}\" [{}]", kinds[static_cast<int>(variable.kind)], joint.name,
                                 variable.coordinate - joint.v);
  if (variable.kind == Variable::Kind::effort && variable.step >= 0)
    name += fmt::format(" in step {}", variable.step);
  return name;
}

double scale_of(const Experiment& experiment, const Variable& variable) {
  if (variable.kind != Variable::Kind::parameter) return 1;
  const double value = variable.parameter.kind == ParameterKind::step_size
                           ? experiment.settings.h
                           : parameter_value(experiment.model, variable.parameter);
  return value != 0 ? std::abs(value) : 1;
}

Experiment moved(const Experiment& experiment, std::span<const Variable> variables, const VecX& d) {
  Experiment next = experiment;
  const int nv = next.model.nv();
  VecX dq = VecX::Zero(nv);
  std::vector<ParameterValue> values;
  // Efforts are moved from what the scene's signals give, and stay what they are when the time step changes.
  const bool pushes = std::any_of(variables.begin(), variables.end(), [](const Variable& v) {
    return v.kind == Variable::Kind::effort || (v.kind == Variable::Kind::parameter && !changes_model(v));
  });
  for (int i = 0; pushes && next.controls.size() < static_cast<std::size_t>(next.settings.steps); ++i)
    next.controls.push_back(controls_at(next.model, i * next.settings.h, next.settings.h));
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& variable = variables[i];
    const double by = d[static_cast<Eigen::Index>(i)];
    switch (variable.kind) {
      case Variable::Kind::position:
        dq[variable.coordinate] += by;
        break;
      case Variable::Kind::velocity:
        next.start.v[variable.coordinate] += by;
        break;
      case Variable::Kind::effort:
        for (std::size_t k = 0; k < next.controls.size(); ++k)
          if (variable.step < 0 || static_cast<std::size_t>(variable.step) == k)
            next.controls[k].effort[variable.coordinate] += by;
        break;
      case Variable::Kind::parameter:
        if (changes_model(variable)) {
          values.push_back({variable.parameter, parameter_value(experiment.model, variable.parameter) + by});
        } else {
          next.settings.h += by;
        }
        break;
    }
  }
  if (!dq.isZero(0)) next.start.q = integrate(experiment.model, experiment.start.q, dq);
  if (!values.empty()) next.model = experiment.model.with(values);
  return next;
}

std::vector<ParameterId> parameters_in(std::span<const Variable> variables) {
  std::vector<ParameterId> ids;
  for (const Variable& variable : variables)
    if (variable.kind == Variable::Kind::parameter) ids.push_back(variable.parameter);
  return ids;
}

VecX gradient_by(std::span<const Variable> variables, const RolloutGradient& gradient) {
  VecX result = VecX::Zero(static_cast<Eigen::Index>(variables.size()));
  int parameter = 0;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& variable = variables[i];
    double& entry = result[static_cast<Eigen::Index>(i)];
    switch (variable.kind) {
      case Variable::Kind::position:
        entry = gradient.q0[variable.coordinate];
        break;
      case Variable::Kind::velocity:
        entry = gradient.v0[variable.coordinate];
        break;
      case Variable::Kind::effort:
        for (std::size_t k = 0; k < gradient.effort.size(); ++k)
          if (variable.step < 0 || static_cast<std::size_t>(variable.step) == k)
            entry += gradient.effort[k][variable.coordinate];
        break;
      case Variable::Kind::parameter:
        entry = gradient.parameters[parameter++];
        break;
    }
  }
  return result;
}

Outcome readings(const Model& model, const std::vector<Reading>& list) {
  Outcome outcome;
  for (const Reading& reading : list) {
    require_readable(model, reading);
    const Variable as_variable =
        reading.velocity ? velocity_of(reading.coordinate) : position_of(reading.coordinate);
    outcome.names.push_back(name_of(model, as_variable) +
                            (reading.step < 0 ? "" : fmt::format(" after {} steps", reading.step)));
  }
  outcome.value = [list](const Experiment& experiment, const Rollout& rollout) {
    VecX value(static_cast<Eigen::Index>(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i)
      value[static_cast<Eigen::Index>(i)] = read(experiment.model, list[i], rollout);
    return value;
  };
  outcome.cotangents = [list](const Experiment& experiment, const Rollout& rollout, int number) {
    RolloutCotangents cotangents = no_cotangents(rollout);
    const Reading& reading = list[static_cast<std::size_t>(number)];
    StepCotangent& at = reading.step < 0 ? cotangents.states.back()
                                         : cotangents.states.at(static_cast<std::size_t>(reading.step));
    (reading.velocity ? at.v : at.q) = VecX::Unit(experiment.model.nv(), reading.coordinate);
    return cotangents;
  };
  return outcome;
}

struct Laboratory::Bench {
  explicit Bench(const Model& model) : steps(model), gradients(model) {}
  Bench(const Model& model, const Bench& other) : steps(model, other.steps), gradients(model) {}
  StepWorkspace steps;
  GradientWorkspace gradients;
};

Laboratory::Laboratory(const Experiment& experiment)
    : base_(experiment), base_bench_(std::make_unique<Bench>(base_.model)) {}
Laboratory::~Laboratory() = default;

Laboratory::Bench& Laboratory::bench_for(const Experiment& run, bool same_model) {
  if (same_model) return *base_bench_;
  other_bench_ = std::make_unique<Bench>(run.model, *base_bench_);
  return *other_bench_;
}

VecX Laboratory::value(const Outcome& outcome, std::span<const Variable> variables, const VecX& d) {
  Experiment run = moved(base_, variables, d);
  run.settings.record = false;
  Bench& bench = bench_for(run, std::none_of(variables.begin(), variables.end(), changes_model));
  const Rollout path = rollout(run.model, run.start, run.controls, run.settings, bench.steps, run.memory);
  return outcome.value(run, path);
}

Laboratory::Derivative Laboratory::differentiate(const Outcome& outcome, std::span<const Variable> variables,
                                                 const VecX& d) {
  const Experiment run = moved(base_, variables, d);
  Bench& bench = bench_for(run, std::none_of(variables.begin(), variables.end(), changes_model));
  const Rollout path = rollout(run.model, run.start, run.controls, run.settings, bench.steps, run.memory);
  const std::vector<ParameterId> ids = parameters_in(variables);
  const auto m = static_cast<Eigen::Index>(outcome.names.size());
  Derivative result{.value = outcome.value(run, path),
                    .jacobian = MatX::Zero(m, static_cast<Eigen::Index>(variables.size())),
                    .report = path.report};
  for (Eigen::Index i = 0; i < m; ++i) {
    const RolloutGradient gradient =
        rollout_gradient(run.model, path, outcome.cotangents(run, path, static_cast<int>(i)), ids,
                         bench.steps, bench.gradients);
    result.jacobian.row(i) = gradient_by(variables, gradient).transpose();
    result.regularity.merge(gradient.regularity);
  }
  return result;
}

}  // namespace jade
