#include "jade/lcp/lcp_certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/lcp/dense_kernels.h"
#include "jade/lcp/lcp_solver.h"

namespace jade {
namespace {

/// Residuals above this are put into words; below it a row counts as valid (the default of LcpSettings).
constexpr double kSpeakAbove = 1e-10;

/// The slope that turns a force into a velocity of the row's own size. A_ii where that is positive, as in every
/// contact problem; plain problems may have A_ii ≤ 0 and then take the largest entry of the row, or 1.
double row_slope(const LcpProblem& p, int i) {
  const double diagonal = p.A(i, i);
  if (diagonal > 0 || p.form == LcpForm::contact) return diagonal;
  const double largest = p.A.row(i).cwiseAbs().maxCoeff();
  return largest > 0 ? largest : 1;
}

struct Interval {
  double lo, hi;
};

double times(double coefficient, double force) {
  return coefficient == 0 || force == 0 ? 0 : coefficient * force;  // ±∞ · 0 is 0 here
}

/// The bounds of x_i given all other forces.
Interval bounds_of(const LcpProblem& p, const VecX& f, int i) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (p.form == LcpForm::plain) return {0, inf};
  if (p.form == LcpForm::contact) {
    const LcpRow& row = p.rows[i];
    if (row.kind != RowKind::tangent) return {0, inf};
    const double bound = row.mu * std::max(f[row.normal], 0.0);
    return {-bound, bound};
  }
  const int j = p.findex.empty() ? -1 : p.findex[i];
  if (j < 0) return {p.lo[i], p.hi[i]};
  const double driver = std::max(f[j], 0.0);
  return {times(p.lo[i], driver), times(p.hi[i], driver)};
}

const char* words(const Interval& bounds, double slack, double x, double w) {
  const bool unilateral = bounds.lo == 0 && bounds.hi == std::numeric_limits<double>::infinity();
  if (unilateral) {
    if (x < -slack) return "pulling force";
    if (w < 0) return "penetrating velocity";
    return "force on a separating row";
  }
  if (x > bounds.hi + slack || x < bounds.lo - slack) return "outside the friction bound";
  if (x < bounds.hi - slack && x > bounds.lo + slack) return "slipping below the bound";
  return "friction along the slip";
}

/// σ with forces counted only as far as the problem explains them.
void limit_scale(const LcpProblem& p, const VecX& f, const double* beta, double limit, VecX& sigma) {
  const int n = p.size();
  for (int i = 0; i < n; ++i) sigma[i] = std::abs(beta[i]);
  for (int j = 0; j < n; ++j) {
    const double a = p.A(j, j);
    if (f[j] == 0 || !(a > 0)) continue;
    sigma += std::min(std::abs(f[j]), std::sqrt(limit / a)) * p.A.col(j).cwiseAbs();
  }
}

}  // namespace

double explained_impulse(int n, const double* diagonal, long step, const double* beta, const double* f) {
  constexpr double factor = kExplainedImpulse * kExplainedImpulse;
  double largest = 0;
  int row = 0;
  for (int i = 0; i < n; ++i) {
    const double impulse = diagonal[i * step] * f[i] * f[i];
    row = impulse > largest ? i : row;
    largest = impulse > largest ? impulse : largest;
  }
  // Usually the row's own velocity explains its force.
  if (largest == 0 || largest * diagonal[row * step] <= factor * beta[row] * beta[row]) return HUGE_VAL;
  double known = 0;
  for (int i = 0; i < n; ++i) {
    const double a = diagonal[i * step];
    if (a > 0) known = std::max(known, beta[i] * beta[i] / a);
  }
  return largest <= factor * known ? HUGE_VAL : factor * known;
}

JADE_WIDE_LOOPS double certified_residual(const LcpProblem& p, const VecX& f, VecX& v, VecX& sigma,
                                          int& worst_row) {
  const int n = p.size();
  const double infinity = std::numeric_limits<double>::infinity();
  worst_row = n > 0 ? 0 : -1;
  v.resize(n);
  sigma.resize(n);
  double* __restrict vd = v.data();
  double* __restrict sd = sigma.data();
  const double *b = p.b.data(), *beta = p.beta.size() > 0 ? p.beta.data() : b;
  for (int i = 0; i < n; ++i) {
    vd[i] = b[i];
    sd[i] = std::abs(beta[i]);
  }
  const double* A = p.A.data();
  const auto column = [&](int j) { return A + static_cast<std::ptrdiff_t>(j) * n; };
  lcp::add_velocities(n, n, column, f.data(), vd, sd);
  if (p.form == LcpForm::contact) {
    const double limit = explained_impulse(n, A, n + 1, beta, f.data());
    if (limit < infinity) limit_scale(p, f, beta, limit, sigma);
  }
  // Without branches: which row is the worst cannot be guessed.
  double residual = 0;
  bool finite = true;
  const auto judge = [&](int i, double force, double lo, double hi) {
    const double target = force - vd[i];
    const double below_hi = target < hi ? target : hi;
    const double error = std::abs(force - (below_hi > lo ? below_hi : lo));
    const double r = error / sd[i];  // NaN where nothing is wrong and nothing is there
    const bool worse = r > residual;
    residual = worse ? r : residual;
    worst_row = worse ? i : worst_row;
    finite &= std::abs(target) < infinity;
  };
  if (p.form == LcpForm::contact) {
    const LcpRow* rows = p.rows.data();
    const double* forces = f.data();
    const double* diagonal = A;
    for (int i = 0; i < n; ++i, diagonal += n + 1) {
      const bool tangent = rows[i].kind == RowKind::tangent;
      const double normal = forces[tangent ? rows[i].normal : i];
      const double bound = *diagonal * (rows[i].mu * (normal > 0 ? normal : 0.0));
      judge(i, *diagonal * forces[i], tangent ? -bound : 0, tangent ? bound : infinity);
    }
  } else {
    for (int i = 0; i < n; ++i) {
      const double slope = row_slope(p, i);
      const Interval bounds = bounds_of(p, f, i);
      judge(i, slope * f[i], times(slope, bounds.lo), times(slope, bounds.hi));
    }
  }
  // A force or velocity that is not finite never looks valid.
  for (int i = 0; i < n && !finite; ++i) {
    finite = !std::isfinite(f[i]) || !std::isfinite(vd[i]);
    worst_row = i;
    residual = infinity;
  }
  return residual;
}

void put_into_words(const LcpProblem& p, const VecX& f, const VecX& v, const VecX& sigma,
                    LcpCertificate& certificate) {
  const int i = certificate.worst_row;
  if (certificate.residual <= kSpeakAbove || i < 0) {
    certificate.why = "valid";
  } else if (!std::isfinite(f[i]) || !std::isfinite(v[i])) {
    certificate.why = "not finite";
  } else {
    const double slack = 1e-9 * sigma[i] / row_slope(p, i);
    certificate.why = words(bounds_of(p, f, i), slack, f[i], v[i]);
  }
}

LcpCertificate certify(const LcpProblem& problem, const VecX& f) {
  LcpCertificate certificate;
  if (f.size() != problem.size()) {
    certificate.residual = std::numeric_limits<double>::infinity();
    certificate.why = "wrong number of forces";
    return certificate;
  }
  VecX v, sigma;
  certificate.residual = certified_residual(problem, f, v, sigma, certificate.worst_row);
  put_into_words(problem, f, v, sigma, certificate);
  return certificate;
}

}  // namespace jade
