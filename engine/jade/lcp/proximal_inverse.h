#pragma once

#include <vector>

#include "jade/math/types.h"

namespace jade {

/// Stored by rows, for algorithms that work on whole rows.
using RowMatX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The inverse of the class equations K = S J B⁻¹ Jᵀ P that a derivative needs: K is square, singular where contacts are
/// redundant, and not symmetric where they slip or where B is not.
///   x = Σ_k (H ε W)ᵏ H r,   H = (K + ε W)⁻¹,   W = diag A, A = J M⁻¹ Jᵀ
/// N terms leave (ε/(ε + λ))ᴺ of a direction with eigenvalue λ of W⁻¹K unsolved. What they leave in the null space of
/// redundant rows has no effect on Jᵀ P x, and so on no velocity, unless redundant contacts slip in different directions:
/// see null_part. One linear map: the transpose is the same with Hᵀ.
/// Systems are small and right-hand sides many: everything works on whole rows, and entries that are zero (most of those
/// of a stack) are left out. Memory is kept between uses.
class ProximalInverse {
 public:
  /// False when it cannot be factored: something in K is not finite.
  [[nodiscard]] bool factor(const RowMatX& K, const VecX& W);
  /// For a K without slip: a largest set of independent rows determines the velocities, and the others follow. Their
  /// unknowns are zero. Pivots are diagonal, in the order of the rows, and those that are nearly dependent come last.
  [[nodiscard]] bool factor_independent(const RowMatX& K, const VecX& W);
  /// For a K of contacts that slip, by pivots anywhere: as good as the above as long as how redundant ones share their
  /// load has no effect.
  [[nodiscard]] bool factor_pivoted(const RowMatX& K, const VecX& W);
  int size() const { return size_; }
  /// A basis of the x with K x = 0, after factor_independent or factor_pivoted: columns. True when there are any.
  bool null_space(RowMatX& x) const;
  /// In place, all columns.
  void solve(Eigen::Ref<RowMatX> r) const;
  void solve_transposed(VecX& r) const;

  /// Redundant contacts that slip share their load in the limit of a vanishing compliance, which is zᵀ W x = 0 for every
  /// z with zᵀ K = 0. Where their directions of slip differ the shares matter. This is the x in the null space of K with
  /// zᵀ W x = zᵀ r:   x = W⁻¹ (ε W H)ᴺ r
  void null_part(Eigen::Ref<RowMatX> r) const;
  void null_part_transposed(VecX& r) const;

 private:
  void begin(const RowMatX& K);
  void bring_forward(int row, int column, int k);
  void eliminate(int k);
  void solve_once(const Eigen::Ref<RowMatX>& r, RowMatX& x) const;
  void solve_once_transposed(const VecX& r, VecX& x) const;

  RowMatX LU_;  ///< rows and columns in the order of the pivots; L without its unit diagonal
  std::vector<int> row_, column_;  ///< of K, in that order
  int size_ = 0, rank_ = 0;
  VecX weight_;  ///< ε W
  int passes_ = 1;
  mutable RowMatX term_, next_, pivoted_;
  mutable VecX one_, other_, pivoted_one_;
};

}  // namespace jade
