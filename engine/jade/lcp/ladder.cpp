#include "jade/lcp/contact_methods.h"
#include "jade/lcp/lcp_certificate.h"

namespace jade::lcp {
namespace {

/// Proximal parameter of Newton and the polish: smaller pollutes the null space of redundant rows, larger slows down.
constexpr double kProximal = 1e-6;
/// Where an answer stops being worth improving: far below any tolerance in use, well above rounding (1e-14).
constexpr double kGoodEnough = 1e-12;

/// And where another step of the polish would not improve it.
constexpr double kNothingToGain = 1e-13;
// Redundant rows that agree leave less. What they leave is magnified by the inverse compliance into how they share their load.
constexpr double kContradicts = 1e-14;

/// Where the classes of an answer are right, but for a mode that it leaves.
constexpr double kNearlyValid = 1e-7;

/// Where rows contradict each other no equations are exact: it is not worth a try at every rung.
constexpr int kExactTrials = 3;

/// Pivots below this are taken for redundant rows: the explicit inverse may then have lost more than three digits.
constexpr double kRedundant = 1e-3;

struct Rung {
  const char* stage;
  double epsilon;
  double nudge;        ///< see ZPathSettings
  int pivots_per_row;  ///< gives up beyond; an untroubled path takes at most about two
  int rebuild_every;
  bool patient = false;  ///< see kPatientRelaxations
};
/// Large ε loses the classes of stiff problems, small ε loses digits in redundant ones: first the compromise that
/// ends most paths, then its neighbours, then the same again with the inverse made anew every few pivots. Exact ties
/// (cubes on a grid) sometimes need the nudge; where nothing ties it only blurs the classes, so it comes second.
constexpr Rung kRungs[] = {{"z-path 1e-5", 1e-5, 0, 4, 0},        {"z-path 1e-5 n", 1e-5, 1e-7, 4, 0},
                           {"z-path 1e-6", 1e-6, 0, 4, 0},        {"z-path 1e-6 n", 1e-6, 1e-6, 4, 0},
                           {"z-path 1e-4 n", 1e-4, 1e-6, 4, 0},   {"z-path 1e-6 r", 1e-6, 0, 8, 16},
                           {"z-path 1e-6 rn", 1e-6, 1e-7, 8, 16}, {"z-path 1e-7 rn", 1e-7, 1e-8, 8, 16},
                           {"z-path 1e-5 rn", 1e-5, 1e-5, 8, 16}, {"z-path 1e-8 r", 1e-8, 0, 8, 4},
                           {"z-path 1e-3 rn", 1e-3, 1e-6, 8, 16}, {"z-path 1e-5 p", 1e-5, 0, 4, 0, true}};
/// Proximal steps after each path, as long as they converge. Three or four are usual where one is needed at all.
constexpr int kRelaxations = 20;
/// And at last as long as they do not flee: in rows of a hundred contacts they wander for some dozens before they find the classes.
constexpr int kPatientRelaxations = 400;
/// Lemke in quad costs seconds beyond (it works on 7 rows a contact, each operation fifty times as slow).
constexpr int kMaxQuadRows = 108;
/// The perturbation that resolves ties, over ε. In redundant rows it moves forces by its size over ε, so it has to
/// stay far below; measured: 1e-3 and above costs classes in rows and stacks of 64 contacts.
constexpr double kPerturbationOverEpsilon = 1e-4;

/// One island's climb. Every rung leaves its answer in `state`; the least invalid one is kept in `best`.
class Climb {
 public:
  Climb(const LadderTask& task, IslandWorkspace& workspace, IslandState& state)
      : island_(task.island),
        whole_(task.whole),
        target_(std::min(kGoodEnough, task.settings.tolerance)),
        tolerance_(task.settings.tolerance),
        compliant_(task.compliant),
        w_(workspace),
        state_(state) {
    w_.best.residual = state_.residual = HUGE_VAL;
  }

  bool newton(double epsilon, int steps) {
    return newton_on_classes(island_, epsilon, target_, steps, w_.equations, w_.scratch, state_);
  }

  /// An answer that carries on friction at its bound only because something slipped once is refused, valid as it is:
  /// such self-stress would stay for as long as warm starts do.
  bool warm() {
    redundant_ = true;  // as far as is known
    const auto rests = [&](int i) {
      return rests_at_its_bound(state_.classes[i], state_.f[i], state_.v[i], target_ * state_.sigma[i]);
    };
    if (newton(kProximal, 4) || (exact() && w_.equations.factor(island_, state_.classes, kProximal))) {
      const auto column = [&](int j) { return island_.column(j); };
      w_.scratch.resize(ClassEquations::room(w_.equations.size()));
      return !carries_stress(w_.equations.rows(), w_.equations, column, state_.f.data(), rests,
                             w_.scratch.data());
    }
    // The equations at hand are not those of a silenced answer: any friction that rests is refused.
    const bool valid = silenced();
    for (int i = 0; i < island_.n; ++i)
      if (rests(i)) return false;
    if (!valid) keep_best();
    return valid;
  }

