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

}  // namespace

IslandReport solve_by_ladder(const LcpProblem&, const ContactIsland& island, const LcpSettings& settings,
                             bool warm, IslandWorkspace& w, IslandState& state) {
  IslandReport report;
  const auto done = [&](const char* stage, LcpSelection selection) {
    report.solved = state.residual <= settings.tolerance;
    report.stage = stage;
    report.selection = selection;
    return report;
  };
  const double target = std::min(kGoodEnough, settings.tolerance);
  if (warm && newton_on_classes(island, kProximal, target, 4, w.equations, w.scratch, state)) {
    return done("warm", LcpSelection::warm_classes);
  }
  w.best.residual = HUGE_VAL;
  for (const Rung& rung : kRungs) {
    const ZPathSettings path{
        .epsilon = rung.epsilon, .perturbation = rung.perturbation, .max_pivots = 20 * island.n + 100};
    if (!w.path.follow(island, path, state, w.inverse, report.pivots)) continue;
    polish(island, w.inverse, w.scratch, state);
    if (state.residual <= target) return done(rung.stage, LcpSelection::least_impulse);
    if (state.residual < w.best.residual) w.best = state;
    reclassify(island, state);
    if (newton_on_classes(island, kProximal, target, 6, w.equations, w.scratch, state)) {
      return done(rung.stage, LcpSelection::least_impulse);
    }
    if (state.residual < w.best.residual) w.best = state;
  }
  if (w.best.residual < HUGE_VAL) state = w.best;
  return done(state.residual <= settings.tolerance ? "z-path best" : "none", LcpSelection::none);
}

}  // namespace jade::lcp
