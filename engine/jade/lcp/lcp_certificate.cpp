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

/// The certificate of all rows, or of some of them.
struct Verdict {
  double residual = 0;
  int worst_row = 0;
  bool finite = true;     ///< forces and velocities
  bool explained = true;  ///< each force by its own row's velocity
};

/// Without branches: which row is the worst cannot be guessed. The first of several that are equally bad counts.
JADE_INSIDE_LOOPS void judge_row(int i, double force, double v, double sigma, double lo, double hi,
                                 Verdict& verdict) {
  const double target = force - v;
  const double below_hi = target < hi ? target : hi;
  const double error = std::abs(force - (below_hi > lo ? below_hi : lo));
  const double r = error / sigma;  // NaN where nothing is wrong and nothing is there
  const bool worse = r > verdict.residual;
  verdict.residual = worse ? r : verdict.residual;
  verdict.worst_row = worse ? i : verdict.worst_row;
  verdict.finite &= std::abs(target) < std::numeric_limits<double>::infinity();
}

JADE_INSIDE_LOOPS bool all_of(const FourBits& x) { return (x[0] & x[1] & x[2] & x[3]) != 0; }

/// Of two rows the one that is worse, the first of equals; in four places at once.
JADE_INSIDE_LOOPS void take_worse(const Four& other, const FourBits& other_row, Four& residual,
                                  FourBits& row) {
  const FourBits worse = (other > residual) | ((other == residual) & (other_row < row));
  residual = worse ? other : residual;
  row = worse ? other_row : row;
}

/// The first rows of a contact problem, four at a time as far as they go. Returns how many.
JADE_INSIDE_LOOPS int judge_contacts_in_fours(const LcpProblem& p, int n, const double* forces,
                                              const double* v, const double* sigma, const double* beta,
                                              Verdict& verdict) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  static_assert(RowKind{1} == RowKind::tangent);
  static constexpr double kOpen[] = {infinity, 0, infinity};  // by kind: bounded from below only
  const std::ptrdiff_t step = n + 1;
  const LcpRow* row = p.rows.data();
  const double* a = p.A.data();  // walks down the diagonal
  Four residual{};
  FourBits worst{}, here{0, 1, 2, 3}, finite{-1, -1, -1, -1}, explained{-1, -1, -1, -1};
  int i = 0;
  for (; i + 4 <= n; i += 4, row += 4, a += 4 * step, here += 4) {
    const auto normal_of = [&](int l) {
      return forces[row[l].kind == RowKind::tangent ? row[l].normal : i + l];
    };
    const auto open_of = [&](int l) { return kOpen[static_cast<int>(row[l].kind)]; };
    const Four diagonal{a[0], a[step], a[2 * step], a[3 * step]};
    const Four normal{normal_of(0), normal_of(1), normal_of(2), normal_of(3)};
    const Four mu{row[0].mu, row[1].mu, row[2].mu, row[3].mu};
    const Four open{open_of(0), open_of(1), open_of(2), open_of(3)};
    const Four force = diagonal * four_at(forces + i), target = force - four_at(v + i);
    const Four bound = diagonal * (mu * (normal > 0 ? normal : Four{}));
    const Four hi = open > 0 ? open : bound, lo = open > 0 ? Four{} : -bound;
    const Four below_hi = target < hi ? target : hi;
    Four error, force_size, target_size, beta_size;
    take_size(force - (below_hi > lo ? below_hi : lo), error);
    take_size(force, force_size);
    take_size(target, target_size);
    take_size(four_at(beta + i), beta_size);
    const Four r = error / four_at(sigma + i);
    const FourBits worse = r > residual;
    residual = worse ? r : residual;
    worst = worse ? here : worst;
    finite &= target_size < infinity;
    explained &= force_size <= kExplainedImpulse * beta_size;
  }
  take_worse(__builtin_shufflevector(residual, residual, 2, 3, 0, 1),
             __builtin_shufflevector(worst, worst, 2, 3, 0, 1), residual, worst);
  take_worse(__builtin_shufflevector(residual, residual, 1, 0, 3, 2),
             __builtin_shufflevector(worst, worst, 1, 0, 3, 2), residual, worst);
  verdict = {residual[0], static_cast<int>(worst[0]), all_of(finite), all_of(explained)};
  return i;
}

JADE_INSIDE_LOOPS void judge_contact_row(const LcpProblem& p, int i, const double* forces, double v,
                                         double sigma, double beta, Verdict& verdict) {
  const LcpRow& row = p.rows[i];
  const bool tangent = row.kind == RowKind::tangent;
  const double a = p.A(i, i), force = a * forces[i], normal = forces[tangent ? row.normal : i];
  const double bound = a * (row.mu * (normal > 0 ? normal : 0.0));
  const double hi = tangent ? bound : std::numeric_limits<double>::infinity();
  judge_row(i, force, v, sigma, tangent ? -bound : 0, hi, verdict);
  verdict.explained &= std::abs(force) <= kExplainedImpulse * std::abs(beta);
}

