#include "gradient_trial/gradient_trial.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "jade/dynamics/manifold.h"

namespace jade::gradient_trial {
namespace {

using generators::RandomStream;
constexpr int kSteps = 2;

/// A direction in everything that two steps depend on.
struct Direction {
  VecX q, v;
  std::array<VecX, kSteps> effort;
  VecX parameters;

  Direction reversed() const { return {-q, -v, {-effort[0], -effort[1]}, -parameters}; }
};

/// Where the two steps start.
struct Start {
  Model model;
  State state;
  StepMemory memory;
  std::array<Controls, kSteps> controls;
  double h = 0;
  std::vector<ParameterId> ids;
};

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
  Direction d{VecX::Zero(nv),
              VecX::Zero(nv),
              {VecX::Zero(nv), VecX::Zero(nv)},
              VecX::Zero(static_cast<Eigen::Index>(start.ids.size()))};
  if (state) {
    d.q = bell(random, nv);
    d.v = bell(random, nv);
    for (VecX& effort : d.effort) effort = bell(random, nv);
  }
  if (parameters) d.parameters = parameter_direction(start, random);
  return d;
}

/// Two steps from the start moved by s along the direction: (q ⊖ q_base, v).
class Flow {
 public:
  explicit Flow(const Start& start) : start_(start), workspace_(start.model) {}

  VecX operator()(const Direction& d, double s) {
    std::optional<Model> changed;
    std::optional<StepWorkspace> other;
    double h = start_.h;
    if (!d.parameters.isZero(0) && s != 0) {
      std::vector<ParameterValue> values;
      for (std::size_t i = 0; i < start_.ids.size(); ++i) {
        const double by = s * d.parameters[static_cast<Eigen::Index>(i)];
        if (by == 0) continue;
        if (start_.ids[i].kind == ParameterKind::step_size) {
          h += by;
        } else {
          values.push_back({start_.ids[i], parameter_value(start_.model, start_.ids[i]) + by});
        }
      }
      changed = start_.model.with(values);
      other.emplace(*changed, workspace_);
    }
    const Model& model = changed ? *changed : start_.model;
    State state = start_.state;
    state.q = integrate(model, start_.state.q, s * d.q);
    state.v += s * d.v;
    StepMemory memory = start_.memory;
    for (int i = 0; i < kSteps; ++i) {
      Controls controls = start_.controls[static_cast<std::size_t>(i)];
      controls.effort += s * d.effort[static_cast<std::size_t>(i)];
      StepResult result = step(model, state, memory, controls, h, {}, other ? *other : workspace_);
      state = std::move(result.next);
      memory = std::move(result.memory);
    }
    if (end_.q.size() == 0) end_ = state;
    VecX out(2 * model.nv());
    out << difference(model, end_.q, state.q), state.v;
    return out;
  }

 private:
  const Start& start_;
  StepWorkspace workspace_;
  State end_;  ///< of the flow that was not moved: the first call must be that one
};

/// Both steps with their traces, and their Jacobians.
struct Linearisation {
  std::array<StepTrace, kSteps> traces;
  std::array<StepJacobian, kSteps> jacobians;

  VecX along(const Direction& d) const {
    VecX x(d.q.size() + d.v.size());
    x << d.q, d.v;
    for (std::size_t i = 0; i < kSteps; ++i) {
      const StepJacobian& J = jacobians[i];
      x = J.state * x + J.effort * d.effort[i] + J.parameters * d.parameters;
    }
    return x;
  }
};

Linearisation linearise(const Start& start, GradientTrial& trial) {
  Linearisation result;
  StepWorkspace workspace(start.model);
  GradientWorkspace gradients(start.model);
  State state = start.state;
  StepMemory memory = start.memory;
  for (std::size_t i = 0; i < kSteps; ++i) {
    StepResult next =
        step(start.model, state, memory, start.controls[i], start.h, {}, workspace, &result.traces[i]);
    step_jacobian(start.model, result.traces[i], start.ids, gradients, result.jacobians[i]);
    trial.regularity.merge(result.jacobians[i].regularity);
    trial.impacts += static_cast<int>(next.report.impacts.size());
    trial.contacts += static_cast<int>(next.report.contacts.size());
    trial.lost_time += next.report.lost_time;
    state = std::move(next.next);
    memory = std::move(next.memory);
  }
  return result;
}

/// d over the steps, without their Jacobians: by step_jvp, or by step_along.
template <class Step>
VecX push(const Start& start, const Linearisation& linear, const Direction& d, Step&& by,
          bool* regular = nullptr) {
  GradientWorkspace gradients(start.model);
  StepPushforward end{.q = d.q, .v = d.v};
  for (std::size_t i = 0; i < kSteps; ++i) {
    const StepTangent from{end.q, end.v, d.effort[i], d.parameters};
    by(start.model, linear.traces[i], start.ids, from, gradients, end);
    if (regular != nullptr) *regular = *regular && end.regularity.regular;
  }
  VecX x(end.q.size() + end.v.size());
  x << end.q, end.v;
  return x;
}

/// How far derivatives to either side are from the differences of that side, relative to their size; nullopt: they are not
/// known.
std::optional<double> one_sided_error(const Start& start, const Linearisation& linear, const Direction& d,
                                      const Differences& differences) {
  bool known = true;
  const VecX right = push(start, linear, d, step_along, &known),
             left = -push(start, linear, d.reversed(), step_along, &known);
  if (!known) return std::nullopt;
  const double off = std::max((right - differences.right).lpNorm<Eigen::Infinity>(),
                              (left - differences.left).lpNorm<Eigen::Infinity>());
  return off / std::max(differences.size, right.lpNorm<Eigen::Infinity>());
}

// How much more one product may round than those of which the rounding was measured.
constexpr double kRounding = 10;

/// wᵀ J over the steps, and what is contracted with d of it.
struct Pulled {
  StepCotangent state;
  std::array<VecX, kSteps> effort;
  VecX parameters;

