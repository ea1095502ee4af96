#include "jade/stepping/class_forces.h"

#include <limits>

#include "jade/lcp/class_inverse.h"

namespace jade {

VecX forces_of_classes(const LcpProblem& problem, const std::vector<RowClass>& classes) {
  const int n = problem.size();
  std::vector<int> free;
  MatX P = MatX::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    const bool holds = classes[i] == RowClass::clamped || classes[i] == RowClass::stick;
    if (!holds || !(problem.A(i, i) > 0)) continue;  // what no force moves has none
    P(i, static_cast<int>(free.size())) = 1;
    for (int j = 0; j < n; ++j) {
      const LcpRow& row = problem.rows[j];
      if (row.kind != RowKind::tangent || row.normal != i) continue;
      if (classes[j] == RowClass::high) P(j, static_cast<int>(free.size())) = row.mu;
      if (classes[j] == RowClass::low) P(j, static_cast<int>(free.size())) = -row.mu;
    }
    free.push_back(i);
  }
  const int k = static_cast<int>(free.size());
  if (k == 0) return VecX::Zero(n);
  const MatX AP = problem.A * P.leftCols(k);
  RowMatX K(k, k), x(k, 1), left(k, 1);
  VecX W(k);
  for (int i = 0; i < k; ++i) {
    K.row(i) = AP.row(free[i]);
    W[i] = problem.A(free[i], free[i]);
    x(i, 0) = left(i, 0) = -problem.b[free[i]];
  }
  ClassInverse inverse;
  if (!inverse.factor_shared(K, W)) return VecX::Constant(n, std::numeric_limits<double>::quiet_NaN());
  inverse.solve(x);
  left -= K * x;
  inverse.solve(left);
  return P.leftCols(k) * (x + left);
}

}  // namespace jade
