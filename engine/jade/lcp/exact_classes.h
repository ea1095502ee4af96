#pragma once

#include "jade/lcp/exact_equations.h"

namespace jade::lcp {

/// Newton's method on classes with equations that have no compliance. Rows of a problem may depend on each other up to an angle
/// of 1e-4 or less: its square is an eigenvalue of K that proximal steps of ε = 1e-6 hardly see. They leave its
/// velocity, valid as far as a tolerance goes, but with forces, and slopes of the answer, that are those of the compliance. Here
/// all of them are solved for: see ExactEquations.
class ExactClasses {
 public:
  /// From the forces and classes of an answer that is nearly valid. True when the residual fell to `target`; otherwise the state
  /// is not to be used.
  bool solve(const ContactIsland& island, double target, int max_steps, IslandState& state);
  /// Where proximal steps have left something. Of redundant rows that contradict each other in their last digits they magnify
  /// the contradiction by 1/ε into how the rows share their load, which turns what slips in several directions; of rows that
  /// nearly depend on each other they leave a part of the mode. Here what contradicts itself is met in the mean, and has no
  /// part in the shares. Where a mode of nearly dependent rows cannot be met by any forces that these classes allow it is left to
  /// the mean as well, as far as a compliance leaves it. Same classes; true when the answer is valid to `tolerance`, otherwise the
  /// state is not to be used.
  bool solve_shares(const ContactIsland& island, double tolerance, IslandState& state);

 private:
  bool factor(const ContactIsland& island, const IslandState& state);
  bool solve_shares(const ContactIsland& island, double tolerance, ExactEquations& equations,
                    IslandState& state);
  void refine(const ContactIsland& island, double target, IslandState& state);
  /// f by what takes the velocities of the free rows away
  void correct(ExactEquations& equations, IslandState& state);

  ClassRows rows_;
  ExactEquations equations_, compliant_{ClassInverse::kCompliant};
  std::vector<double> r_;
};

}  // namespace jade::lcp
