#pragma once

#include <Eigen/LU>

#include "jade/math/types.h"

namespace jade {

/// The inverse of the class equations K = S J B⁻¹ Jᵀ P that a derivative needs: K is square, singular where contacts are
/// redundant, and not symmetric where they slip or where B is not.
///   x = Σ_k (H ε W)ᵏ H r,   H = (K + ε W)⁻¹,   W = diag A, A = J M⁻¹ Jᵀ
/// N terms leave (ε/(ε + λ))ᴺ of a direction with eigenvalue λ of W⁻¹K unsolved. What they leave in the null space of
/// redundant rows has no effect on Jᵀ P x, and so on no velocity, unless redundant contacts slip in different directions:
/// see null_part. One linear map: the transpose is the same with Hᵀ.
class ProximalInverse {
 public:
  /// False when it cannot be factored: something in K is not finite.
  [[nodiscard]] bool factor(const MatX& K, const VecX& W);
  int size() const { return static_cast<int>(weight_.size()); }
  /// In place, all columns.
  void solve(MatX& r) const;
  void solve_transposed(VecX& r) const;

  /// Redundant contacts that slip share their load in the limit of a vanishing compliance, which is zᵀ W x = 0 for every
  /// z with zᵀ K = 0. Where their directions of slip differ the shares matter. This is the x in the null space of K with
  /// zᵀ W x = zᵀ r:   x = W⁻¹ (ε W H)ᴺ r
  void null_part(MatX& r) const;
  void null_part_transposed(VecX& r) const;

 private:
  Eigen::PartialPivLU<MatX> factor_;
  VecX weight_;  ///< ε W
};

}  // namespace jade
