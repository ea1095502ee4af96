#include "jade/lcp/warm_start.h"

#include <algorithm>
#include <cmath>

#include "jade/math/wide_loops.h"

namespace jade::lcp {
namespace {

/// A pivot that keeps this much of its A_ii leaves the equations well enough conditioned to be solved as they are.
constexpr double kIndependent = 1e-3;
/// Otherwise the limit of a vanishing compliance decides, as everywhere (see `polish`).
constexpr double kProximal = 1e-6;
constexpr int kProximalSteps = 6;
/// Of the largest force: steps that are smaller are the last. Weak modes of a stack need all of them.
constexpr double kConverged = 1e-12;
/// And where the last two of them differ by more, a mode is left that is about as weak as the compliance: what redundant rows
/// contradict each other by adds the same to each.
constexpr double kWeakMode = 1e-10;
/// What a pivot keeps of that at least, or slip has made it useless without exchanges of rows: all of it where nothing slips.
constexpr double kLeastCompliance = 0.1;
/// Of its terms: a normal that changes its velocity by less is held against rounding, and holds nothing by friction.
constexpr double kFirm = 1e-9;

}  // namespace

void WarmStart::make_room(int rows) {
  if (static_cast<int>(candidates_.size()) >= rows) return;
  candidates_.resize(rows);
  slipping_.assign(rows, -1);
  classes_.reserve(rows);
  equations_.rows().slips.reserve(rows);
  equations_.rows().free.reserve(rows);
  for (auto* v : {&x_, &step_, &before_, &weight_}) v->resize(ClassEquations::room(rows));
}

/// Normals that slip come last.
JADE_INSIDE_LOOPS void WarmStart::order_free_rows(const LcpProblem& p, int found, int slipping_normals) {
  ClassRows& rows = equations_.rows();
  rows.free.resize(found);
  int* free = rows.free.data();
  int plain = 0;
  for (int q = 0; q < found; ++q) {
    free[plain] = candidates_[q];
    plain += slipping_[candidates_[q]] < 0;
  }
  rows.plain = plain;
  rows.free.resize(plain + slipping_normals);
  for (const ClassRows::Slip& slip : rows.slips) {
    const int normal = p.rows[slip.tangent].normal;
    rows.free[plain + slip.column] = normal;
    slipping_[normal] = -1;
  }
}

/// Sorts the rows into those that are free, and tangents that follow their normals.
void WarmStart::read(const LcpProblem& p, const std::vector<RowClass>& given) {
  const int n = p.size();
  make_room(n);
  classes_.resize(n);
  std::vector<ClassRows::Slip>& slips = equations_.rows().slips;
  slips.clear();
  const LcpRow* row = p.rows.data();
  const double* A = p.A.data();
  const RowClass* asked = given.data();
  RowClass* classes = classes_.data();
  int *candidates = candidates_.data(), *slipping = slipping_.data();
  int found = 0, slipping_normals = 0;
  parks_ = false;
  for (int i = 0; i < n; ++i) {
    const RowClass c = asked[i];
    const bool tangent = row[i].kind == RowKind::tangent, slips_here = is_slipping(c);
    classes[i] = RowClass::separate;
    parks_ = parks_ || (tangent && c == RowClass::separate && asked[row[i].normal] == RowClass::clamped);
    if (c == RowClass::separate || !(A[static_cast<std::ptrdiff_t>(i) * (n + 1)] > 0)) continue;
    if (tangent ? asked[row[i].normal] != RowClass::clamped || !(slips_here || c == RowClass::stick)
                : c != RowClass::clamped)
      continue;
    classes[i] = c;
    candidates[found] = i;
    found += !slips_here;
    if (!slips_here || !(row[i].mu > 0)) continue;
    int& number = slipping[row[i].normal];
    if (number < 0) number = slipping_normals++;
    slips.push_back({number, i, c == RowClass::high ? row[i].mu : -row[i].mu});
  }
  order_free_rows(p, found, slipping_normals);
}

/// False when the equations have no solution.
JADE_INSIDE_LOOPS bool WarmStart::factor(const LcpProblem& p, bool& redundant) {
  const int n = p.size(), k = static_cast<int>(equations_.free_rows().size());
  const double* A = p.A.data();
  const auto column = [&](int j) { return A + static_cast<std::ptrdiff_t>(j) * n; };
  // More free rows than there are velocities to stop are redundant without looking.
  const long velocities = p.factors ? p.factors->u.size() : p.velocities;
  redundant = velocities > 0 && k > velocities;
  few_ = k > 0 && k <= FewEquations::kMostRows;
  if (!redundant && (few_ ? few_equations_.factor(equations_.rows(), A, n, 0, kIndependent)
                          : equations_.factor(column, 0, kIndependent)))
    return true;
  redundant = true;
  if (few_ && few_equations_.factor(equations_.rows(), A, n, kProximal, kLeastCompliance * kProximal))
    return true;
  few_ = false;
  return equations_.factor(column, kProximal, ClassEquations::kAnyPivot);
}

JADE_INSIDE_LOOPS void WarmStart::solve_equations(double* r) const {
  if (few_) {
    few_equations_.solve(r);
  } else {
    equations_.solve(r);
  }
}

JADE_INSIDE_LOOPS void WarmStart::tie(VecX& f) {
  const ClassRows& rows = equations_.rows();
  for (const ClassRows::Slip& slip : rows.slips)
    f[slip.tangent] = slip.slope * f[rows.free[rows.plain + slip.column]];
}

/// From the first step in x_ on. False when a mode is left that is about as weak as the compliance: valid as it may be, the
/// forces along it are those of the compliance, and so are the slopes of the answer.
JADE_INSIDE_LOOPS bool WarmStart::solve_by_proximal_steps(const LcpProblem& p) {
  const int* free = equations_.free_rows().data();
  const int n = p.size(), k = static_cast<int>(equations_.free_rows().size());
  const double* A = p.A.data();
  double *x = x_.data(), *step = step_.data(), *before = before_.data(), *weight = weight_.data();
  for (int q = 0; q < k; ++q) {
    weight[q] = kProximal * A[static_cast<std::ptrdiff_t>(free[q]) * (n + 1)];
    step[q] = x[q];
  }
  int taken = 1;
  bool settled = false;
  double largest = 0;
  for (; taken < kProximalSteps && !settled; ++taken) {
    if (taken + 1 == kProximalSteps) std::copy_n(step, k, before);
    for (int q = 0; q < k; ++q) step[q] *= weight[q];
    solve_equations(step);
    double moved = 0;
    largest = 0;
    for (int q = 0; q < k; ++q) {
      x[q] += step[q];
      largest = std::max(largest, std::abs(x[q]));
      moved = std::max(moved, std::abs(step[q]));
    }
    settled = moved <= kConverged * largest;
  }
  double differs = 0;
  for (int q = 0; !settled && q < k; ++q) differs = std::max(differs, std::abs(step[q] - before[q]));
  // Rows that contradict each other, by however little, add the same to every step: how they share their load is what there
  // would be without it.
  for (int q = 0; q < k; ++q) x[q] -= taken * step[q];
  return !(differs > kWeakMode * largest);
}

/// Leaves x_ as it is where that cannot be done.
void WarmStart::solve_exactly(const LcpProblem& p) {
  const std::vector<int>& free = equations_.free_rows();
  if (!exact_.factor(equations_.rows(), [&](int j) { return p.A.col(j).data(); })) return;
  for (std::size_t q = 0; q < free.size(); ++q) x_[q] = step_[q] = -p.b[free[q]];
  exact_.solve(x_.data());
  exact_.subtract_product(x_.data(), step_.data());
  exact_.solve(step_.data());
  for (std::size_t q = 0; q < free.size(); ++q) x_[q] += step_[q];
}

bool WarmStart::solve(const LcpProblem& p, const std::vector<RowClass>& given, VecX& f) {
  read(p, given);
  if (!factor(p, redundant_)) return false;
  const int* free = equations_.free_rows().data();
  const int k = static_cast<int>(equations_.free_rows().size());

  f.setZero(p.size());
  double *force = f.data(), *x = x_.data();
  const double* b = p.b.data();
  for (int q = 0; q < k; ++q) x[q] = -b[free[q]];
  solve_equations(x);
  if (redundant_ && !solve_by_proximal_steps(p)) solve_exactly(p);
  for (int q = 0; q < k; ++q) force[free[q]] = x[q];
  tie(f);
  return true;
}

int WarmStart::correct(const LcpProblem& p, const LcpSolution& solution, const VecX& sigma,
                       double tolerance) {
  const int n = p.size();
  const std::ptrdiff_t step = n + 1;
  const double *A = p.A.data(), *f = solution.f.data(), *v = solution.v.data();
  corrected_ = classes_;
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    if (p.rows[i].kind == RowKind::tangent) continue;
    const double least = tolerance * sigma[i];
    const bool held = classes_[i] == RowClass::clamped;
    if (!(held ? -A[i * step] * f[i] > least : -v[i] > least)) continue;
    corrected_[i] = held ? RowClass::separate : RowClass::clamped;
    ++wrong;
  }
  for (int i = 0; i < n; ++i) {
    if (p.rows[i].kind != RowKind::tangent) continue;
    const int normal = p.rows[i].normal;
    if (corrected_[normal] != RowClass::clamped) {
      corrected_[i] = RowClass::separate;
      continue;
    }
    const double least = tolerance * sigma[i], force = A[i * step] * f[i];
    const double bound = A[i * step] * (p.rows[i].mu * std::max(f[normal], 0.0));
    RowClass& c = corrected_[i];
    const double beyond = c == RowClass::stick      ? std::abs(force) - bound
                          : c == RowClass::separate ? std::abs(v[i])
                          : c == RowClass::high     ? v[i]
                                                    : -v[i];
    if (!(beyond > least)) continue;
    c = c != RowClass::stick ? RowClass::stick : force > 0 ? RowClass::high : RowClass::low;
    ++wrong;
  }
  return wrong;
}

