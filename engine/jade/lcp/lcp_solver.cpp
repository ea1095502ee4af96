#include "jade/lcp/lcp_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "jade/lcp/contact_methods.h"
#include "jade/lcp/lcp_certificate.h"

namespace jade {

struct LcpWorkspace::Memory {
  lcp::IslandSplitter splitter;
  lcp::ContactIsland island;
  lcp::IslandWorkspace island_workspace;
  lcp::IslandState state;
  LcpProblem contact;  ///< a boxed problem that turned out to be one of contacts
  VecX sigma;
};

LcpWorkspace::LcpWorkspace() : memory_(std::make_unique<Memory>()) {}
LcpWorkspace::~LcpWorkspace() = default;
LcpWorkspace::LcpWorkspace(LcpWorkspace&&) noexcept = default;
LcpWorkspace& LcpWorkspace::operator=(LcpWorkspace&&) noexcept = default;

namespace {

using lcp::IslandReport;

IslandReport solve_island(const LcpProblem& problem, const LcpSettings& settings, bool warm,
                          LcpWorkspace::Memory& memory) {
  switch (settings.method) {
    case LcpMethod::pgs:
      return lcp::solve_by_pgs(memory.island, settings, memory.state);
    case LcpMethod::dantzig:
    case LcpMethod::ergodic:
    case LcpMethod::jade:
      break;
    case LcpMethod::lemke:
      return lcp::solve_by_lemke(memory.island, settings, memory.island_workspace, memory.state);
  }
  return lcp::solve_by_ladder(problem, memory.island, settings, warm, memory.island_workspace, memory.state);
}

/// Forces and classes of rows that no force can move.
void settle_inert_rows(const LcpProblem& problem, LcpSolution& solution) {
  for (int i = 0; i < problem.size(); ++i) {
    if (problem.A(i, i) > 0) continue;
    const LcpRow& row = problem.rows[i];
    if (row.kind != RowKind::tangent) continue;
    const double normal_force = solution.f[row.normal];
    if (solution.classes[row.normal] == RowClass::separate) continue;
    // Friction opposes a velocity that it cannot change.
    solution.classes[i] = problem.b[i] > 0   ? RowClass::low
                          : problem.b[i] < 0 ? RowClass::high
                                             : RowClass::stick;
    if (problem.b[i] != 0) solution.f[i] = (problem.b[i] > 0 ? -1 : 1) * row.mu * normal_force;
  }
}

void solve_contacts(const LcpProblem& problem, const LcpSettings& settings,
                    const std::vector<RowClass>& warm_classes, LcpWorkspace::Memory& memory,
                    LcpSolution& solution) {
  const int n = problem.size();
  const bool warm = settings.warm_start && static_cast<int>(warm_classes.size()) == n;
  lcp::ContactIsland& island = memory.island;
  const int islands = memory.splitter.split(problem);
  // Nothing to solve is solved by the rule: no force at all.
  solution.stage = "at rest";
  solution.selection = LcpSelection::least_impulse;
  for (int k = 0; k < islands; ++k) {
    memory.splitter.extract(problem, k, island);
    memory.state.resize(island.n);
    if (warm) {
      for (int i = 0; i < island.n; ++i) memory.state.classes[i] = warm_classes[island.row[i]];
    }
    const IslandReport report = solve_island(problem, settings, warm, memory);
    solution.pivots += report.pivots;
    solution.regularisation = std::max(solution.regularisation, report.regularisation);
    if (k == 0 || report.selection == LcpSelection::none ||
        (solution.selection != LcpSelection::none && report.selection > solution.selection)) {
      solution.stage = report.stage;
      solution.selection = report.selection;
    }
    for (int i = 0; i < island.n; ++i) {
      solution.f[island.row[i]] = island.scale[i] * memory.state.f[i];
      solution.classes[island.row[i]] = memory.state.classes[i];
    }
  }
  settle_inert_rows(problem, solution);
}

}  // namespace

void solve(const LcpProblem& problem, const LcpSettings& settings, const std::vector<RowClass>& warm_classes,
           LcpWorkspace& workspace, LcpSolution& solution) {
  if (!is_sound(problem)) throw InvalidInput("complementarity problem", check_problem(problem));
  const int n = problem.size();
  LcpWorkspace::Memory& memory = workspace.memory();
  solution.f.setZero(n);
  solution.classes.assign(n, RowClass::separate);
  solution.pivots = 0;
  solution.regularisation = 0;
  solve_contacts(problem, settings, warm_classes, memory, solution);

  solution.certificate.residual =
      certified_residual(problem, solution.f, solution.v, memory.sigma, solution.certificate.worst_row);
  put_into_words(problem, solution.f, solution.v, memory.sigma, solution.certificate);
  solution.status =
      solution.certificate.residual <= settings.tolerance ? LcpStatus::solved : LcpStatus::no_solution_found;
}

LcpSolution solve(const LcpProblem& problem, const LcpSettings& settings,
                  const std::vector<RowClass>& warm_classes) {
  LcpWorkspace workspace;
  LcpSolution solution;
  solve(problem, settings, warm_classes, workspace, solution);
  return solution;
}

}  // namespace jade
