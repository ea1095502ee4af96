#include <cmath>

#include <Eigen/LU>

#include "jade/stepping/island.h"

namespace jade {
namespace {

// Slip slower than this is rounding of velocities of ordinary size [m/s].
constexpr double kNoSlip = 1e-9;
// A contact that pivots has slip from the turning of its features alone; only what is well above that is motion.
constexpr double kPivoting = 0.1;
// An event this near to either end of the segment is the end.
constexpr double kAtEnd = 1e-9;

/// Forces of given classes: f = P x with x the free rows, S (A P x + b) = 0. Redundant rows are shared by a compliance
/// that vanishes: x ← x + (K + ε)⁻¹(−b − K x).
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

}  // namespace

/// The length after which the first slip of this segment has come to rest: with u₀ the slip at the start and w the one
/// at the end if the contact went on slipping the same way, s* = s u₀ / (u₀ − w).
double Island::until_slip_ends(double s) {
  std::vector<RowClass> classes = solution_.classes;
  std::vector<std::pair<int, double>> ending;  // row, u₀
  VecX at_middle = VecX::Zero(rows_.size());
  rows_.add_product([&](int tree) -> const VecX& { return trees[tree]->now.v; }, at_middle);
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    if (contact.rows < 3 || classes[contact.first_row] != RowClass::clamped) continue;
    const int row = contact.first_row + 1;
    // The first tangent is along the slip, so friction holds it back at −μ f_n until it ends.
    if (classes[row] == RowClass::low) continue;
    const double u0 = slip_at_start(contact, 1);
    if (u0 <= kNoSlip + kPivoting * std::abs(at_middle[row] - u0)) continue;
    classes[row] = RowClass::low;
    classes[row + 1] = RowClass::stick;
    ending.push_back({row, u0});
  }
  if (ending.empty()) return s;

  const VecX f = forces_of_classes(problem_, classes), w = problem_.A * f + problem_.b;
  double first = s;
  EventTrace event;
  for (const auto& [row, u0] : ending) {
    const double end = w[row] < 0 ? s * u0 / (u0 - w[row]) : s;
    if (end >= first) continue;
    first = end;
    event = {.row = row, .u0 = u0, .w = w[row]};
  }
  if (!(first > kAtEnd * s && first < (1 - kAtEnd) * s)) return s;
  if (trace) {
    event.forced = {std::move(classes), f};
    trace->substeps.back().solves.back().event = std::move(event);
  }
  return first;
}

}  // namespace jade
