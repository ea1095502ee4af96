#include "jade/gradients/tree_solver.h"

namespace jade {

bool TreeSolver::factor_body(double mass, const Mat3& rotation) {
  kind_ = Kind::body;
  by_mass_ = 1 / mass;
  by_rotation_ = rotation.inverse();
  return rotation.determinant() > 0 && by_rotation_.allFinite();
}

bool TreeSolver::factor_whole(const Model& model, const MatX& B) {
  kind_ = Kind::whole;
  MatX free = B;
  for (int k = 0; k < model.nv(); ++k) {
    if (!model.prescribed(k)) continue;
    free.row(k).setZero();
    free.col(k).setZero();
    free(k, k) = 1;
  }
  whole_.compute(free);
  return whole_.matrixLU().allFinite() && (whole_.matrixLU().diagonal().array() != 0).all();
}

void TreeSolver::solve(const Model& model, VecX& x) const {
  if (kind_ == Kind::tree) return factorization_.solve(model, x);
  if (kind_ == Kind::whole) {
    x = whole_.solve(x).eval();
    return;
  }
  x.head<3>() *= by_mass_;
  const Vec3 turned = by_rotation_ * x.tail<3>();
  x.tail<3>() = turned;
}

void TreeSolver::solve(const Model& model, Eigen::Ref<RowMatX> x) const {
  if (kind_ == Kind::tree) return factorization_.solve(model, x);
  if (kind_ == Kind::whole) {
    x = whole_.solve(x).eval();
    return;
  }
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
  if (kind_ == Kind::tree) return factorization_.solve_transposed(model, x);
  if (kind_ == Kind::whole) {
    x = whole_.transpose().solve(x).eval();
    return;
  }
  x.head<3>() *= by_mass_;
  const Vec3 turned = by_rotation_.transpose() * x.tail<3>();
  x.tail<3>() = turned;
}

}  // namespace jade
