#include "lcp_judge/lcp_judge.h"

#include <cfloat>
#include <cmath>
#include <limits>

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

Row row_of(const LcpProblem& problem, const VecX& f, double regularisation, int i) {
  const int n = problem.size();
  Real w = problem.b[i];
  Real sigma = problem.beta.size() > 0 ? Real(problem.beta[i]) : std::abs(Real(problem.b[i]));
  Real largest = 0;
  const Real diagonal = Real(problem.A(i, i)) + Real(regularisation);
  for (int j = 0; j < n; ++j) {
    const Real entry = j == i ? diagonal : Real(problem.A(i, j));
    const Real term = entry * Real(f[j]);
    w += term;
    sigma += std::abs(term);
    if (std::abs(entry) > largest) largest = std::abs(entry);
  }
  Real a = diagonal;
  if (problem.form != LcpForm::contact && !(diagonal > 0)) a = largest > 0 ? largest : 1;
  const Bounds bounds = bounds_of(problem, f, i);
  const auto in_velocity = [a](Real bound) { return std::isinf(bound) ? bound : a * bound; };
  return {a * Real(f[i]), w, in_velocity(bounds.lower), in_velocity(bounds.upper), sigma, bounds.kind};
}

Real residual_of(const Row& row) {
  if (row.scale == 0) return 0;
  Real target = row.force - row.velocity;
  if (target > row.upper) target = row.upper;
  if (target < row.lower) target = row.lower;
  return std::abs(row.force - target) / row.scale;
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
  Real worst = -1;
  for (int i = 0; i < problem.size(); ++i) {
    const Row row = row_of(problem, f, settings.regularisation, i);
    const Real r = residual_of(row);
    if (!std::isfinite(r)) return refused(LcpFault::not_finite, i);  // A f left the range of long double
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
