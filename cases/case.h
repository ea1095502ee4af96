#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cases/expectation.h"
#include "reference/engines.h"

namespace jade::cases {

/// Physics with a known answer: a scene, how long to run it, and what must come out, on any engine.
struct Case {
  std::string name;    ///< snake_case, as users type it
  std::string claim;   ///< one sentence that is true
  std::string source;  ///< where the truth comes from
  std::function<SceneDescription()> scene;
  double time_step = 0.01;  ///< h [s]
  int steps = 100;
  int record_every = 1;  ///< steps of h between frames
  std::vector<Expectation> expects;
  /// A world that this case must tell from the true one. Empty: gravity, friction, restitution, springs and inertia
  /// off by a twentieth, which a case of rest or of no passage cannot see.
  std::function<void(SceneDescription&)> wrong;

  bool needs_refinement() const;
};

/// A case registers itself: one file, one static object of this type, nothing else to edit.
class RegisterCase {
 public:
  explicit RegisterCase(Case description);
};

/// Every registered case, by name.
const std::vector<Case>& all_cases();

/// One case on one engine.
struct CaseResult {
  std::string case_name;
  std::string engine;
  bool ours = false;
  Verdict verdict = Verdict::not_applicable;
  std::string reason;  ///< of not_applicable and engine_error
  std::vector<Measurement> measurements;
  reference::Recording recording;  ///< at the case's own time step

  /// Largest margin and fewest digits of the measurements that were made.
  double margin() const;
  double digits() const;
};

/// Runs the engine (also at h/2 and h/4 when the case asks for convergence) and holds every expectation against
/// what it recorded. What the engine does wrong is the verdict: this does not throw for it.
[[nodiscard]] CaseResult run_case(const Case& c, const reference::Engine& engine, double tolerance_scale = 1);

}  // namespace jade::cases
