#include "jade/lcp/warm_start.h"

#include <algorithm>
#include <cmath>

namespace jade::lcp {
namespace {

/// A pivot that keeps this much of its A_ii leaves the equations well enough conditioned to be solved as they are.
constexpr double kIndependent = 1e-3;
/// Otherwise the limit of a vanishing compliance decides, as everywhere (see `polish`).
constexpr double kProximal = 1e-6;
constexpr int kProximalSteps = 3;

}  // namespace

/// Sorts the rows into those that are free, and tangents that follow their normals.
void WarmStart::read(const LcpProblem& p, const std::vector<RowClass>& given) {
  const int n = p.size();
  classes_.resize(n);
  slipping_.assign(n, -1);
  ClassRows& rows = equations_.rows();
  rows.free.resize(n);
  rows.slips.clear();
  const LcpRow* row = p.rows.data();
  const double* A = p.A.data();
  int slipping = 0;
  for (int i = 0; i < n; ++i) {
    classes_[i] = RowClass::separate;
    if (!(A[static_cast<std::ptrdiff_t>(i) * (n + 1)] > 0)) continue;
    const RowClass c = given[i];
    if (row[i].kind != RowKind::tangent) {
      if (c == RowClass::clamped) classes_[i] = c;
      continue;
    }
    const int normal = row[i].normal;
    const bool slips = is_slipping(c);
    if (given[normal] != RowClass::clamped || !(slips || c == RowClass::stick)) continue;
    classes_[i] = c;
    if (!slips || !(row[i].mu > 0)) continue;
    int& number = slipping_[normal];
    if (number < 0) number = slipping++;
    rows.slips.push_back({number, i, c == RowClass::high ? row[i].mu : -row[i].mu});
  }
  int plain = 0;
  for (int i = 0; i < n; ++i) {
    rows.free[plain] = i;
    plain += is_free(classes_[i]) && slipping_[i] < 0;
  }
  rows.plain = plain;
  rows.free.resize(plain + slipping);
  for (const ClassRows::Slip& slip : rows.slips) rows.free[plain + slip.column] = row[slip.tangent].normal;
}

bool WarmStart::solve(const LcpProblem& p, const std::vector<RowClass>& given, VecX& f) {
  read(p, given);
  const int n = p.size();
  const int* free = equations_.free_rows().data();
  const int k = static_cast<int>(equations_.free_rows().size());
  const double* A = p.A.data();
  const auto column = [&](int j) { return A + static_cast<std::ptrdiff_t>(j) * n; };
  // More free rows than there are velocities to stop are redundant without looking.
  bool redundant = p.factors && k > p.factors->u.size();
  if (!redundant) redundant = !equations_.factor(column, 0, kIndependent);
  if (redundant && !equations_.factor(column, kProximal, ClassEquations::kAnyPivot)) return false;

  f.setZero(n);
  make_room(k);
  double *force = f.data(), *x = x_.data();
  const double* b = p.b.data();
  for (int q = 0; q < k; ++q) x[q] = -b[free[q]];
  equations_.solve(x);
  if (redundant) {
    double *step = step_.data(), *weight = weight_.data();
    for (int q = 0; q < k; ++q) {
      weight[q] = kProximal * column(free[q])[free[q]];
      step[q] = x[q];
    }
    for (int taken = 1; taken < kProximalSteps; ++taken) {
      for (int q = 0; q < k; ++q) step[q] *= weight[q];
      equations_.solve(step);
      for (int q = 0; q < k; ++q) x[q] += step[q];
    }
  }
  for (int q = 0; q < k; ++q) force[free[q]] = x[q];
  tie(f);
  return true;
}

void WarmStart::make_room(int k) {
  const std::size_t room = static_cast<std::size_t>(ClassEquations::room(k));
  if (x_.size() >= room) return;
  for (auto* v : {&x_, &step_, &weight_}) v->resize(room);
}

void WarmStart::refine(const VecX& v, VecX& f) {
  const std::vector<int>& free = equations_.free_rows();
  const int k = equations_.size();
  for (int q = 0; q < k; ++q) x_[q] = -v[free[q]];
  equations_.solve(x_.data());
  for (int q = 0; q < k; ++q) f[free[q]] += x_[q];
  tie(f);
}

bool WarmStart::leaves_stress(const LcpProblem& p, const LcpSolution& solution, const VecX& sigma,
                              double tolerance) {
  const double *f = solution.f.data(), *v = solution.v.data();
  const auto column = [&](int j) { return p.A.data() + static_cast<std::ptrdiff_t>(j) * p.size(); };
  const auto rests = [&](int t) { return rests_at_its_bound(classes_[t], f[t], v[t], tolerance * sigma[t]); };
  return equations_.carries_stress(column, f, rests, x_.data());
}

void WarmStart::tie(VecX& f) {
  const ClassRows& rows = equations_.rows();
  for (const ClassRows::Slip& slip : rows.slips)
    f[slip.tangent] = slip.slope * f[rows.free[rows.plain + slip.column]];
}

}  // namespace jade::lcp
