#pragma once

#include <vector>

#include "jade/lcp/class_equations.h"
#include "jade/lcp/class_tableau.h"
#include "jade/lcp/contact_island.h"
#include "jade/lcp/copositive_form.h"
#include "jade/lcp/island_state.h"
#include "jade/lcp/z_path.h"

namespace jade::lcp {

/// Everything the methods for one island need, kept from call to call.
struct IslandWorkspace {
  ClassTableau tableau;
  ClassEquations equations;
  ZPath path;
  Lemke<double> lemke;
  Lemke<Quad> quad_lemke;
  std::vector<double> scratch;
  IslandState best;   ///< the least invalid answer so far
  IslandState trial;  ///< an answer under trial
};

/// What a method did with one island.
struct IslandReport {
  bool solved = false;
  const char* stage = "";
  LcpSelection selection = LcpSelection::none;
  int pivots = 0;
  double regularisation = 0;  ///< ε of the solution that is handed back when nothing valid was found
};

/// Each method leaves its answer in `state`. `target` is the residual to reach.
IslandReport solve_by_ladder(const LcpProblem& problem, const ContactIsland& island,
                             const LcpSettings& settings, bool warm, IslandWorkspace& workspace,
                             IslandState& state);
IslandReport solve_by_lemke(const ContactIsland& island, const LcpSettings& settings,
                            IslandWorkspace& workspace, IslandState& state);
IslandReport solve_by_dantzig(const ContactIsland& island, const LcpSettings& settings,
                              IslandWorkspace& workspace, IslandState& state);
IslandReport solve_by_ergodic_search(const ContactIsland& island, const LcpSettings& settings,
                                     IslandWorkspace& workspace, IslandState& state);
IslandReport solve_by_pgs(const ContactIsland& island, const LcpSettings& settings, IslandState& state);

}  // namespace jade::lcp
