#include "jade/lcp/lcp_solver.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "jade/lcp/contact_doubts.h"
#include "jade/lcp/contact_methods.h"
#include "jade/lcp/formed_problem.h"
#include "jade/lcp/lcp_certificate.h"
#include "jade/lcp/plain_forms.h"
#include "jade/lcp/warm_start.h"

namespace jade {

struct LcpWorkspace::Memory {
  lcp::IslandSplitter splitter;
  lcp::ContactIsland island;
  lcp::IslandWorkspace island_workspace;
  lcp::IslandState state;
  lcp::WarmStart warm_start;
  LcpProblem substitute;  ///< a boxed problem read as contacts, or a problem made solvable by compliance
  VecX sigma;
};

LcpWorkspace::LcpWorkspace() : memory_(std::make_unique<Memory>()) {}
LcpWorkspace::~LcpWorkspace() = default;
LcpWorkspace::LcpWorkspace(LcpWorkspace&&) noexcept = default;
LcpWorkspace& LcpWorkspace::operator=(LcpWorkspace&&) noexcept = default;
void LcpWorkspace::reserve(int rows) { memory_->warm_start.make_room(rows); }

namespace {

using lcp::IslandReport;

IslandReport solve_island(const lcp::LadderTask& task, LcpWorkspace::Memory& memory) {
  lcp::IslandWorkspace& workspace = memory.island_workspace;
  switch (task.settings.method) {
    case LcpMethod::jade:
      break;
    case LcpMethod::dantzig:
      return lcp::solve_by_dantzig(memory.island, task.settings, workspace, memory.state);
    case LcpMethod::ergodic:
      return lcp::solve_by_ergodic_search(memory.island, task.settings, workspace, memory.state);
    case LcpMethod::lemke:
      return lcp::solve_by_lemke(memory.island, task.settings, workspace, memory.state);
    case LcpMethod::pgs:
      return lcp::solve_by_pgs(memory.island, task.settings, memory.state);
  }
  return lcp::solve_by_ladder(task, workspace, memory.state);
}

/// Forces and classes of tangents that no force can move: friction opposes a velocity that it cannot change.
void settle_inert_tangents(const LcpProblem& problem, LcpSolution& solution) {
  for (int i = 0; i < problem.size(); ++i) {
    const LcpRow& row = problem.rows[i];
    if (problem.A(i, i) > 0 || row.kind != RowKind::tangent) continue;
    if (solution.classes[row.normal] == RowClass::separate) continue;
    const double b = problem.b[i];
    solution.classes[i] = b > 0 ? RowClass::low : b < 0 ? RowClass::high : RowClass::stick;
    if (b != 0) solution.f[i] = (b > 0 ? -1 : 1) * row.mu * solution.f[row.normal];
  }
}

/// Rounding, not only validity: an answer that misses this is worth the search for a better one.
constexpr double kGoodEnough = 1e-12;

/// How the islands of a problem are to be solved.
struct IslandsTask {
  bool closed_forms = false;  ///< single contacts by formula
  bool compliant = false;     ///< see LadderTask
};

/// What became of the islands of a problem.
struct IslandsReport {
  bool all_solved = true;
  bool certified = false;    ///< the solution's certificate has been computed on the way
  bool closed_form = false;  ///< some island was solved by a formula and has not been looked at since
};

IslandsReport solve_contacts(const LcpProblem& problem, const LcpSettings& settings,
                             const std::vector<RowClass>& warm_classes, const IslandsTask& task,
                             LcpWorkspace::Memory& memory, LcpSolution& solution) {
  const int n = problem.size();
  const bool warm = settings.warm_start && n > 0 && static_cast<int>(warm_classes.size()) == n;
  solution.f.setZero(n);
  solution.classes.assign(n, RowClass::separate);
  // Nothing to solve is solved by the rule: no force at all.
  const char* stage = "at rest";
  solution.selection = LcpSelection::least_impulse;
  IslandsReport result;
  lcp::ContactIsland& island = memory.island;
  const lcp::WholeProblem whole{problem, solution, memory.sigma};
  const int islands = memory.splitter.split(problem);
  for (int k = 0; k < islands; ++k) {
    if (!warm && !memory.splitter.needs_force(problem, k)) continue;
    if (!warm && task.closed_forms) {
      const auto contact = memory.splitter.single_contact(problem, k);
      if (contact && contact->solve(problem, solution, solution.pivots)) {
        if (solution.selection == LcpSelection::least_impulse) stage = "one contact";
        result.closed_form = true;
        continue;
      }
    }
    memory.splitter.extract(problem, k, island);
    memory.state.resize(island);
    if (warm) {
      for (int i = 0; i < island.n; ++i) memory.state.classes[i] = warm_classes[island.row[i]];
    }
    const IslandReport report = solve_island(
        {problem, island, settings, warm, island.n == n ? &whole : nullptr, task.compliant}, memory);
    solution.pivots += report.pivots;
    // The report names the island that was hardest, or the first that failed.
    if (result.all_solved && (!report.solved || report.selection >= solution.selection)) {
      stage = report.stage;
      solution.selection = report.solved ? report.selection : LcpSelection::none;
    }
    result.all_solved = result.all_solved && report.solved;
    result.certified = report.certified;
    const lcp::IslandState& state = memory.state;
    for (int i = 0; i < island.n; ++i) {
      solution.classes[island.row[i]] = state.classes[i];
    }
    if (report.certified) continue;  // the forces are there already
    for (int i = 0; i < island.n; ++i) solution.f[island.row[i]] = island.scale[i] * state.f[i];
  }
  solution.stage = stage;
  if (memory.splitter.has_inert_rows()) settle_inert_tangents(problem, solution);
  return result;
}

void certify_into(const LcpProblem& problem, LcpWorkspace::Memory& memory, LcpSolution& solution) {
  LcpCertificate& certificate = solution.certificate;
  certificate.residual =
      certified_residual(problem, solution.f, solution.v, memory.sigma, certificate.worst_row);
  put_into_words(problem, solution.f, solution.v, memory.sigma, certificate);
}

/// True when the formula of one contact has all digits.
bool solve_one_contact(const LcpProblem& problem, const LcpSettings& settings,
                       const lcp::SingleContact& contact, LcpWorkspace::Memory& memory,
                       LcpSolution& solution) {
  const int n = problem.size();
  solution.f.setZero(n);
  solution.classes.assign(n, RowClass::separate);
  if (!contact.solve(problem, solution, solution.pivots)) return false;
  certify_into(problem, memory, solution);
  return solution.certificate.residual <= std::min(kGoodEnough, settings.tolerance);
}

/// True when one contact keeps the classes of an earlier solve, and no friction stays at its bound where nothing slips.
bool one_contact_keeps(const LcpProblem& problem, const LcpSettings& settings,
                       const lcp::SingleContact& contact, const std::vector<RowClass>& classes,
                       LcpWorkspace::Memory& memory, LcpSolution& solution) {
  solution.f.resize(problem.size());
  if (!contact.solve_for(problem, classes, solution.f)) return false;
  certify_into(problem, memory, solution);
  const double target = std::min(kGoodEnough, settings.tolerance);
  if (!(solution.certificate.residual <= target)) return false;
  for (int k = 0; k < contact.tangents; ++k) {
    const int t = contact.tangent[k];
    if (lcp::rests_at_its_bound(classes[t], solution.f[t], solution.v[t], target * memory.sigma[t]))
      return false;
  }
  solution.classes = classes;
  return true;
}

/// Beyond this many rows classes are not put right in place: to factor all of them again takes longer than to look for the
/// island that they are wrong in.
constexpr int kFewRows = 96;

/// True when the classes of an earlier solve are those of this problem, but for some that are put right at once.
bool solve_warm(const LcpProblem& problem, const LcpSettings& settings, const std::vector<RowClass>& classes,
                LcpWorkspace::Memory& memory, LcpSolution& solution) {
  lcp::WarmStart& warm = memory.warm_start;
  if (!warm.solve(problem, classes, solution.f)) return false;
  const double target = std::min(kGoodEnough, settings.tolerance);
  double before = std::numeric_limits<double>::infinity();
  int wrong_before = problem.size() + 1;
  bool parked = true;  // friction of contacts that are held may be
  bool refined = false;
  for (;;) {
    double& residual = solution.certificate.residual;
    residual =
        certified_residual(problem, solution.f, solution.v, memory.sigma, solution.certificate.worst_row);
    if (residual <= target) {
      if (!parked || !warm.hold_parked(problem, solution.f, memory.sigma)) break;
      parked = false;
      if (!warm.solve_corrected(problem, solution.f)) return false;
      before = std::numeric_limits<double>::infinity();
      continue;
    }
    // A wrong class does not go away; what is left of a right one shrinks by ε over the least eigenvalue.
    const bool few = problem.size() <= kFewRows;
    if (const int wrong = few ? warm.correct(problem, solution, memory.sigma, target) : 0; wrong > 0) {
      if (wrong >= wrong_before || !warm.solve_corrected(problem, solution.f)) return false;
      wrong_before = wrong;
      before = std::numeric_limits<double>::infinity();
      continue;
    }
    constexpr double worthwhile = 0.25;
    if (!(residual < worthwhile * before)) return false;
    before = residual;
    refined = true;
    warm.refine(solution.v, solution.f);
  }
  if (warm.leaves_stress(problem, solution, memory.sigma, target)) return false;
  if (refined && warm.shares_may_matter()) return false;
  solution.classes = warm.classes();
  put_into_words(problem, solution.f, solution.v, memory.sigma, solution.certificate);
  solution.stage = "warm";
  solution.selection = LcpSelection::warm_classes;
  solution.status = LcpStatus::solved;
  return true;
}

/// True when every island was solved.
bool solve_and_certify(const LcpProblem& problem, const LcpSettings& settings,
                       const std::vector<RowClass>& warm_classes, LcpWorkspace::Memory& memory,
                       LcpSolution& solution) {
  const bool ladder = settings.method == LcpMethod::jade;
  IslandsReport report =
      solve_contacts(problem, settings, warm_classes, {.closed_forms = ladder}, memory, solution);
  if (report.certified) {
    put_into_words(problem, solution.f, solution.v, memory.sigma, solution.certificate);
    return report.all_solved;
  }
  certify_into(problem, memory, solution);
  if (report.closed_form && !(solution.certificate.residual <= kGoodEnough)) {
    // A formula has lost too many digits: the general path then.
    report = solve_contacts(problem, settings, warm_classes, {}, memory, solution);
    certify_into(problem, memory, solution);
  }
  return report.all_solved;
}

/// Compliance of the substitute that is solved when the problem itself has no solution that we can find: relative
/// to the largest A_ii, small against everything that moves and large against rounding.
constexpr double kFallbackCompliance = 1e-6;

void solve_contact_form(const LcpProblem& problem, const LcpSettings& settings,
                        const std::vector<RowClass>& warm_classes, LcpWorkspace::Memory& memory,
                        LcpSolution& solution) {
  const bool ladder = settings.method == LcpMethod::jade;
  const bool warm = ladder && settings.warm_start && problem.size() > 0 &&
                    static_cast<int>(warm_classes.size()) == problem.size();
  if (const auto contact = ladder ? lcp::SingleContact::of(problem) : std::nullopt) {
    const bool kept = warm && one_contact_keeps(problem, settings, *contact, warm_classes, memory, solution);
    // A jammed contact has several solutions: given classes that are not those of the formula may have theirs.
    if (kept || (solve_one_contact(problem, settings, *contact, memory, solution) &&
                 (!warm || solution.classes == warm_classes))) {
      solution.stage = kept ? "warm" : solution.pivots > 0 ? "one contact" : "at rest";
      solution.selection = warm ? LcpSelection::warm_classes : LcpSelection::least_impulse;
      solution.status = LcpStatus::solved;
      return;
    }
  }
  solution.pivots = 0;
  if (warm && solve_warm(problem, settings, warm_classes, memory, solution)) return;
  solve_and_certify(problem, settings, warm_classes, memory, solution);
  if (solution.certificate.residual <= settings.tolerance) {
    solution.status = LcpStatus::solved;
    return;
  }
  solution.status = LcpStatus::no_solution_found;
  solution.selection = LcpSelection::none;
  if (!ladder) return;
  // With compliance every problem has a solution; hand that back, said to be what it is.
  LcpProblem& substitute = memory.substitute;
  substitute.form = LcpForm::contact;
  substitute.A = problem.A;
  substitute.b = problem.b;
  substitute.beta = problem.beta;
  substitute.rows = problem.rows;
  substitute.factors.reset();
  const double largest = problem.A.diagonal().maxCoeff();
  solution.regularisation = kFallbackCompliance * (largest > 0 ? largest : 1);
  substitute.A.diagonal().array() += solution.regularisation;
  LcpSettings to_the_end = settings;
  to_the_end.to_the_end = true;
  solve_contacts(substitute, to_the_end, {}, {.compliant = true}, memory, solution);
  solution.stage = "compliant";
  solution.selection = LcpSelection::none;
  certify_into(problem, memory, solution);
}

void solve_other_form(const LcpProblem& problem, const LcpSettings& settings, LcpWorkspace::Memory& memory,
                      LcpSolution& solution) {
  if (settings.method == LcpMethod::dantzig || settings.method == LcpMethod::ergodic) {
    throw InvalidInput(
        "complementarity problem",
        {{"method", std::string(name_of(settings.method)) + " works on the classes of contacts",
          "use jade, lemke or pgs for plain and boxed problems"}});
  }
  const lcp::PlainOutcome outcome = settings.method == LcpMethod::pgs
                                        ? lcp::pgs_on_plain_or_boxed(problem, settings, solution.f)
                                        : lcp::solve_plain_or_boxed(problem, settings, solution.f);
  certify_into(problem, memory, solution);
  solution.classes.assign(problem.size(), RowClass::separate);
  lcp::classify_plain_or_boxed(problem, solution.f, solution.v, solution.classes);
  solution.stage = outcome.stage;
  solution.pivots = outcome.pivots;
  const bool valid = solution.certificate.residual <= settings.tolerance;
  solution.status = valid                                 ? LcpStatus::solved
                    : outcome.status == LcpStatus::solved ? LcpStatus::no_solution_found
                                                          : outcome.status;
  solution.selection = !valid                              ? LcpSelection::none
                       : settings.method == LcpMethod::pgs ? LcpSelection::iterate
                                                           : LcpSelection::vertex;
}

}  // namespace

void solve(const LcpProblem& problem, const LcpSettings& settings, const std::vector<RowClass>& warm_classes,
           LcpWorkspace& workspace, LcpSolution& solution) {
  if (!is_sound(problem)) throw InvalidInput("complementarity problem", check_problem(problem));
  LcpWorkspace::Memory& memory = workspace.memory();
  solution.pivots = 0;
  solution.regularisation = 0;
  if (problem.form == LcpForm::contact) {
    solve_contact_form(problem, settings, warm_classes, memory, solution);
  } else if (is_contact_in_boxes(problem)) {
    const LcpProblem contact = recognise_contacts(problem);
    if (contact.form != LcpForm::contact) return solve_other_form(problem, settings, memory, solution);
    solve_contact_form(contact, settings, warm_classes, memory, solution);
  } else {
    solve_other_form(problem, settings, memory, solution);
  }
}

namespace {

void begin_formed(const LcpProblem& problem, LcpSolution& solution) {
  if (lcp::formed_is_in_doubt(problem) && !is_sound(problem))
    throw InvalidInput("complementarity problem", check_problem(problem));
  assert(problem.form == LcpForm::contact && is_sound(problem));
  solution.pivots = 0;
  solution.regularisation = 0;
}

}  // namespace

void solve_formed(const LcpProblem& problem, const LcpSettings& settings,
                  const std::vector<RowClass>& warm_classes, LcpWorkspace& workspace, LcpSolution& solution) {
  begin_formed(problem, solution);
  solve_contact_form(problem, settings, warm_classes, workspace.memory(), solution);
}

bool solve_formed_for_classes(const LcpProblem& problem, const LcpSettings& settings,
                              const std::vector<RowClass>& classes, LcpWorkspace& workspace,
                              LcpSolution& solution) {
  begin_formed(problem, solution);
  return solve_warm(problem, settings, classes, workspace.memory(), solution);
}

LcpSolution solve(const LcpProblem& problem, const LcpSettings& settings,
                  const std::vector<RowClass>& warm_classes) {
  LcpWorkspace workspace;
  LcpSolution solution;
  solve(problem, settings, warm_classes, workspace, solution);
  return solution;
}

}  // namespace jade
