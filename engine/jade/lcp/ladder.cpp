#include "jade/lcp/contact_methods.h"

namespace jade::lcp {
namespace {

/// Proximal parameter of Newton and the polish: smaller pollutes the null space of redundant rows, larger slows down.
constexpr double kProximal = 1e-6;
/// Where an answer stops being worth improving: far below any tolerance in use, well above rounding (1e-14).
constexpr double kGoodEnough = 1e-12;

struct Rung {
  const char* stage;
  double epsilon;
  double perturbation;
};
constexpr Rung kRungs[] = {{"z-path 1e-6", 1e-6, 1e-8},
                           {"z-path 1e-8", 1e-8, 1e-9},
                           {"z-path 1e-4", 1e-4, 1e-7},
                           {"z-path 1e-10", 1e-10, 1e-10}};

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
    const ZPathSettings settings{
        .epsilon = rung.epsilon, .perturbation = rung.perturbation, .max_pivots = 20 * island_.n + 100};
    if (!w_.path.follow(island_, settings, state_, w_.inverse, pivots)) return false;
    polish(island_, w_.inverse, w_.scratch, state_);
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

  void keep_best() {
    if (state_.residual < w_.best.residual) w_.best = state_;
  }

  const ContactIsland& island_;
  double target_, tolerance_;
  IslandWorkspace& w_;
  IslandState& state_;
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
  if (climb.lemke(1e-11, report.pivots)) return done("lemke 1e-11", LcpSelection::vertex);
  if (climb.lemke(1e-9, report.pivots)) return done("lemke 1e-9", LcpSelection::vertex);
  const ContactFactors* factors = problem.factors ? &*problem.factors : nullptr;
  if (climb.quad(factors, report.pivots)) return done("lemke quad", LcpSelection::vertex);
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
