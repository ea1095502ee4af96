#include "jade/lcp/plain_forms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/LU>

namespace jade::lcp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// 0 ≤ y ⟂ M y + q ≥ 0 with x = shift + T y.
struct PlainForm {
  MatX M;
  VecX q;
  MatX T;
  VecX shift;
};

struct Bounds {
  double lo, hi;
  int driver;  ///< −1: constant
};

Bounds bounds_of(const LcpProblem& p, int i) {
  if (p.form == LcpForm::plain) return {0, kInfinity, -1};
  return {p.lo[i], p.hi[i], p.findex.empty() ? -1 : p.findex[i]};
}

/// How many unknowns a row needs, and whether it has a row λ for its second bound.
int unknowns_of(const Bounds& b) { return b.lo == -kInfinity && b.hi == kInfinity ? 2 : 1; }
bool has_second_bound(const Bounds& b) { return b.lo > -kInfinity && b.hi < kInfinity; }

PlainForm plain_form_of(const LcpProblem& p) {
  const int n = p.size();
  int ny = 0, nl = 0;
  for (int i = 0; i < n; ++i) {
    ny += unknowns_of(bounds_of(p, i));
    nl += has_second_bound(bounds_of(p, i));
  }
  PlainForm form{MatX::Zero(ny + nl, ny + nl), VecX::Zero(ny + nl), MatX::Zero(n, ny + nl), VecX::Zero(n)};
  MatX dual = MatX::Zero(ny + nl, n);  // rows of y take the velocity with the sign of their column in T
  // Rows with constant bounds first: the moving bounds of the others refer to them.
  int y = 0, l = ny;
  for (const bool moving : {false, true}) {
    for (int i = 0; i < n; ++i) {
      const Bounds b = bounds_of(p, i);
      if ((b.driver >= 0) != moving) continue;
      const double sign = b.lo > -kInfinity ? 1 : -1;
      const double base = b.lo > -kInfinity ? b.lo : b.hi < kInfinity ? b.hi : 0;
      if (b.driver < 0) {
        form.shift[i] = base;
      } else if (base != 0) {
        form.T.row(i) = base * form.T.row(b.driver);
        form.shift[i] = base * form.shift[b.driver];
      }
      form.T(i, y) = dual(y, i) = sign;
      if (has_second_bound(b)) {
        // 0 ≤ λ ⟂ (hi − lo)·(1 or x_driver) − y ≥ 0, and λ pushes against y's velocity.
        form.M(y, l) = 1;
        form.M(l, y) = -1;
        const double width = b.hi - b.lo;
        form.q[l] = b.driver < 0 ? width : width * form.shift[b.driver];
        if (b.driver >= 0) form.M.row(l) += width * form.T.row(b.driver);
        ++l;
      }
      ++y;
      if (unknowns_of(b) == 2) {
        form.T(i, y) = dual(y, i) = -sign;
        ++y;
      }
    }
  }
  form.M += dual * p.A * form.T;
  form.q += dual * (p.A * form.shift + p.b);
  return form;
}

double power_of_two_near(double size) {
  return size > 0 && std::isfinite(size) ? std::exp2(std::ilogb(size)) : 1;
}

template <class Real>
typename Lemke<Real>::Outcome run_lemke(const MatX& M, const VecX& q, double tolerance, VecX& x,
                                        int& pivots) {
  const int n = static_cast<int>(q.size());
  const double m_size = power_of_two_near(M.cwiseAbs().maxCoeff());
  const double q_size = power_of_two_near(q.cwiseAbs().maxCoeff());
  Lemke<Real> lemke;
  lemke.resize(n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) lemke.M(i, j) = Real(M(i, j) / m_size);
    lemke.q(j) = Real(q[j] / q_size);
  }
  // Murty's example needs 2ⁿ pivots; anything that grows slower than that fits easily.
  const auto outcome = lemke.run({.pivot_tolerance = tolerance, .max_pivots = 100000 + 100 * n});
  pivots += lemke.pivots();
  x.resize(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<double>(lemke.x(i)) * (q_size / m_size);
  return outcome;
}

/// min z over x, z ≥ 0 with A x + b + z ≥ 0, through its optimality conditions; its dual y proves infeasibility.
bool proven_infeasible(const MatX& A, const VecX& b, int& pivots) {
  const int n = static_cast<int>(b.size());
  const double a_size = power_of_two_near(A.cwiseAbs().maxCoeff()),
               b_size = power_of_two_near(b.cwiseAbs().maxCoeff());
  MatX B(n, n + 1);
  B << A / a_size, VecX::Ones(n);
  MatX M = MatX::Zero(2 * n + 1, 2 * n + 1);
  M.topRightCorner(n + 1, n) = -B.transpose();
  M.bottomLeftCorner(n, n + 1) = B;
  VecX q = VecX::Zero(2 * n + 1);
  q[n] = 1;
  q.tail(n) = b / b_size;
  VecX solution;
  if (run_lemke<double>(M, q, 1e-12, solution, pivots) != Lemke<double>::Outcome::solved) return false;
  const VecX y = solution.tail(n);
  // Rounding of n terms of size one against a gap that is really there.
  const double slack = 1e-10;
  return y.minCoeff() >= 0 && (B.leftCols(n).transpose() * y).maxCoeff() <= slack &&
         y.dot(b / b_size) < -100 * slack * (1 + y.sum());
}

