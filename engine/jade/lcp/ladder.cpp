#include "jade/lcp/contact_methods.h"

namespace jade::lcp {
namespace {

/// Proximal parameter of Newton and the polish: smaller pollutes the null space of redundant rows, larger slows down.
constexpr double kProximal = 1e-6;
/// Where an answer stops being worth improving: far below any tolerance in use, well above rounding (1e-14).
constexpr double kGoodEnough = 1e-12;

/// Pivots below this are taken for redundant rows: the explicit inverse may then have lost more than three digits.
constexpr double kRedundant = 1e-3;

struct Rung {
  const char* stage;
  double epsilon;
  int pivots_per_row;  ///< gives up beyond; an untroubled path takes at most about two
  int rebuild_every;
};
/// Large ε loses the classes of stiff problems, small ε loses digits in redundant ones: first the compromise that
/// ends most paths, then its neighbours, then the same again with the inverse made anew every few pivots.
constexpr Rung kRungs[] = {{"z-path 1e-5", 1e-5, 4, 0},    {"z-path 1e-6", 1e-6, 4, 0},
                           {"z-path 1e-4", 1e-4, 4, 0},    {"z-path 1e-6 r", 1e-6, 8, 16},
                           {"z-path 1e-7 r", 1e-7, 8, 16}, {"z-path 1e-8 r", 1e-8, 8, 4},
                           {"z-path 1e-3 r", 1e-3, 8, 16}};
/// The perturbation that resolves ties, over ε. In redundant rows it moves forces by its size over ε, so it has to
/// stay far below; measured: 1e-3 and above costs classes in rows and stacks of 64 contacts.
constexpr double kPerturbationOverEpsilon = 1e-4;

/// One island's climb. Every rung leaves its answer in `state`; the least invalid one is kept in `best`.
class Climb {
 public:
  Climb(const ContactIsland& island, const LcpSettings& settings, IslandWorkspace& workspace,
        IslandState& state)
      : island_(island),
        target_(std::min(kGoodEnough, settings.tolerance)),
        tolerance_(settings.tolerance),
        w_(workspace),
        state_(state) {
    w_.best.residual = HUGE_VAL;
  }

  bool newton(double epsilon, int steps) {
    return newton_on_classes(island_, epsilon, target_, steps, w_.equations, w_.scratch, state_);
  }

  bool path(const Rung& rung, int& pivots) {
    const ZPathSettings settings{.epsilon = rung.epsilon,
                                 .perturbation = kPerturbationOverEpsilon * rung.epsilon,
                                 .max_pivots = rung.pivots_per_row * island_.n + 100,
                                 .rebuild_every = rung.rebuild_every};
    if (!w_.path.follow(island_, settings, state_, w_.inverse, pivots)) return false;
    watch_growth(rung.epsilon);
    // Redundant rows magnify the rounding that the inverse has collected, into forces that no equation can see;
    // freshly factored equations keep them at the compliance limit.
    const bool redundant = w_.inverse.smallest_pivot() < kRedundant;
    if (redundant && w_.equations.factor(island_, state_.classes, kProximal)) {
      polish(island_, w_.equations, w_.scratch, state_);
    } else {
      polish(island_, w_.inverse, w_.scratch, state_);
    }
    return good() || polished();
  }

  bool lemke(double pivot_tolerance, int& pivots) {
    if (!lemke_on_contacts(island_, pivot_tolerance, w_.lemke, state_, pivots)) return false;
    evaluate(island_, state_);
    return polished();
  }

  bool quad(const ContactFactors* factors, int& pivots) {
    if (!lemke_on_contacts_in_quad(island_, factors, w_.quad_lemke, state_, pivots)) return false;
    evaluate(island_, state_);
    return polished();
  }

  /// Forces that grow like 1/ε belong to no solution: b lies outside the range of J.
  bool forces_run_away() const { return runs_away_; }

  /// The least invalid answer seen becomes the answer; true if it is valid.
  bool settle_for_best() {
    if (w_.best.residual < HUGE_VAL) state_ = w_.best;
    return state_.residual <= tolerance_;
  }

 private:
  bool good() const { return state_.residual <= target_; }

  /// Newton from the classes of the answer at hand, with the exact b.
  bool polished() {
    for (const double epsilon : {kProximal, 1e-9}) {
      keep_best();
      reclassify(island_, state_);
      if (newton(epsilon, 6)) return true;
      keep_best();
      state_ = w_.best;
    }
    return false;
  }

  void watch_growth(double epsilon) {
    double largest = 0;
    for (const double f : state_.f) largest = std::max(largest, std::abs(f));
    // Between two compliances ten or more apart a solution's forces hardly change; half of 1/ε is clear of both.
    if (stiffest_epsilon_ >= 9 * epsilon) {
      runs_away_ = largest * epsilon > 0.5 * stiffest_force_ * stiffest_epsilon_;
    }
    if (epsilon >= stiffest_epsilon_) return;
    stiffest_epsilon_ = epsilon;
    stiffest_force_ = largest;
  }

  void keep_best() {
    if (state_.residual < w_.best.residual) w_.best = state_;
  }

  const ContactIsland& island_;
  double target_, tolerance_;
  IslandWorkspace& w_;
  IslandState& state_;
  double stiffest_epsilon_ = HUGE_VAL;  ///< smallest compliance whose path ended, and its largest force
  double stiffest_force_ = 0;
  bool runs_away_ = false;
};

}  // namespace

IslandReport solve_by_ladder(const LcpProblem& problem, const ContactIsland& island,
                             const LcpSettings& settings, bool warm, IslandWorkspace& workspace,
                             IslandState& state) {
  IslandReport report;
  const auto done = [&](const char* stage, LcpSelection selection) {
    report.solved = true;
    report.stage = stage;
    report.selection = selection;
    return report;
  };
  Climb climb(island, settings, workspace, state);
  if (warm && climb.newton(kProximal, 4)) return done("warm", LcpSelection::warm_classes);
  for (const Rung& rung : kRungs) {
    if (climb.path(rung, report.pivots)) return done(rung.stage, LcpSelection::least_impulse);
  }
  // Valid, if not to the last digit: better than the vertex of another method.
  if (climb.settle_for_best()) return done("z-path best", LcpSelection::least_impulse);
  if (climb.lemke(1e-11, report.pivots)) return done("lemke 1e-11", LcpSelection::vertex);
  if (climb.lemke(1e-9, report.pivots)) return done("lemke 1e-9", LcpSelection::vertex);
  const ContactFactors* factors = problem.factors ? &*problem.factors : nullptr;
  if (!climb.forces_run_away() && climb.quad(factors, report.pivots))
    return done("lemke quad", LcpSelection::vertex);
  if (climb.settle_for_best()) return done("best of all", LcpSelection::iterate);
  report.stage = "none";
  return report;
}

IslandReport solve_by_lemke(const ContactIsland& island, const LcpSettings& settings,
                            IslandWorkspace& workspace, IslandState& state) {
  IslandReport report{.stage = "lemke", .selection = LcpSelection::vertex};
  lemke_on_contacts(island, 1e-11, workspace.lemke, state, report.pivots);
  evaluate(island, state);
  reclassify(island, state);
  report.solved = state.residual <= settings.tolerance;
  return report;
}

}  // namespace jade::lcp
