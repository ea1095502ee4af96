#pragma once

#include <vector>

#include "jade/lcp/class_equations.h"
#include "jade/lcp/exact_equations.h"
#include "jade/lcp/few_equations.h"
#include "jade/lcp/lcp_solver.h"

namespace jade::lcp {

/// The classes of an earlier, similar problem, tried on the problem as it stands: one factorisation, one solution,
/// one certificate, and the same again where a few of them are plainly wrong. No islands and no order by content, which take
/// longer than that when contacts are few.
class WarmStart {
 public:
  /// For problems of so many rows, so that none of them has to look for it.
  void make_room(int rows);
  /// Forces of the given classes in `f`. False when their equations have no solution.
  /// A class that does not fit its row (a sticking normal, friction of a separate contact) counts as separate.
  bool solve(const LcpProblem& problem, const std::vector<RowClass>& classes, VecX& f);
  /// The same for the classes that `correct` has left.
  bool solve_corrected(const LcpProblem& problem, VecX& f) {
    given_.swap(corrected_);
    return solve(problem, given_, f);
  }
  /// Puts right the classes that forces and velocities of the last solution contradict by more than `tolerance` σ, and
  /// leaves all others: what nothing pushes would go by its rounding. Returns how many there were.
  int correct(const LcpProblem& problem, const LcpSolution& solution, const VecX& sigma, double tolerance);
  /// Friction of a contact that is held, and firmly, but was given or found to need none sticks: by how little it is needed has
  /// a derivative. False: there is none; otherwise to be solved for again.
  bool hold_parked(const LcpProblem& problem, const VecX& f, const VecX& sigma);
  /// Whether the last solution is of rows that depend on each other and of which some slip: how they share their load matters
  /// then, and `refine` magnifies what is left of a contradiction between them into it.
  bool shares_may_matter() const { return redundant_ && !equations_.rows().slips.empty(); }
  /// Takes what is left of the velocities of the free rows, v, out of f.
  void refine(const VecX& v, VecX& f);
  /// Whether friction stays at its bound for no reason but an earlier slip; the least impulse is to be found anew then.
  bool leaves_stress(const LcpProblem& problem, const LcpSolution& solution, const VecX& sigma,
                     double tolerance);
  /// The classes as they were read.
  const std::vector<RowClass>& classes() const { return classes_; }

 private:
  void read(const LcpProblem& problem, const std::vector<RowClass>& classes);
  void order_free_rows(const LcpProblem& problem, int found, int slipping_normals);
  bool factor(const LcpProblem& problem, bool& redundant);
  void solve_equations(double* r) const;
  bool solve_by_proximal_steps(const LcpProblem& problem);
  void solve_exactly(const LcpProblem& problem);
  void tie(VecX& f);

  std::vector<RowClass> classes_, corrected_, given_;
  std::vector<int> slipping_;    ///< rows: number of the slipping normal while they are read, −1 otherwise
  std::vector<int> candidates_;  ///< free rows, until it is known which of them are normals that slip
  bool parks_ = false;           ///< friction of some contact that is held is none
  bool few_ = false;             ///< who has factored the equations
  bool redundant_ = false;       ///< they depend on each other
  FewEquations few_equations_;
  ClassEquations equations_;
  ExactEquations exact_;
  std::vector<double> x_, step_, before_, weight_;  ///< over the free rows
};

}  // namespace jade::lcp