  /// Σ |terms| of the contraction with d, and their sum.
  std::pair<double, double> along(const Direction& d) const {
    double size = 0, sum = 0;
    const auto add = [&](const VecX& a, const VecX& b) {
      sum += a.dot(b);
      size += a.cwiseAbs().dot(b.cwiseAbs());
    };
    for (std::size_t i = kSteps; i-- > 0;) add(effort[i], d.effort[i]);
    add(parameters, d.parameters);
    add(state.q, d.q);
    add(state.v, d.v);
    return {size, sum};
  }
  Pulled& operator-=(const Pulled& other) {
    state.q -= other.state.q;
    state.v -= other.state.v;
    for (std::size_t i = 0; i < kSteps; ++i) effort[i] -= other.effort[i];
    parameters -= other.parameters;
    return *this;
  }
};

Pulled pull(const Start& start, const Linearisation& linear, const VecX& w) {
  const int nv = start.model.nv();
  GradientWorkspace gradients(start.model);
  StepPullback back;
  Pulled result{.state = {w.head(nv), w.tail(nv)},
                .parameters = VecX::Zero(static_cast<long>(start.ids.size()))};
  for (std::size_t i = kSteps; i-- > 0;) {
    step_vjp(start.model, linear.traces[i], start.ids, result.state, gradients, back);
    result.effort[i] = back.effort;
    result.parameters += back.parameters;
    result.state = {back.q, back.v};
  }
  return result;
}

/// wᵀ J d by products from the left against the same from the right. Relative to the size of the terms of both sums, and
/// to what is rounded on the way: a resting stack does not feel its mass, yet its weight and the forces that bear it are
/// both differentiated before they cancel; and the direction of a slip that is about to end turns by the inverse of its
/// speed. What that does is measured, on both sides: products are linear, so that what w gives beyond a part of it and the
/// rest is rounding, and so is what the Jacobian gives along d beyond the product with d alone.
double transpose_error(const Start& start, const Linearisation& linear, const Direction& d,
                       const VecX& forward, RandomStream& random) {
  const VecX w = bell(random, 2 * start.model.nv());
  const Pulled whole = pull(start, linear, w);
  const auto [terms, backward] = whole.along(d);
  const VecX part = w.cwiseProduct(bell(random, w.size()));
  Pulled rounding = whole;
  rounding -= pull(start, linear, part);
  rounding -= pull(start, linear, w - part);
  double size = terms + w.cwiseAbs().dot(forward.cwiseAbs()), largest = 1;
  for (const StepJacobian& J : linear.jacobians)
    largest = std::max(largest, J.state.lpNorm<Eigen::Infinity>());
  size += largest * w.norm() * (d.q.norm() + d.v.norm() + d.parameters.norm());
  const double error = std::abs(w.dot(forward) - backward);
  const double rounded =
      rounding.along(d).first + w.cwiseAbs().dot((push(start, linear, d, step_jvp) - forward).cwiseAbs());
  return size == 0 ? 0 : std::max(0.0, error - kRounding * rounded) / size;
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

}  // namespace

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

bool GradientTrial::settles() const {
  return error.empty() && std::all_of(directions.begin(), directions.end(), [](const DirectionTrial& d) {
           return d.check.differences.smoothness == Smoothness::regular;
         });
}

bool GradientTrial::kink() const {
  return std::any_of(directions.begin(), directions.end(), [](const DirectionTrial& d) {
    return d.check.differences.smoothness == Smoothness::kink;
  });
}

double GradientTrial::worst() const {
  double worst = 0;
  for (const DirectionTrial& d : directions)
    if (d.check.judged()) worst = std::max(worst, d.check.error);
  return worst;
}

GradientTrial try_gradient(const generators::World& world, std::uint64_t numbers,
                           const TrialSettings& settings) {
  RandomStream random(numbers);
  GradientTrial trial;
  trial.warm_up = random.integer(0, settings.warm_up);
  try {
    const Start start = warmed_up(world, trial.warm_up);
    const Linearisation linear = linearise(start, trial);
    Flow flow(start);
    // Once it is clear that the world is not regular, no more effort is spent on other directions than on easy ones.
    DifferenceSettings effort{.fits = trial.regularity.exists};
    for (std::size_t k = 0; k < trial.directions.size(); ++k) {
      const Direction d = random_direction(start, k != 1, k != 0, random);
      const VecX analytic = linear.along(d);
      // Something of the size of the direction always arrives at the end; parameters that are moved by their own size may do
      // nothing at all, and then a thousandth is little.
      const double least = k == 1 ? 1e-3 : 1;
      const Differences differences = settings.differences
                                          ? differentiate([&](double s) { return flow(d, s); }, least, effort)
                                          : Differences{.value = VecX::Zero(analytic.size())};
      effort.fits = effort.fits && differences.smoothness == Smoothness::regular;
      trial.directions[k] = {.check = check_derivative(analytic, differences),
                             .claims_regular = trial.regularity.regular};
      if (differences.smoothness == Smoothness::kink && trial.regularity.exists)
        trial.directions[k].one_sided_error = one_sided_error(start, linear, d, differences);
      trial.transpose_error =
          std::max(trial.transpose_error, transpose_error(start, linear, d, analytic, random));
      // Of a world without a gradient nothing is asked but whether differences settle in every direction.
      if (!trial.regularity.exists && differences.smoothness != Smoothness::regular) break;
    }
  } catch (const StepError& error) {
    trial.error = error.what();
  }
  return trial;
}

}  // namespace jade::gradient_trial