  bool path(const Rung& rung, int& pivots) {
    const ZPathSettings settings{.epsilon = rung.epsilon,
                                 .perturbation = kPerturbationOverEpsilon * rung.epsilon,
                                 .nudge = rung.nudge,
                                 .max_pivots = rung.pivots_per_row * island_.n + 100,
                                 .rebuild_every = rung.rebuild_every};
    if (!w_.path.follow(island_, settings, state_, w_.tableau, pivots)) return false;
    watch_growth(rung.epsilon, w_.path.largest_force(w_.tableau));
    if (finish()) return true;
    double before = HUGE_VAL;
    const int relaxations = rung.patient ? kPatientRelaxations : kRelaxations;
    const double longest = rung.patient ? 1.5 : 0.7;  // as a share of the step before
    for (int step = 0; step < relaxations; ++step) {
      keep_best();
      if (!w_.path.relax(state_, w_.tableau, step == 0, pivots)) break;
      refine(island_, w_.tableau, w_.scratch, state_);
      if (good() || silenced()) return true;
      const double moved = w_.path.moved();
      if (!(moved < longest * before)) break;
      before = moved;
    }
    return polished();
  }

  /// The exact answer of the classes at the end of a path.
  bool finish() {
    // Redundant rows magnify the rounding that the inverse has collected, into forces that no equation can see;
    // freshly factored equations keep them at the compliance limit.
    redundant_ = w_.tableau.smallest_pivot() < kRedundant;
    if (redundant_ && w_.equations.factor(island_, state_.classes, kProximal)) {
      return finish_with(w_.equations);
    }
    return finish_with(w_.tableau);
  }

  /// Whether the certificate of the solution is already that of the answer.
  bool certified() const { return certified_; }

  bool lemke(double pivot_tolerance, int& pivots) {
    if (!lemke_on_contacts(island_, pivot_tolerance, w_.lemke, state_, pivots)) return false;
    evaluate(island_, state_);
    return silenced() || polished();
  }

  bool quad(const ContactFactors* factors, int& pivots) {
    if (!lemke_on_contacts_in_quad(island_, factors, w_.quad_lemke, state_, pivots)) return false;
    evaluate(island_, state_);
    return silenced() || polished();
  }

  /// Forces that grow like 1/ε belong to no solution as a rule: b lies outside the range of J.
  bool forces_run_away() const { return runs_away_ && !compliant_; }
  bool has_valid_answer() const { return w_.best.residual <= tolerance_; }
  bool has_watched_forces() const { return watched_; }

  /// Redundant rows that contradict each other in their last digits, or nearly redundant ones: see ExactClasses::solve_shares.
  void solve_shares() {
    if (compliant_ || !redundant_) return;
    const double residual = certified_ ? whole_->solution.certificate.residual : state_.residual;
    if (!(residual > kContradicts)) return;
    w_.trial = state_;
    if (!w_.exact.solve_shares(island_, tolerance_, w_.trial)) return;
    state_ = w_.trial;
    certified_ = false;
  }

  /// The least invalid answer seen becomes the answer; true if it is valid.
  bool settle_for_best() {
    if (w_.best.residual < HUGE_VAL) state_ = w_.best;
    if (!(state_.residual <= tolerance_)) return false;
    redundant_ = redundant_ || !good();
    return true;
  }

 private:
  template <class Solver>
  bool finish_with(const Solver& solver) {
    polish_blindly(island_, solver, w_.scratch, state_);
    if (whole_ != nullptr) {
      certified_ = whole_->residual_of(island_, state_) <= kNothingToGain;
      if (certified_) return true;
    }
    refine(island_, solver, w_.scratch, state_);
    return good() || silenced() || exact();
  }

  /// Where a mode is left that proximal steps hardly see.
  bool exact() {
    if (compliant_ || !(state_.residual <= kNearlyValid) || exact_trials_ == kExactTrials) return false;
    ++exact_trials_;
    w_.trial = state_;
    if (!w_.exact.solve(island_, target_, 6, w_.trial)) return false;
    state_ = w_.trial;
    return true;
  }

  bool good() const { return state_.residual <= target_; }

  /// Newton from the classes of the answer at hand, with the exact b.
  bool polished() {
    for (const double epsilon : {kProximal, 1e-9}) {
      keep_best();
      reclassify(island_, state_);
      if (newton(epsilon, 6) || silenced()) return true;
      keep_best();
      state_ = w_.best;
    }
    return false;
  }

  /// A body that nothing pushes needs forces that are exactly zero: its rows have no terms against which rounding
  /// could be called small. True when the answer is valid once forces at rounding level are silenced.
  bool silenced() {
    constexpr double noise = 1e-13;  // a few hundred roundings of the largest force
    double largest = 0;
    for (const double f : state_.f) largest = std::max(largest, std::abs(f));
    w_.trial = state_;
    for (int i = 0; i < island_.n; ++i) {
      const bool held = w_.trial.f[island_.normal[i]] != 0;  // normals come before their tangents
      if (!held || std::abs(w_.trial.f[i]) <= noise * largest) w_.trial.f[i] = 0;
    }
    evaluate(island_, w_.trial);
    if (!(w_.trial.residual <= target_)) return false;
    state_ = w_.trial;
    take_classes_of_forces();
    return true;
  }

