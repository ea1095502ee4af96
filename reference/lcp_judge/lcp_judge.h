#pragma once

#include <string_view>

#include "jade/lcp/lcp_problem.h"

namespace jade::reference {

/// What is wrong with a claimed solution, at its worst row.
enum class LcpFault {
  none,
  wrong_size,                ///< not one number a row
  not_finite,                ///< NaN or infinity
  penetrating_velocity,      ///< normal or limit row: v < 0
  pulling_force,             ///< normal or limit row: f < 0
  pushing_while_separating,  ///< normal or limit row: f > 0 and v > 0
  outside_friction_bound,    ///< tangent row: |f| > μ f_n
  slipping_below_bound,      ///< tangent row: |f| < μ f_n and v ≠ 0
  pushing_along_slip,        ///< tangent row: |f| = μ f_n, but friction and slip point the same way
  outside_box,               ///< boxed row: x < lo or x > hi
  wrong_side_of_box,         ///< boxed row: w has the wrong sign for where x is
};

/// In words, e.g. "penetrating velocity".
std::string_view name_of(LcpFault fault);

struct LcpJudgement {
  bool valid = false;
  double residual = 0;  ///< max r over the rows; infinity when the answer is not finite or has the wrong size
  int worst_row = -1;
  LcpFault fault = LcpFault::none;  ///< of the worst row; none when valid
};

struct JudgeSettings {
  /// On the residual. Rounding of a good solver is 1e-13 and below, a wrong class shows at 1e-6 and above.
  double tolerance = 1e-10;
  double regularisation = 0;  ///< ε: judge the answer against A + εI instead of A
};

/// Whether f solves the problem, free of units, and if not, why.
///   w   = A f + b
///   σ_i = β_i + Σ_j |A_ij| min(|f_j|, φ_j)            β = |b| when the problem gives none
///   φ_j = 1e8 max_k(β_k / √A_kk) / √A_jj              contact problems; no bound in others
///   normal, limit:  r = |min(a_i f_i, w_i)| / σ_i
///   tangent:        r = |a_i f_i − clamp(a_i f_i − w_i, ±a_i μ max(f_n, 0))| / σ_i
///   boxed:          the same with lo ≤ x ≤ hi, which scale with max(x_findex, 0) when findex ≥ 0
///   a_i = A_ii in contact problems; where A_ii is not positive in a plain or boxed one, max_j |A_ij| (1 if
///   that is zero), since x_i > 0 together with w_i > 0 must show there too. A row with σ_i = 0 has r = 0: everything in it is zero.
/// φ: √A_jj |f_j| is an impulse measured by the kinetic energy it can give, β_k / √A_kk bounds from below what the
/// bodies had; a force that is 1e8 times beyond comes from pressing contacts against each other, and must not excuse
/// errors of its own size.
/// All in long double with 64 bits or more: the rounding of r is below n 2⁻⁶³, six decades under the tolerance.
/// Written apart from the engine's own certificate, so that a mistake would have to be made twice.
[[nodiscard]] LcpJudgement judge(const LcpProblem& problem, const VecX& f,
                                 const JudgeSettings& settings = {});

}  // namespace jade::reference
