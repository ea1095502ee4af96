#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cases/verdict.h"
#include "jade/gradients/gradient_check.h"

namespace jade::cases {

/// What an outcome is differentiated by, and what must come out.
struct GradientTruth {
  std::function<Variable(const Model&)> by;
  /// One derivative for each number of the outcome; empty: differences alone are the truth.
  std::vector<double> exact;
};
GradientTruth by_position(const std::string& body, int component, std::vector<double> exact = {});
GradientTruth by_velocity(const std::string& body, int component, std::vector<double> exact = {});
/// Of one effort that acts in all steps.
GradientTruth by_effort(const std::string& body, int component, std::vector<double> exact = {});
/// Of the scene's only pair of materials.
GradientTruth by_friction(std::vector<double> exact = {});
GradientTruth by_restitution(std::vector<double> exact = {});
GradientTruth by_mass(const std::string& body, std::vector<double> exact = {});
GradientTruth by_damping(const std::string& body, int component, std::vector<double> exact = {});
GradientTruth by_gravity(int component, std::vector<double> exact = {});

/// A derivative with a known answer, of a whole trajectory.
struct GradientCase {
  std::string name;    ///< snake_case, as users type it
  std::string claim;   ///< one sentence that is true
  std::string source;  ///< where the truth comes from
  std::function<SceneDescription()> scene;
  double time_step = 0.01;
  int steps = 100;
  std::function<Outcome(const Model&)> outcome;
  std::vector<GradientTruth> truths;
  /// Of closed forms; relative to the largest exact derivative of the case. Differences are always asked for 1e-6.
  Tolerance tolerance;
  /// A world that this case must tell from the true one. Empty: gravity, friction and restitution off by a twentieth.
  std::function<void(SceneDescription&)> wrong;
};

/// A case registers itself: one file, one static object of this type, nothing else to edit.
class RegisterGradientCase {
 public:
  explicit RegisterGradientCase(GradientCase description);
};
const std::vector<GradientCase>& all_gradient_cases();

/// A coordinate of a body's joint at the end.
std::function<Outcome(const Model&)> final_position(const std::string& body,
                                                    const std::vector<int>& components);

/// One derivative, held against everything that is known of it.
struct GradientMeasurement {
  GradientEntry entry;          ///< analytic against differences
  std::optional<double> exact;  ///< closed form
  double error = 0;             ///< of the analytic one: against the closed form, else against differences
  double tolerance = 0, margin = 0;
  double digits = 0;
  Verdict verdict = Verdict::not_applicable;
  std::string reason;
};

struct GradientResult {
  std::string case_name;
  std::vector<GradientMeasurement> measurements;
  Regularity regularity;
  Verdict verdict = Verdict::not_applicable;
  std::string reason;
};

/// Differences of whole trajectories agree with a right gradient to this, relative to the largest derivative in the column:
/// they settle to 2e-7 or are not counted.
inline constexpr double kAgreesWithDifferences = 1e-6;

[[nodiscard]] GradientResult run_gradient_case(const GradientCase& c);

/// The same with the gradient of another world held against this case's truths, without differences: what a wrong engine
/// would be told.
[[nodiscard]] Verdict verdict_on_wrong_world(const GradientCase& c);

}  // namespace jade::cases
