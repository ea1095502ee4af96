#include "gradient_trial/gradient_trial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "gradient_trial/two_steps.h"
#include "jade/base/error.h"

namespace jade::gradient_trial {
namespace {

using generators::RandomStream;

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
double transpose_error(const Start& start, const Linearisation& linear, const Probe& probe,
                       const VecX& forward) {
  const Direction& d = probe.direction;
  const VecX& w = probe.cotangent;
  const Pulled whole = pull(start, linear, w);
  const auto [terms, backward] = whole.along(d);
  Pulled rounding = whole;
  rounding -= pull(start, linear, probe.part);
  rounding -= pull(start, linear, w - probe.part);
  double size = terms + w.cwiseAbs().dot(forward.cwiseAbs()), largest = 1;
  for (const StepJacobian& J : linear.jacobians)
    largest = std::max(largest, J.state.lpNorm<Eigen::Infinity>());
  size += largest * w.norm() * (d.q.norm() + d.v.norm() + d.parameters.norm());
  const double error = std::abs(w.dot(forward) - backward);
  const double rounded =
      rounding.along(d).first + w.cwiseAbs().dot((push(start, linear, d, step_jvp) - forward).cwiseAbs());
  return size == 0 ? 0 : std::max(0.0, error - kRounding * rounded) / size;
}

/// How much the end of the two steps moves when the last digits of their start do: a floating-point step has rounded its start as
/// soon as it begins, and its velocities by as much as it iterates their means to; no difference knows a slope better than that over
/// the nudge. Along a direction it need not scatter: where positions do not move by a rounding of theirs, gaps and all that follows
/// from them stay what they are, and the slope is another one; and so it is where a nudge takes one more pass to settle.
VecX rounding_of_end(const Start& start, Flow& flow, std::uint64_t numbers) {
  constexpr int kLooks = 4;
  constexpr double kLastDigit = std::numeric_limits<double>::epsilon();
  RandomStream random(generators::mixed_seed(numbers, "last digits", 0));
  const int nv = start.model.nv();
  const double size = std::max(1.0, start.state.q.lpNorm<Eigen::Infinity>()),
               speed = start.state.v.lpNorm<Eigen::Infinity>();
  Direction change = no_direction(start);
  const VecX end = flow(change, 0);
  VecX moved = VecX::Zero(2 * nv);
  for (int look = 0; look < kLooks; ++look) {
    for (int k = 0; k < nv; ++k) {
      change.q[k] = kLastDigit * size * random.uniform(-1, 1);
      change.v[k] = kSettledMean * speed * random.uniform(-1, 1);
    }
    try {
      moved = moved.cwiseMax((flow(change, 1) - end).cwiseAbs());
    } catch (
        const StepError&) {  // what stands at a limit may be beyond it: on that side nothing is looked at
    }
  }
  return moved;
}

/// Whether some central difference says what the gradient does. A wrong gradient agrees with none but by chance, a right one nearly
/// always with the first: at these nudges contacts are mostly those of the start, and rounding far below the tolerance.
bool passes_screen(Flow& flow, const Direction& d, const VecX& analytic, double least, double tolerance) {
  constexpr std::array<double, 5> kNudges{3e-6, 3e-7, 3e-5, 3e-8, 3e-9};
  constexpr double kPart = 0.3;
  for (const double s : kNudges) {
    try {
      const VecX central = (flow(d, s) - flow(d, -s)) / (2 * s);
      const double size =
          std::max({least, central.lpNorm<Eigen::Infinity>(), analytic.lpNorm<Eigen::Infinity>()});
      if ((central - analytic).lpNorm<Eigen::Infinity>() <= kPart * tolerance * size) return true;
    } catch (const StepError&) {  // the judge says what that means
    } catch (const InvalidInput&) {
    }
  }
  return false;
}

}  // namespace

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
    DifferenceSettings effort{.fits = trial.regularity.exists && !settings.screen};
    flow(no_direction(start), 0);
    bool knows_rounding = false;
    // Once it is clear that the world is not regular, no more effort is spent on other directions than on easy ones.
    for (std::size_t k = 0; k < trial.directions.size(); ++k) {
      const Probe probe = draw_probe(start, k, random);
      const Direction& d = probe.direction;
      const VecX analytic = linear.along(d);
      // Something of the size of the direction always arrives at the end; parameters that are moved by their own size may do
      // nothing at all, and then a thousandth is little.
      const double least = k == 1 ? 1e-3 : 1;
      if (settings.screen && passes_screen(flow, d, analytic, least, settings.tolerance)) {
        trial.directions[k] = {.regularity = trial.regularity, .passed = true};
        continue;
      }
      if (settings.differences && !std::exchange(knows_rounding, true))
        effort.rounding = rounding_of_end(start, flow, numbers);
      const Differences differences = settings.differences
                                          ? differentiate([&](double s) { return flow(d, s); }, least, effort)
                                          : Differences{.value = VecX::Zero(analytic.size())};
      effort.fits = effort.fits && differences.smoothness == Smoothness::regular;
      trial.directions[k] = {.check = check_derivative(analytic, differences),
                             .regularity = trial.regularity};
      if (differences.smoothness == Smoothness::kink && trial.regularity.exists)
        trial.directions[k].one_sided_error = one_sided_error(start, linear, d, differences);
      trial.transpose_error =
          std::max(trial.transpose_error, transpose_error(start, linear, probe, analytic));
      // Of a world without a gradient nothing is asked but whether differences settle in every direction.
      if (!trial.regularity.exists && differences.smoothness != Smoothness::regular) break;
    }
  } catch (const StepError& error) {
    trial.error = error.what();
  }
  return trial;
}

}  // namespace jade::gradient_trial
