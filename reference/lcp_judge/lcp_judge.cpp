#include "lcp_judge/lcp_judge.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <vector>

namespace jade::reference {
namespace {

using Real = long double;
static_assert(LDBL_MANT_DIG >= 64, "the judge needs more bits than the solvers it judges");

/// The interval a row's force must lie in, and what the row is called when it does not.
struct Bounds {
  Real lower = 0, upper = 0;
  enum class Kind { one_sided, friction, box } kind = Kind::one_sided;
};

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

/// Coefficient × force, where an infinite coefficient means no bound at all (never 0 × ∞).
Real scaled_bound(Real coefficient, Real force) {
  return std::isinf(coefficient) ? coefficient : coefficient * (force > 0 ? force : 0);
}

Bounds bounds_of(const LcpProblem& problem, const VecX& f, int i) {
  if (problem.form == LcpForm::plain) return {0, kInfinity, Bounds::Kind::one_sided};
  if (problem.form == LcpForm::contact) {
    const LcpRow& row = problem.rows[i];
    if (row.kind != RowKind::tangent) return {0, kInfinity, Bounds::Kind::one_sided};
    const Real bound = scaled_bound(row.mu, f[row.normal]);
    return {-bound, bound, Bounds::Kind::friction};
  }
  const int normal = problem.findex.empty() ? -1 : problem.findex[i];
  if (normal >= 0) {
    return {scaled_bound(problem.lo[i], f[normal]), scaled_bound(problem.hi[i], f[normal]),
            Bounds::Kind::friction};
  }
  const bool one_sided = problem.lo[i] == 0 && std::isinf(problem.hi[i]);
  return {problem.lo[i], problem.hi[i], one_sided ? Bounds::Kind::one_sided : Bounds::Kind::box};
}

/// One row in the units of its velocity: the force times a, so that it can be compared with w.
struct Row {
  Real force = 0, velocity = 0, lower = 0, upper = 0, scale = 0;
  Bounds::Kind kind = Bounds::Kind::one_sided;
};

/// β_i: the size of the terms of b_i.
Real data_size(const LcpProblem& problem, int i) {
  return problem.beta.size() > 0 ? Real(problem.beta[i]) : std::abs(Real(problem.b[i]));
}

/// How much of each force counts in the scale of an error: min(|f_j|, φ_j).
std::vector<Real> counted_forces(const LcpProblem& problem, const VecX& f, double regularisation) {
  constexpr Real beyond_reason = 1e8L;
  const int n = problem.size();
  std::vector<Real> counted(static_cast<std::size_t>(n));
  Real largest_impulse = 0;
  for (int k = 0; k < n; ++k) {
    counted[static_cast<std::size_t>(k)] = std::abs(Real(f[k]));
    const Real a = Real(problem.A(k, k)) + Real(regularisation);
    if (a > 0) largest_impulse = std::max(largest_impulse, data_size(problem, k) / std::sqrt(a));
  }
  if (problem.form != LcpForm::contact) return counted;
  for (int j = 0; j < n; ++j) {
    const Real a = Real(problem.A(j, j)) + Real(regularisation);
    Real& force = counted[static_cast<std::size_t>(j)];
    if (a > 0) force = std::min(force, beyond_reason * largest_impulse / std::sqrt(a));
  }
  return counted;
}

Row row_of(const LcpProblem& problem, const VecX& f, const std::vector<Real>& counted, double regularisation,
           int i) {
  const int n = problem.size();
  Real w = problem.b[i];
  Real sigma = data_size(problem, i);
  Real largest = 0;
  const Real diagonal = Real(problem.A(i, i)) + Real(regularisation);
  for (int j = 0; j < n; ++j) {
    const Real entry = j == i ? diagonal : Real(problem.A(i, j));
    const Real term = entry * Real(f[j]);
    w += term;
    sigma += std::abs(entry) * counted[static_cast<std::size_t>(j)];
    if (std::abs(entry) > largest) largest = std::abs(entry);
  }
  Real a = diagonal;
  if (problem.form != LcpForm::contact && !(diagonal > 0)) a = largest > 0 ? largest : 1;
  const Bounds bounds = bounds_of(problem, f, i);
  const auto in_velocity = [a](Real bound) { return std::isinf(bound) ? bound : a * bound; };
  return {a * Real(f[i]), w, in_velocity(bounds.lower), in_velocity(bounds.upper), sigma, bounds.kind};
}

Real residual_of(const Row& row) {
  Real target = row.force - row.velocity;
  if (target > row.upper) target = row.upper;
  if (target < row.lower) target = row.lower;
  const Real error = std::abs(row.force - target);
  return error == 0 ? 0 : error / row.scale;
}

LcpFault fault_of(const Row& row, Real tolerance) {
  const Real slack = tolerance * row.scale;
  const bool below = row.force<row.lower - slack, above = row.force> row.upper + slack;
  const bool inside = row.force > row.lower + slack && row.force < row.upper - slack;
  switch (row.kind) {
    case Bounds::Kind::one_sided:
      if (row.velocity < -slack) return LcpFault::penetrating_velocity;
      return below ? LcpFault::pulling_force : LcpFault::pushing_while_separating;
    case Bounds::Kind::friction:
      if (below || above) return LcpFault::outside_friction_bound;
      return inside ? LcpFault::slipping_below_bound : LcpFault::pushing_along_slip;
    case Bounds::Kind::box:
      break;
  }
  return below || above ? LcpFault::outside_box : LcpFault::wrong_side_of_box;
}

LcpJudgement refused(LcpFault fault, int row) {
  return {.residual = std::numeric_limits<double>::infinity(), .worst_row = row, .fault = fault};
}

}  // namespace

std::string_view name_of(LcpFault fault) {
  switch (fault) {
    case LcpFault::none:
      return "none";
    case LcpFault::wrong_size:
      return "wrong size";
    case LcpFault::not_finite:
      return "NaN";
    case LcpFault::penetrating_velocity:
      return "penetrating velocity";
    case LcpFault::pulling_force:
      return "pulling force";
    case LcpFault::pushing_while_separating:
      return "pushing while separating";
    case LcpFault::outside_friction_bound:
      return "outside the friction bound";
    case LcpFault::slipping_below_bound:
      return "slipping below the bound";
    case LcpFault::pushing_along_slip:
      return "pushing along the slip";
    case LcpFault::outside_box:
      return "outside the box";
    case LcpFault::wrong_side_of_box:
      return "on the wrong side of the box";
  }
  return "unknown";
}

LcpJudgement judge(const LcpProblem& problem, const VecX& f, const JudgeSettings& settings) {
  if (f.size() != problem.size()) return refused(LcpFault::wrong_size, -1);
  for (int i = 0; i < f.size(); ++i) {
    if (!std::isfinite(f[i])) return refused(LcpFault::not_finite, i);
  }
  LcpJudgement judgement;
  const std::vector<Real> counted = counted_forces(problem, f, settings.regularisation);
  Real worst = -1;
  for (int i = 0; i < problem.size(); ++i) {
    const Row row = row_of(problem, f, counted, settings.regularisation, i);
    const Real r = residual_of(row);
    // A f left the range of long double. (r alone is infinite where nothing in the problem moves a row that moves.)
    if (!std::isfinite(row.velocity) || std::isnan(r)) return refused(LcpFault::not_finite, i);
    if (r <= worst) continue;
    worst = r;
    judgement.worst_row = i;
    judgement.fault = r > Real(settings.tolerance) ? fault_of(row, settings.tolerance) : LcpFault::none;
  }
  judgement.residual = static_cast<double>(worst > 0 ? worst : 0);
  judgement.valid = judgement.fault == LcpFault::none;
  return judgement;
}

}  // namespace jade::reference
