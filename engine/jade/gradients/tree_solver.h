#pragma once

#include "jade/dynamics/mass_matrix.h"

namespace jade {

/// x ← B⁻¹ x for the velocities of one tree: B a mass matrix or Newton's. That of a body alone is a number and a 3 × 3 matrix.
class TreeSolver {
 public:
  explicit TreeSolver(const Model& model) : factorization_(model) {}

  /// False when B cannot be factored.
  template <class Matrix>
  [[nodiscard]] bool factor(const Model& model, const Eigen::MatrixBase<Matrix>& B) {
    is_body_ = false;
    return factorization_.factor(model, B);
  }
  /// B = diag(mass 1, rotation) of a free body about its centre of mass.
  [[nodiscard]] bool factor_body(double mass, const Mat3& rotation);

  void solve(const Model& model, VecX& x) const;
  /// Every column.
  void solve(const Model& model, Eigen::Ref<RowMatX> x) const;
  /// x ← B⁻ᵀ x
  void solve_transposed(const Model& model, Eigen::Ref<VecX> x) const;

 private:
  TreeFactorization factorization_;
  bool is_body_ = false;
  double by_mass_ = 0;
  Mat3 by_rotation_ = Mat3::Zero();
};

}  // namespace jade
