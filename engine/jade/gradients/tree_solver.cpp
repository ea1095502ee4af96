#include "jade/gradients/tree_solver.h"

#include <Eigen/LU>

namespace jade {

bool TreeSolver::factor_body(double mass, const Mat3& rotation) {
  is_body_ = true;
  by_mass_ = 1 / mass;
  by_rotation_ = rotation.inverse();
  return rotation.determinant() > 0 && by_rotation_.allFinite();
}

void TreeSolver::solve(const Model& model, VecX& x) const {
  if (!is_body_) return factorization_.solve(model, x);
  x.head<3>() *= by_mass_;
  const Vec3 turned = by_rotation_ * x.tail<3>();
  x.tail<3>() = turned;
}

void TreeSolver::solve(const Model& model, Eigen::Ref<RowMatX> x) const {
  if (!is_body_) return factorization_.solve(model, x);
  const long stride = x.outerStride();
  double* const row = x.data();
  for (int i = 0; i < 3; ++i)
    for (long k = 0; k < x.cols(); ++k) row[i * stride + k] *= by_mass_;
  const Mat3& B = by_rotation_;
  double *const a = row + 3 * stride, *const b = a + stride, *const c = b + stride;
  for (long k = 0; k < x.cols(); ++k) {
    const double ak = a[k], bk = b[k], ck = c[k];
    a[k] = B(0, 0) * ak + B(0, 1) * bk + B(0, 2) * ck;
    b[k] = B(1, 0) * ak + B(1, 1) * bk + B(1, 2) * ck;
    c[k] = B(2, 0) * ak + B(2, 1) * bk + B(2, 2) * ck;
  }
}

void TreeSolver::solve_transposed(const Model& model, Eigen::Ref<VecX> x) const {
  if (!is_body_) return factorization_.solve_transposed(model, x);
  x.head<3>() *= by_mass_;
  const Vec3 turned = by_rotation_.transpose() * x.tail<3>();
  x.tail<3>() = turned;
}

}  // namespace jade
