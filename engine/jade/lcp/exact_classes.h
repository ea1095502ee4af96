#pragma once

#include "jade/lcp/class_inverse.h"
#include "jade/lcp/island_state.h"

namespace jade::lcp {

/// Newton's method on classes with equations that have no compliance. Rows of a problem may depend on each other up to an angle
/// of 1e-4 or less: its square is an eigenvalue of K that proximal steps of ε = 1e-6 hardly see. They leave its
/// velocity, valid as far as a tolerance goes, but with forces, and slopes of the answer, that are those of the compliance. Here
/// every mode down to what rounding leaves of dependent rows is solved for (ClassInverse); dependent ones keep the
/// shares that a vanishing compliance gives them.
class ExactClasses {
 public:
  /// From the forces and classes of an answer that is nearly valid. True when the residual fell to `target`; otherwise the state
  /// is not to be used.
  bool solve(const ContactIsland& island, double target, int max_steps, IslandState& state);
  /// Where redundant rows contradict each other in their last digits and some slip: proximal steps magnify the contradiction
  /// by 1/ε into how the rows share their load, which turns what slips in several directions. Here what contradicts
  /// itself is met in the mean, and has no part in the shares. Same classes; true when the answer is valid to `tolerance`,
  /// otherwise the state is not to be used.
  bool solve_shares(const ContactIsland& island, double tolerance, IslandState& state);

 private:
  bool factor(const ContactIsland& island, const IslandState& state);
  void refine(const ContactIsland& island, double target, IslandState& state);
  void correct(IslandState& state);  ///< f by what takes the velocities of the free rows away

  ClassInverse inverse_;
  RowMatX K_, r_;
  VecX W_;
  std::vector<int> free_;
};

}  // namespace jade::lcp
