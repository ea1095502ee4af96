#include "jade/stepping/class_forces.h"

#include <Eigen/LU>

namespace jade {

VecX forces_of_classes(const LcpProblem& problem, const std::vector<RowClass>& classes) {
  const int n = problem.size();
  std::vector<int> free;
  MatX P = MatX::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    if (classes[i] != RowClass::clamped && classes[i] != RowClass::stick) continue;
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
  const MatX AP = problem.A * P.leftCols(k);
  MatX K(k, k);
  for (int i = 0; i < k; ++i) K.row(i) = AP.row(free[i]);
  MatX compliant = K;
  for (int i = 0; i < k; ++i) compliant(i, i) += 1e-6 * problem.A(free[i], free[i]);
  const Eigen::PartialPivLU<MatX> factor(compliant);
  VecX x = VecX::Zero(k), r(k);
  for (int iteration = 0; iteration < 6; ++iteration) {
    for (int i = 0; i < k; ++i) r[i] = -problem.b[free[i]] - K.row(i).dot(x);
    x += factor.solve(r);
  }
  return P.leftCols(k) * x;
}

}  // namespace jade
