#include "jade/gradients/weak_contacts.h"

#include <vector>

#include <Eigen/LU>

#include "jade/lcp/lcp_solver.h"

namespace jade {
namespace {

// Compliance, as a share of W: with it the problem says who carries, and each pass below comes nearer by as much.
constexpr double kCompliance = 1e-6;
// Passes that take what compliance leaves from a digit or two to rounding.
constexpr int kPasses = 12;
// Of the size of the terms: what rounding leaves.
constexpr double kRounding = 1e-9;

}  // namespace

std::optional<VecX> WeakContacts::loads(const VecX& b) const {
  const Eigen::Index n = b.size();
  const double size = b.lpNorm<Eigen::Infinity>();
  if (size == 0) return VecX::Zero(n);
  LcpProblem compliant{.form = LcpForm::plain, .A = A, .b = b / size};
  compliant.A.diagonal() += kCompliance * W;
  const LcpSolution found = solve(compliant);
  if (found.status != LcpStatus::solved) return std::nullopt;

  // Those that carry, exactly: x ← x + (A + ε W)⁻¹ (−b − A x) from nothing.
  std::vector<Eigen::Index> carries;
  for (Eigen::Index i = 0; i < n; ++i)
    if (found.f[i] > 0) carries.push_back(i);
  const MatX own = A(carries, carries);
  const VecX target = -b(carries);
  const Eigen::PartialPivLU<MatX> factor(compliant.A(carries, carries));
  VecX x = VecX::Zero(target.size());
  for (int pass = 0; pass < kPasses; ++pass) x += factor.solve(target - own * x);
  VecX f = VecX::Zero(n);
  f(carries) = x;
  const VecX w = A * f + b, sizes = A.cwiseAbs() * f.cwiseAbs() + b.cwiseAbs();
  const bool valid = f.allFinite() && (w.array() >= -kRounding * sizes.array()).all() &&
                     (A.diagonal().cwiseProduct(f).array() >= -kRounding * sizes.array()).all() &&
                     (w(carries).cwiseAbs().array() <= kRounding * sizes(carries).array()).all();
  return valid ? std::optional<VecX>(f) : std::nullopt;
}

}  // namespace jade
