#pragma once

#include <vector>

#include "jade/lcp/class_equations.h"
#include "jade/lcp/class_tableau.h"
#include "jade/lcp/contact_island.h"
#include "jade/lcp/copositive_form.h"
#include "jade/lcp/exact_classes.h"
#include "jade/lcp/island_state.h"
#include "jade/lcp/z_path.h"

namespace jade::lcp {

/// Everything the methods for one island need, kept from call to call.
struct IslandWorkspace {
  ClassTableau tableau;
  ClassEquations equations;
  ExactClasses exact;
  ZPath path;
  Lemke<double> lemke;
  Lemke<Quad> quad_lemke;
  std::vector<double> scratch;
  IslandState best;   ///< the least invalid answer so far
  IslandState trial;  ///< an answer under trial
};

/// Judges the forces of an island that is the whole problem by the certificate of the solution itself, so that A f
/// is not formed twice.
struct WholeProblem {
  const LcpProblem& problem;
  LcpSolution& solution;
  VecX& sigma;

  double residual_of(const ContactIsland& island, const IslandState& state) const;
};

/// What a method did with one island.
struct IslandReport {
  bool solved = false;
  const char* stage = "";
  LcpSelection selection = LcpSelection::none;
  int pivots = 0;
  bool certified = false;  ///< the certificate of the solution is that of the forces in `state`
};

/// Each method leaves its answer in `state`. `target` is the residual to reach.
struct LadderTask {
  const LcpProblem& problem;
  const ContactIsland& island;
  const LcpSettings& settings;
  bool warm = false;                    ///< the classes in the state are worth a try
  const WholeProblem* whole = nullptr;  ///< when the island is the whole problem
  bool compliant =
      false;  ///< A has compliance of its own: there is a solution, though forces follow the rung's
};
IslandReport solve_by_ladder(const LadderTask& task, IslandWorkspace& workspace, IslandState& state);
IslandReport solve_by_lemke(const ContactIsland& island, const LcpSettings& settings,
                            IslandWorkspace& workspace, IslandState& state);
IslandReport solve_by_dantzig(const ContactIsland& island, const LcpSettings& settings,
                              IslandWorkspace& workspace, IslandState& state);
IslandReport solve_by_ergodic_search(const ContactIsland& island, const LcpSettings& settings,
                                     IslandWorkspace& workspace, IslandState& state);
IslandReport solve_by_pgs(const ContactIsland& island, const LcpSettings& settings, IslandState& state);

}  // namespace jade::lcp
