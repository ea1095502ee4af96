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
  classes_.assign(given.begin(), given.end());
  slipping_.assign(n, -1);
  ClassRows& rows = equations_.rows();
  rows.free.clear();
  rows.slips.clear();
  const LcpRow* row = p.rows.data();
  const double* A = p.A.data();
  int slipping = 0;
  for (int i = 0; i < n; ++i) {
    RowClass& c = classes_[i];
    const bool moves = A[static_cast<std::ptrdiff_t>(i) * (n + 1)] > 0;
    if (row[i].kind != RowKind::tangent) {
      if (c != RowClass::clamped || !moves) c = RowClass::separate;
      continue;
    }
    if (given[row[i].normal] != RowClass::clamped || !moves || (c != RowClass::stick && !is_slipping(c))) {
      c = RowClass::separate;
    } else if (is_slipping(c) && row[i].mu > 0) {
      int& number = slipping_[row[i].normal];
      if (number < 0) number = slipping++;
      rows.slips.push_back({number, i, c == RowClass::high ? row[i].mu : -row[i].mu});
    }
  }
  for (int i = 0; i < n; ++i) {
    if (is_free(classes_[i]) && slipping_[i] < 0) rows.free.push_back(i);
  }
  rows.plain = static_cast<int>(rows.free.size());
  rows.free.resize(rows.plain + slipping);
  for (const ClassRows::Slip& slip : rows.slips)
    rows.free[rows.plain + slip.column] = row[slip.tangent].normal;
}

bool WarmStart::solve(const LcpProblem& p, const std::vector<RowClass>& given, VecX& f) {
  read(p, given);
  const int n = p.size();
  const std::vector<int>& free = equations_.free_rows();
  const int k = static_cast<int>(free.size());
  const double* A = p.A.data();
  const auto column = [&](int j) { return A + static_cast<std::ptrdiff_t>(j) * n; };
  // More free rows than there are velocities to stop are redundant without looking.
  redundant_ = p.factors && k > p.factors->u.size();
  if (!redundant_) redundant_ = !equations_.factor(column, 0, kIndependent);
  if (redundant_ && !equations_.factor(column, kProximal, ClassEquations::kAnyPivot)) return false;

  f.setZero(n);
  if (static_cast<int>(x_.size()) < k) x_.resize(k);
  for (int q = 0; q < k; ++q) x_[q] = -p.b[free[q]];
  for (int step = 0;; ++step) {
    equations_.solve(x_.data());
    for (int q = 0; q < k; ++q) f[free[q]] += x_[q];
    if (!redundant_ || step + 1 == kProximalSteps) break;
    for (int q = 0; q < k; ++q) x_[q] *= kProximal * column(free[q])[free[q]];
  }
  tie(f);
  return true;
}

void WarmStart::refine(const VecX& v, VecX& f) {
  const std::vector<int>& free = equations_.free_rows();
  const int k = equations_.size();
  for (int q = 0; q < k; ++q) x_[q] = -v[free[q]];
  equations_.solve(x_.data());
  for (int q = 0; q < k; ++q) f[free[q]] += x_[q];
  tie(f);
}

void WarmStart::tie(VecX& f) {
  const ClassRows& rows = equations_.rows();
  for (const ClassRows::Slip& slip : rows.slips)
    f[slip.tangent] = slip.slope * f[rows.free[rows.plain + slip.column]];
}

}  // namespace jade::lcp