  /// A vertex of another method, or what was silenced, may be valid without the classes that it was found with: what has no force
  /// and opens is separate, and what slips does not stick. Rows that may be of either class keep theirs.
  void take_classes_of_forces() {
    for (int i = 0; i < island_.m; ++i) {
      const bool opens = state_.f[i] == 0 && state_.v[i] > target_ * state_.sigma[i];
      if (opens) state_.classes[i] = RowClass::separate;
      for (int t = island_.tangent_begin[i]; t < island_.tangent_begin[i + 1]; ++t) {
        if (opens) state_.classes[t] = RowClass::separate;
        const double slip = state_.v[t], slips = target_ * state_.sigma[t];
        if (state_.classes[t] == RowClass::stick && std::abs(slip) > slips && island_.mu[t] > 0)
          state_.classes[t] = slip < 0 ? RowClass::high : RowClass::low;
      }
    }
  }

  void watch_growth(double epsilon, double largest) {
    // Between two compliances ten or more apart a solution's forces hardly change; half of 1/ε is clear of both.
    if (stiffest_epsilon_ >= 9 * epsilon) {
      runs_away_ = largest * epsilon > 0.5 * stiffest_force_ * stiffest_epsilon_;
      watched_ = true;
    }
    if (epsilon >= stiffest_epsilon_) return;
    stiffest_epsilon_ = epsilon;
    stiffest_force_ = largest;
  }

  void keep_best() {
    if (state_.residual < w_.best.residual) w_.best = state_;
  }

  const ContactIsland& island_;
  const WholeProblem* whole_;
  bool certified_ = false;
  bool redundant_ = false;  ///< rows may depend on each other
  int exact_trials_ = 0;
  double target_, tolerance_;
  bool compliant_;
  IslandWorkspace& w_;
  IslandState& state_;
  double stiffest_epsilon_ = HUGE_VAL;  ///< smallest compliance whose path ended, and its largest force
  double stiffest_force_ = 0;
  bool runs_away_ = false;
  bool watched_ = false;  ///< two compliances far enough apart have been compared
};

}  // namespace

double WholeProblem::residual_of(const ContactIsland& island, const IslandState& state) const {
  for (int i = 0; i < island.n; ++i) solution.f[island.row[i]] = island.scale[i] * state.f[i];
  LcpCertificate& certificate = solution.certificate;
  certificate.residual = certified_residual(problem, solution.f, solution.v, sigma, certificate.worst_row);
  return certificate.residual;
}

IslandReport solve_by_ladder(const LadderTask& task, IslandWorkspace& workspace, IslandState& state) {
  IslandReport report;
  Climb climb(task, workspace, state);
  const auto done = [&](const char* stage, LcpSelection selection) {
    report.solved = true;
    report.stage = stage;
    report.selection = selection;
    climb.solve_shares();
    report.certified = climb.certified();
    return report;
  };
  if (task.warm) {
    if (climb.warm()) return done("warm", LcpSelection::warm_classes);
    if (!task.settings.to_the_end && climb.settle_for_best())
      return done("warm best", LcpSelection::warm_classes);
  }
  // b = J u is in the range of J: there is an answer, however large its forces are.
  const ContactFactors* factors = task.problem.factors ? &*task.problem.factors : nullptr;
  const bool exists = factors != nullptr && factors->bias.isZero(0);
  for (const Rung& rung : kRungs) {
    // Contacts whose gaps contradict each other in their last digits have no answer to the last digit; a valid one that
    // stands the comparison of two compliances will do.
    if (climb.has_valid_answer() && (rung.nudge > 0 || climb.has_watched_forces())) continue;
    // Ties and lost digits are worth the long way only to a caller who has no other question.
    if (!task.settings.to_the_end && (rung.nudge > 0 || rung.rebuild_every == 16 || rung.patient)) continue;
    if (climb.path(rung, report.pivots)) return done(rung.stage, LcpSelection::least_impulse);
    if (!task.settings.to_the_end && climb.settle_for_best())
      return done("z-path best", LcpSelection::least_impulse);
    if (climb.forces_run_away() && !exists) break;
  }
  // Valid, if not to the last digit: better than the vertex of another method.
  if (climb.settle_for_best()) return done("z-path best", LcpSelection::least_impulse);
  if (task.settings.to_the_end) {
    // Forces also grow where rows that nearly depend on each other need large ones: that is no proof.
    if (climb.lemke(1e-11, report.pivots)) return done("lemke 1e-11", LcpSelection::vertex);
    if (climb.lemke(1e-9, report.pivots)) return done("lemke 1e-9", LcpSelection::vertex);
    if (task.island.n <= kMaxQuadRows && (exists || !climb.forces_run_away()) &&
        climb.quad(factors, report.pivots))
      return done("lemke quad", LcpSelection::vertex);
    if (climb.settle_for_best()) return done("best of all", LcpSelection::iterate);
  }
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
