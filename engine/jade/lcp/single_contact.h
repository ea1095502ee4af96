#pragma once

#include <array>
#include <optional>

#include "jade/lcp/lcp_solver.h"

namespace jade::lcp {

/// A unilateral row that feels no other, with at most two tangents: the z-path (see ZPath) in closed form.
///
/// For a given normal force x the tangents are a box with bounds ±μ x, whose forces f_t(x) are unique because A_tt is
/// positive definite; they are piecewise linear in x. Along the path z = −b_n − A_nn x − A_nt f_t(x), so the path ends at
/// the least x with v_n(x) = b_n + A_nn x + A_nt f_t(x) = 0. Marches from x = 0 through the borders of f_t to that x.
struct SingleContact {
  int normal = -1;
  int tangents = 0;
  std::array<int, 2> tangent{-1, -1};

  /// The whole problem as one contact, if that is what it is.
  static std::optional<SingleContact> of(const LcpProblem& problem);
  /// Puts the tangents into an order that does not depend on how the rows were numbered.
  void order_tangents(const LcpProblem& problem);
  /// Writes forces and classes of its rows. False when a pivot is too small to be trusted or the march does not end:
  /// then the general path decides.
  bool solve(const LcpProblem& problem, LcpSolution& solution, int& pivots) const;
  /// Writes the forces of given classes; whether they are valid is for the certificate to say. False when the classes do
  /// not fit the rows, or a pivot is too small.
  bool solve_for(const LcpProblem& problem, const std::vector<RowClass>& classes, VecX& f) const;
};

}  // namespace jade::lcp
