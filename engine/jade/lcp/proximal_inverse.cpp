#include "jade/lcp/proximal_inverse.h"

namespace jade {
namespace {

// Far above rounding of K, far below its smallest eigenvalue that is not zero: mass ratios of 1e4 leave 1e-4 of W.
constexpr double kProximal = 1e-7;
constexpr int kSteps = 4;

}  // namespace

bool ProximalInverse::factor(const MatX& K, const VecX& W) {
  weight_ = W;
  for (double& w : weight_) w = kProximal * (w > 0 ? w : 1);
  if (!K.allFinite()) return false;
  if (K.rows() == 0) return true;
  factor_.compute(K + MatX(weight_.asDiagonal()));
  return true;
}

void ProximalInverse::solve(MatX& r) const {
  if (size() == 0) return;
  MatX term = factor_.solve(r), next;
  r = term;
  for (int k = 1; k < kSteps; ++k) {
    next = weight_.asDiagonal() * term;
    term = factor_.solve(next);
    r += term;
  }
}

void ProximalInverse::solve_transposed(VecX& r) const {
  if (size() == 0) return;
  VecX term = r, next;
  for (int k = 1; k < kSteps; ++k) {
    next = factor_.transpose().solve(term);
    term = weight_.cwiseProduct(next);
    r += term;
  }
  next = factor_.transpose().solve(r);
  r = next;
}

void ProximalInverse::null_part(MatX& r) const {
  if (size() == 0) return;
  MatX next;
  for (int k = 0; k < kSteps; ++k) {
    next = factor_.solve(r);
    r = weight_.asDiagonal() * next;
  }
  r = kProximal * next;
}

void ProximalInverse::null_part_transposed(VecX& r) const {
  if (size() == 0) return;
  VecX next;
  for (int k = 0; k < kSteps; ++k) {
    next = factor_.transpose().solve(r);
    r = weight_.cwiseProduct(next);
  }
  r = kProximal * next;
}

}  // namespace jade
