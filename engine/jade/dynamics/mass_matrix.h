#pragma once

#include "jade/dynamics/workspace.h"

namespace jade {

/// Stored by rows, for algorithms that work on whole rows.
using RowMatX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Mass matrix by composite bodies (CRBA), after update_positions. With Iᶜ_i the inertia of everything that link i
/// carries, M_jk = S_jᵀ Iᶜ S_k for j on the way from k to the world, zero for coordinates of different branches;
/// armature on the diagonal. `M` must be nv × nv; both halves are written. Prescribed coordinates have their rows
/// too: this is the matrix of M a + c = τ.
void crba(const Model& model, DynamicsWorkspace& work, MatX& M);
MatX crba(const Model& model, const VecX& q);

/// M = Lᵀ D L with L unit lower triangular and L_kj ≠ 0 only for j on the way from k to the world: no fill-in, so the
/// cost is nv × depth², and every branch is factored by itself.
/// R. Featherstone, "Efficient factorization of the joint-space inertia matrix for branched kinematic trees",
/// International Journal of Robotics Research 24(6), 2005.
/// A matrix A with the pattern of M that is not symmetric, such as M − ½ h ∂F/∂v, is factored the same way as
/// A = U D L, with U unit upper triangular and the transposed pattern. There is no pivoting: A must be near a mass
/// matrix (diagonally dominant by blocks); `factor` returns false when a pivot is not positive.
/// Rows and columns of prescribed coordinates are treated as those of the identity, so that solve gives zero there
/// for right-hand sides that are zero there.
class TreeFactorization {
 public:
  explicit TreeFactorization(const Model& model);

  template <class Matrix>
  [[nodiscard]] bool factor(const Model& model, const Eigen::MatrixBase<Matrix>& A) {
    LU_ = A;
    return factor_in_place(model);
  }
  /// x ← A⁻¹ x.
  void solve(const Model& model, VecX& x) const;
  /// The same for every column of x, by whole rows.
  void solve(const Model& model, Eigen::Ref<RowMatX> x) const;
  /// x ← A⁻ᵀ x.
  void solve_transposed(const Model& model, Eigen::Ref<VecX> x) const;

 private:
  bool factor_in_place(const Model& model);
  template <class Visit>
  void for_each_run_before(const Model& model, int k, Visit&& visit) const;

  RowMatX LU_;                  ///< L below the diagonal, U above it, 1/D on it
  std::vector<int> run_start_;  ///< coordinates run_start[k] … k follow each other without a branch
};

}  // namespace jade