bool WarmStart::hold_parked(const LcpProblem& p, const VecX& f, const VecX& sigma) {
  if (!parks_) return false;
  corrected_ = classes_;
  bool any = false;
  for (int i = 0; i < p.size(); ++i) {
    const LcpRow& row = p.rows[i];
    if (row.kind != RowKind::tangent || classes_[i] != RowClass::separate || !(row.mu > 0)) continue;
    const int n = row.normal;
    if (classes_[n] != RowClass::clamped || !(p.A(i, i) > 0) || !(p.A(n, n) * f[n] > kFirm * sigma[n]))
      continue;
    corrected_[i] = RowClass::stick;
    any = true;
  }
  return any;
}

void WarmStart::refine(const VecX& v, VecX& f) {
  const std::vector<int>& free = equations_.free_rows();
  const int k = static_cast<int>(free.size());
  for (int q = 0; q < k; ++q) x_[q] = -v[free[q]];
  solve_equations(x_.data());
  for (int q = 0; q < k; ++q) f[free[q]] += x_[q];
  tie(f);
}

bool WarmStart::leaves_stress(const LcpProblem& p, const LcpSolution& solution, const VecX& sigma,
                              double tolerance) {
  const double *f = solution.f.data(), *v = solution.v.data();
  const auto column = [&](int j) { return p.A.data() + static_cast<std::ptrdiff_t>(j) * p.size(); };
  const auto rests = [&](int t) { return rests_at_its_bound(classes_[t], f[t], v[t], tolerance * sigma[t]); };
  const ClassRows& rows = equations_.rows();
  return few_ ? carries_stress(rows, few_equations_, column, f, rests, x_.data())
              : carries_stress(rows, equations_, column, f, rests, x_.data());
}

}  // namespace jade::lcp
