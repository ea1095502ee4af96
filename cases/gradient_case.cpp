#include "cases/gradient_case.h"

#include <algorithm>
#include <cmath>

#include "jade/base/error.h"

namespace jade::cases {
namespace {

std::vector<GradientCase>& registry() {
  static std::vector<GradientCase> cases;
  return cases;
}

Experiment experiment_of(const GradientCase& c, const SceneDescription& scene) {
  return make_experiment(scene, {.h = c.time_step, .steps = c.steps});
}

std::vector<Variable> variables_of(const GradientCase& c, const Model& model) {
  std::vector<Variable> variables;
  for (const GradientTruth& truth : c.truths) variables.push_back(truth.by(model));
  return variables;
}

double largest_exact(const GradientCase& c) {
  double largest = 0;
  for (const GradientTruth& truth : c.truths)
    for (const double x : truth.exact) largest = std::max(largest, std::abs(x));
  return largest;
}

GradientMeasurement measure(const GradientCase& c, const GradientEntry& entry, std::optional<double> exact) {
  GradientMeasurement m{.entry = entry, .exact = exact};
  double scale = 1;
  if (exact) {
    scale = largest_exact(c);
    m.error = std::abs(entry.analytic - *exact);
    m.tolerance = c.tolerance.absolute + c.tolerance.relative * scale;
    m.digits = accurate_digits(m.error, scale > 0 ? scale : 1);
  } else {
    m.error = entry.error;
    m.tolerance = kAgreesWithDifferences;
    m.digits = entry.digits;
  }
  m.margin = m.error / m.tolerance;
  m.verdict = m.error <= m.tolerance ? Verdict::pass : Verdict::fail;
  if (entry.smoothness == Smoothness::unresolved) {
    if (!exact) m = {.entry = entry, .verdict = Verdict::fail, .reason = "differences do not settle"};
  } else if (!(entry.error <= kAgreesWithDifferences)) {
    m.verdict = Verdict::fail;
    m.reason = "differences say something else";
  }
  return m;
}

}  // namespace

GradientTruth by_position(const std::string& body, int component, std::vector<double> exact) {
  return {[=](const Model& m) { return position_of(coordinate_of(m, body, component)); }, std::move(exact)};
}
GradientTruth by_velocity(const std::string& body, int component, std::vector<double> exact) {
  return {[=](const Model& m) { return velocity_of(coordinate_of(m, body, component)); }, std::move(exact)};
}
GradientTruth by_effort(const std::string& body, int component, std::vector<double> exact) {
  return {[=](const Model& m) { return effort_of(coordinate_of(m, body, component)); }, std::move(exact)};
}
GradientTruth by_friction(std::vector<double> exact) {
  return {[](const Model&) { return parameter_of({ParameterKind::friction, 0, 0}); }, std::move(exact)};
}
GradientTruth by_restitution(std::vector<double> exact) {
  return {[](const Model&) { return parameter_of({ParameterKind::restitution, 0, 0}); }, std::move(exact)};
}
GradientTruth by_mass(const std::string& body, std::vector<double> exact) {
  return {[=](const Model& m) {
            return parameter_of({ParameterKind::inertia, m.body_named(body), 0});
          },
          std::move(exact)};
}
GradientTruth by_damping(const std::string& body, int component, std::vector<double> exact) {
  return {[=](const Model& m) {
            return parameter_of({ParameterKind::damping, coordinate_of(m, body, component), 0});
          },
          std::move(exact)};
}
GradientTruth by_gravity(int component, std::vector<double> exact) {
  return {[=](const Model&) {
            return parameter_of({ParameterKind::gravity, 0, component});
          },
          std::move(exact)};
}

RegisterGradientCase::RegisterGradientCase(GradientCase description) {
  std::vector<GradientCase>& cases = registry();
  const auto place =
      std::lower_bound(cases.begin(), cases.end(), description.name,
                       [](const GradientCase& c, const std::string& name) { return c.name < name; });
  if (place != cases.end() && place->name == description.name) {
    throw InvalidInput("gradient cases",
                       {{description.name, "is registered twice", "give one of them another name"}});
  }
  cases.insert(place, std::move(description));
}

const std::vector<GradientCase>& all_gradient_cases() { return registry(); }

std::function<Outcome(const Model&)> final_position(const std::string& body,
                                                    const std::vector<int>& components) {
  return [=](const Model& model) {
    std::vector<Reading> list;
    list.reserve(components.size());
    for (const int k : components) list.push_back({.coordinate = coordinate_of(model, body, k)});
    return readings(model, list);
  };
}

GradientResult run_gradient_case(const GradientCase& c) {
  GradientResult result{.case_name = c.name};
  try {
    const Experiment experiment = experiment_of(c, c.scene());
    const Outcome outcome = c.outcome(experiment.model);
    const GradientCheck check = gradient_check(experiment, outcome, variables_of(c, experiment.model));
    result.regularity = check.regularity;
    std::vector<Verdict> verdicts;
    for (std::size_t k = 0; k < check.entries.size(); ++k) {
      const GradientTruth& truth = c.truths[k / outcome.names.size()];
      std::optional<double> exact;
      if (!truth.exact.empty()) exact = truth.exact.at(k % outcome.names.size());
      result.measurements.push_back(measure(c, check.entries[k], exact));
      verdicts.push_back(result.measurements.back().verdict);
    }
    result.verdict = worst(verdicts);
  } catch (const StepError& error) {
    result.verdict = Verdict::engine_error;
    result.reason = error.what();
  }
  return result;
}

Verdict verdict_on_wrong_world(const GradientCase& c) {
  SceneDescription scene = c.scene();
  if (c.wrong) {
    c.wrong(scene);
  } else {
    scene.gravity *= 1.05;
    for (MaterialPair& pair : scene.pairs) {
      pair.friction *= 1.05;
      pair.restitution *= 0.95;
    }
  }
  const Experiment wrong = experiment_of(c, scene), right = experiment_of(c, c.scene());
  const Outcome outcome = c.outcome(wrong.model);
  const auto n = static_cast<Eigen::Index>(c.truths.size());
  const std::vector<Variable> variables = variables_of(c, wrong.model);
  const MatX told = Laboratory(wrong).differentiate(outcome, variables, VecX::Zero(n)).jacobian;
  const MatX truth = Laboratory(right).differentiate(outcome, variables, VecX::Zero(n)).jacobian;
  std::vector<Verdict> verdicts{Verdict::pass};
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index i = 0; i < told.rows(); ++i) {
      const std::vector<double>& exact = c.truths[static_cast<std::size_t>(k)].exact;
      // Where differences are the truth, they are those of the right world, with which its gradient agrees.
      const double expected = exact.empty() ? truth(i, k) : exact[static_cast<std::size_t>(i)];
      const double size = exact.empty() ? truth.col(k).lpNorm<Eigen::Infinity>() : largest_exact(c);
      const double tolerance =
          exact.empty() ? kAgreesWithDifferences * size : c.tolerance.absolute + c.tolerance.relative * size;
      if (!(std::abs(told(i, k) - expected) <= tolerance)) verdicts.push_back(Verdict::fail);
    }
  }
  return worst(verdicts);
}

}  // namespace jade::cases
