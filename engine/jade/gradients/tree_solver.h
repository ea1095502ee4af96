#pragma once

#include <Eigen/LU>

#include "jade/dynamics/mass_matrix.h"

namespace jade {

/// x ← B⁻¹ x for the velocities of one tree: B a mass matrix or Newton's. That of a body alone is a number and a 3 × 3 matrix.
/// Newton's matrix of a mechanism in a hurry is regular, since the iteration for its mean velocity contracts, but need not have
/// positive pivots in the order of the tree: then the rows of all its velocities are exchanged as need be.
class TreeSolver {
 public:
  explicit TreeSolver(const Model& model) : factorization_(model) {}

  /// False when B cannot be factored.
  template <class Matrix>
  [[nodiscard]] bool factor(const Model& model, const Eigen::MatrixBase<Matrix>& B) {
    kind_ = Kind::tree;
    return factorization_.factor(model, B) || factor_whole(model, B);
  }
  /// B = diag(mass 1, rotation) of a free body about its centre of mass.
  [[nodiscard]] bool factor_body(double mass, const Mat3& rotation);

  void solve(const Model& model, VecX& x) const;
  /// Every column.
  void solve(const Model& model, Eigen::Ref<RowMatX> x) const;
  /// x ← B⁻ᵀ x
  void solve_transposed(const Model& model, Eigen::Ref<VecX> x) const;

 private:
  [[nodiscard]] bool factor_whole(const Model& model, const MatX& B);

  enum class Kind { tree, body, whole };
  Kind kind_ = Kind::tree;
  TreeFactorization factorization_;
  Eigen::PartialPivLU<MatX> whole_;
  double by_mass_ = 0;
  Mat3 by_rotation_ = Mat3::Zero();
};

}  // namespace jade
