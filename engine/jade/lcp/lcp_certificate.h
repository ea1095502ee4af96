#pragma once

#include "jade/lcp/lcp_solver.h"

namespace jade {

/// The number of the certificate (see LcpCertificate), with v = A f + b and σ as it goes; allocates nothing once
/// v and sigma have the right size. Plain rows with A_ii ≤ 0 take the largest |A_ij| of the row in its place.
double certified_residual(const LcpProblem& problem, const VecX& f, VecX& v, VecX& sigma, int& worst_row);

/// Γ of the certificate.
inline constexpr double kExplainedImpulse = 1e8;

/// (Γ max_k β_k / √A_kk)², which A_jj f_j² must not exceed, or infinity when no force does. Three arrays of n numbers,
/// the diagonal of A `step` doubles apart.
double explained_impulse(int n, const double* diagonal, long step, const double* beta, const double* f);

/// Says in words what is wrong with the worst row.
void put_into_words(const LcpProblem& problem, const VecX& f, const VecX& v, const VecX& sigma,
                    LcpCertificate& certificate);

}  // namespace jade