/// Lemke's path decides nothing when it ends in a ray. The classical case is a bimatrix game as w = M x − 1,
/// M = [0 A; Bᵀ 0] ≥ 0: it has a solution, but M_ii = 0 and M ≥ 0 let the first row that enters move nothing towards a
/// border, so that with every covering vector the first step is the ray. Where rows are few one may look at all
/// complementary bases: x_S = −M_SS⁻¹ q_S for every subset S.
template <class Valid>
bool found_by_enumeration(const MatX& M, const VecX& q, const Valid& valid) {
  constexpr int kFewRows = 14;  // 16,384 subsets take about as many microseconds
  const int n = static_cast<int>(q.size());
  if (n > kFewRows) return false;
  std::vector<int> rows;
  for (unsigned subset = 1; subset < 1u << n; ++subset) {
    rows.clear();
    for (int i = 0; i < n; ++i) {
      if (subset >> i & 1) rows.push_back(i);
    }
    VecX y = VecX::Zero(n);
    const MatX basis = M(rows, rows);
    const VecX right = -q(rows), part = basis.partialPivLu().solve(right);
    y(rows) = part;
    if (y.allFinite() && y.minCoeff() >= 0 && valid(y)) return true;
  }
  return false;
}

}  // namespace

PlainOutcome solve_plain_or_boxed(const LcpProblem& problem, const LcpSettings& settings, VecX& x) {
  PlainOutcome result;
  const PlainForm form = plain_form_of(problem);
  const auto valid = [&](const VecX& y) {
    x = form.shift + form.T * y;
    return certify(problem, x).residual <= settings.tolerance;
  };
  VecX y;
  const auto in_double = run_lemke<double>(form.M, form.q, 1e-12, y, result.pivots);
  if (valid(y)) return {LcpStatus::solved, "lemke", result.pivots};
  const auto in_quad = run_lemke<Quad>(form.M, form.q, 1e-26, y, result.pivots);
  if (valid(y)) return {LcpStatus::solved, "lemke quad", result.pivots};
  const bool ray = in_double == Lemke<double>::Outcome::ray || in_quad == Lemke<Quad>::Outcome::ray;
  result.stage = "lemke";
  if (problem.form == LcpForm::plain && proven_infeasible(form.M, form.q, result.pivots)) {
    result.status = LcpStatus::infeasible;
    return result;
  }
  const VecX before = x;
  if (found_by_enumeration(form.M, form.q, valid)) return {LcpStatus::solved, "enumeration", result.pivots};
  x = before;
  if (ray) result.status = LcpStatus::ray;
  return result;
}

PlainOutcome pgs_on_plain_or_boxed(const LcpProblem& p, const LcpSettings& settings, VecX& x) {
  const int n = p.size();
  x = VecX::Zero(n);
  VecX w = p.b;
  PlainOutcome result{.stage = "pgs"};
  for (int i = 0; i < n; ++i) {
    const Bounds b = bounds_of(p, i);
    if (b.driver < 0) x[i] = std::clamp(0.0, b.lo, b.hi);
  }
  w += p.A * x;
  for (int iteration = 0; iteration < settings.pgs_iterations; ++iteration) {
    ++result.pivots;
    double moved = 0;
    for (int i = 0; i < n; ++i) {
      if (!(p.A(i, i) > 0)) continue;
      const Bounds b = bounds_of(p, i);
      const double driver = b.driver < 0 ? 1 : std::max(x[b.driver], 0.0);
      const double lo = driver == 0 ? 0 : b.lo * driver, hi = driver == 0 ? 0 : b.hi * driver;
      const double after = std::clamp(x[i] - w[i] / p.A(i, i), lo, hi);
      if (!std::isfinite(after)) return result;
      w += (after - x[i]) * p.A.col(i);
      moved = std::max(moved, std::abs(after - x[i]));
      x[i] = after;
    }
    if (moved == 0) break;
  }
  return result;
}

void classify_plain_or_boxed(const LcpProblem& p, const VecX& x, const VecX& w,
                             std::vector<RowClass>& classes) {
  for (int i = 0; i < p.size(); ++i) {
    const Bounds b = bounds_of(p, i);
    const double driver = b.driver < 0 ? 1 : std::max(x[b.driver], 0.0);
    const double lo = driver == 0 ? 0 : b.lo * driver, hi = driver == 0 ? 0 : b.hi * driver;
    const double slope = std::max(p.A(i, i), 1e-300);
    const bool below = x[i] - w[i] / slope <= lo || x[i] <= lo,
               above = x[i] - w[i] / slope >= hi || x[i] >= hi;
    if (p.form == LcpForm::plain) {
      classes[i] = below ? RowClass::separate : RowClass::clamped;
    } else {
      classes[i] = below ? RowClass::at_lower : above ? RowClass::at_upper : RowClass::clamped;
    }
  }
}

}  // namespace jade::lcp