JADE_INSIDE_LOOPS void judge_contacts(const LcpProblem& p, int n, const double* forces, const double* v,
                                      const double* sigma, const double* beta, Verdict& verdict) {
  int i = n < 4 ? 0 : judge_contacts_in_fours(p, n, forces, v, sigma, beta, verdict);
  for (; i < n; ++i) judge_contact_row(p, i, forces, v[i], sigma[i], beta[i], verdict);
}

/// The rows of one contact: three, known to the compiler.
constexpr int kRowsOfAContact = 3;
Verdict judge_one_contact(const LcpProblem& p, const double* forces, double* v, double* sigma) {
  const double *A = p.A.data(), *b = p.b.data(), *beta = p.beta.size() > 0 ? p.beta.data() : b;
  Verdict verdict;
  for (int i = 0; i < kRowsOfAContact; ++i) {
    double velocity = b[i], size = std::abs(beta[i]);
    for (int j = 0; j < kRowsOfAContact; ++j) {
      const double term = A[j * kRowsOfAContact + i] * forces[j];
      velocity += term;
      size += std::abs(term);
    }
    v[i] = velocity;
    sigma[i] = size;
    judge_contact_row(p, i, forces, velocity, size, beta[i], verdict);
  }
  return verdict;
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

namespace {

/// `kRows` is the number of rows where it is known to the compiler, 0 where it is not.
template <int kRows>
JADE_INSIDE_LOOPS double residual_of_rows(const LcpProblem& p, const VecX& f, VecX& v, VecX& sigma,
                                          int& worst_row) {
  const int n = kRows > 0 ? kRows : p.size();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double *vd = v.data(), *sd = sigma.data();
  const double *b = p.b.data(), *beta = p.beta.size() > 0 ? p.beta.data() : b;
  int filled = 0;
  for (; filled + 4 <= n; filled += 4) {
    four_at(vd + filled) = four_at(b + filled);
    take_size(four_at(beta + filled), four_at(sd + filled));
  }
  for (; filled < n; ++filled) {
    vd[filled] = b[filled];
    sd[filled] = std::abs(beta[filled]);
  }
  const double* A = p.A.data();
  const auto column = [&](int j) { return A + static_cast<std::ptrdiff_t>(j) * n; };
  lcp::add_velocities(n, n, column, f.data(), vd, sd);
  Verdict verdict;
  if (p.form == LcpForm::contact) {
    double limit = infinity;
    for (;;) {
      verdict = {};
      judge_contacts(p, n, f.data(), vd, sd, beta, verdict);
      // Usually each row's own velocity explains its force; where it does not, the others are asked.
      if (verdict.explained || limit < infinity) break;
      limit = explained_impulse(n, A, n + 1, beta, f.data());
      if (limit == infinity) break;
      limit_scale(p, f, beta, limit, sigma);
    }
  } else {
    for (int i = 0; i < n; ++i) {
      const double slope = row_slope(p, i);
      const Interval bounds = bounds_of(p, f, i);
      judge_row(i, slope * f[i], vd[i], sd[i], times(slope, bounds.lo), times(slope, bounds.hi), verdict);
    }
  }
  worst_row = n > 0 ? verdict.worst_row : -1;
  // A force or velocity that is not finite never looks valid.
  for (int i = 0; i < n && !verdict.finite; ++i) {
    verdict.finite = !std::isfinite(f[i]) || !std::isfinite(vd[i]);
    worst_row = i;
    verdict.residual = infinity;
  }
  return verdict.residual;
}

JADE_WIDE_LOOPS double residual_of_any(const LcpProblem& p, const VecX& f, VecX& v, VecX& sigma,
                                       int& worst_row) {
  return residual_of_rows<0>(p, f, v, sigma, worst_row);
}

JADE_WIDE_LOOPS double residual_of_box(const LcpProblem& p, const VecX& f, VecX& v, VecX& sigma,
                                       int& worst_row) {
  return residual_of_rows<lcp::kRowsOfABox>(p, f, v, sigma, worst_row);
}

}  // namespace

double certified_residual(const LcpProblem& p, const VecX& f, VecX& v, VecX& sigma, int& worst_row) {
  v.resize(p.size());
  sigma.resize(p.size());
  if (p.size() == kRowsOfAContact && p.form == LcpForm::contact) {
    const Verdict verdict = judge_one_contact(p, f.data(), v.data(), sigma.data());
    worst_row = verdict.worst_row;
    const double* beta = p.beta.size() > 0 ? p.beta.data() : p.b.data();
    if (verdict.finite &&
        (verdict.explained ||
         explained_impulse(kRowsOfAContact, p.A.data(), kRowsOfAContact + 1, beta, f.data()) == HUGE_VAL))
      return verdict.residual;
  }
  return p.size() == lcp::kRowsOfABox ? residual_of_box(p, f, v, sigma, worst_row)
                                      : residual_of_any(p, f, v, sigma, worst_row);
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
