#include "jade/stepping/class_forces.h"

#include <limits>

#include <Eigen/LU>

#include "jade/lcp/class_inverse.h"

namespace jade {

namespace {

// Beyond this many rows a search for pivots everywhere takes longer than the rest of a step.
constexpr int kMostExactRows = 64;

/// K x = r by steps with a compliance that vanishes, x ← x + (K + ε W)⁻¹(r − K x), less what contradictions add to each of them.
VecX solve_by_proximal_steps(const RowMatX& K, const VecX& W, const VecX& r) {
  constexpr double kProximal = 1e-6;
  constexpr int kSteps = 6;
  MatX compliant = K;
  compliant.diagonal() += kProximal * W;
  const Eigen::PartialPivLU<MatX> factor(compliant);
  VecX x = VecX::Zero(r.size()), step;
  for (int i = 0; i < kSteps; ++i) {
    step = factor.solve(r - K * x);
    x += step;
  }
  return x - kSteps * step;
}

}  // namespace

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
  RowMatX K(k, k);
  VecX W(k), r(k);
  for (int i = 0; i < k; ++i) {
    K.row(i) = AP.row(free[i]);
    W[i] = problem.A(free[i], free[i]);
    r[i] = -problem.b[free[i]];
  }
  if (k > kMostExactRows) return P.leftCols(k) * solve_by_proximal_steps(K, W, r);
  ClassInverse inverse(ClassInverse::kCompliant);
  if (!inverse.factor_shared(K, W)) return VecX::Constant(n, std::numeric_limits<double>::quiet_NaN());
  RowMatX x = r;
  inverse.solve(x);
  RowMatX left = r - K * x;
  inverse.solve(left);
  return P.leftCols(k) * (x + left);
}

}  // namespace jade
