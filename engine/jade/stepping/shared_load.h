#pragma once

#include <vector>

#include "jade/lcp/lcp_solver.h"

namespace jade {

/// Which of many forces a solved problem is differentiated at, where rows depend on each other; the step itself does not ask.

/// Whether a row at rest follows from others at rest: corners of one face, say. Which of them are said to carry nothing, or
/// to slip at no speed, does not matter then: they can share their load in another way at the same velocities.
/// Friction is no substitute for a normal: what sticks to the floor and touches a wall without a load is at rest, but moved into the
/// wall it is pushed out, and the floor gives way.
bool is_redundant(const LcpProblem& problem, const LcpSolution& solution, const VecX& sigma, int row);

/// The same motion with its load shared by all rows that rest. A normal that carries nothing and yet does not open, as of
/// the other two corners of a box that was found to stand on a diagonal, is as good as one that carries: if there are forces
/// of which all carry, nothing is at a kink, and the classes of these are those that a nudge leaves as they are.
/// What opens by more than rounding does not rest, however slowly: where the lowest place of a rim travels and the other
/// places of its face do not, some of them let go by the square of what it travels. `gap_rounding`: what is not known of how
/// fast gaps are to close [m/s].
/// False: there are none.
bool share_load(const LcpProblem& problem, LcpSolution& solution, double gap_rounding);

/// Friction may be at its bound where nothing slips: of redundant contacts some bear less than others could, and their friction
/// with it; and a box between a floor and what slides over it in an impact, with the same friction on both, is held by just as
/// much as it takes, however it is nudged. Whether these rows are said to stick or to slip at no speed is nothing to the problem,
/// but to its derivative: they stick.
void hold_what_rests(const LcpProblem& problem, const LcpSolution& solution, std::vector<RowClass>& classes);

/// Redundant normals share a load as a vanishing compliance lets them, unless some of them would have to pull: these carry nothing,
/// and whether they are said to touch or to leave is nothing to the problem. To its derivative it is: others bear the load without
/// them, and those that a nudge makes bear another one do so too.
void release_what_carries_nothing(const LcpProblem& problem, const LcpSolution& solution,
                                  std::vector<RowClass>& classes);

/// What rows that hold are left with, A f + b, where they contradict each other: see ForcesTrace::missed.
VecX missed_by_classes(const LcpProblem& problem, const std::vector<RowClass>& classes, const VecX& f);

}  // namespace jade
