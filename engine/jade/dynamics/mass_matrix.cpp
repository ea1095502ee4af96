#include "jade/dynamics/mass_matrix.h"

#include "jade/dynamics/kinematics.h"
#include "jade/math/row_product.h"

namespace jade {

void crba(const Model& model, DynamicsWorkspace& work, MatX& M) {
  const auto& links = model.links();
  const auto& before = model.velocity_parent();
  M.setZero(model.nv(), model.nv());
  work.composite = work.inertia;
  for (std::size_t i = links.size(); i-- > 0;) {
    const Link& link = links[i];
    if (link.parent >= 0) work.composite[link.parent] += work.composite[i];
    for (int k = link.v; k < link.v + link.nv; ++k) {
      const Vec6 F = work.composite[i] * work.S[k];
      for (int j = k; j >= 0; j = before[j]) M(j, k) = M(k, j) = work.S[j].dot(F);
      M(k, k) += model.armature()[k];
    }
  }
}

MatX crba(const Model& model, const VecX& q) {
  DynamicsWorkspace work(model);
  update_positions(model, q, work);
  MatX M;
  crba(model, work, M);
  return M;
}

TreeFactorization::TreeFactorization(const Model& model)
    : LU_(RowMatX::Zero(model.nv(), model.nv())), run_start_(static_cast<std::size_t>(model.nv())) {
  for (int k = 0; k < model.nv(); ++k)
    run_start_[k] = k > 0 && model.velocity_parent()[k] == k - 1 ? run_start_[k - 1] : k;
}

/// Calls visit(first, count) for every run of neighbouring coordinates on the way from k (not included) to the world.
template <class Visit>
void TreeFactorization::for_each_run_before(const Model& model, int k, Visit&& visit) const {
  for (int j = model.velocity_parent()[k]; j >= 0;) {
    const int first = run_start_[j];
    visit(first, j + 1 - first);
    j = model.velocity_parent()[first];
  }
}

bool TreeFactorization::factor_in_place(const Model& model) {
  const auto& before = model.velocity_parent();
  for (int k = 0; k < model.nv(); ++k) {
    if (!model.prescribed(k)) continue;
    LU_.row(k).setZero();
    LU_.col(k).setZero();
    LU_(k, k) = 1;
  }
  for (int k = model.nv(); k-- > 0;) {
    const double pivot = LU_(k, k);
    if (!(pivot > 0)) return false;
    const double inverse = 1 / pivot;
    LU_(k, k) = inverse;
    double* row_k = &LU_(k, 0);
    for (int i = before[k]; i >= 0; i = before[i]) {
      double* row_i = &LU_(i, 0);
      const double u = row_i[k] * inverse;
      for_each_run_before(model, k, [&](int first, int count) {
        for (int j = first; j < first + count; ++j) row_i[j] -= u * row_k[j];
      });
      row_i[k] = u;
    }
    for_each_run_before(model, k, [&](int first, int count) {
      for (int j = first; j < first + count; ++j) row_k[j] *= inverse;
    });
  }
  return true;
}

void TreeFactorization::solve(const Model& model, VecX& x) const {
  const auto& before = model.velocity_parent();
  for (int k = model.nv(); k-- > 0;)
    for (int i = before[k]; i >= 0; i = before[i]) x[i] -= LU_(i, k) * x[k];
  for (int k = 0; k < model.nv(); ++k) {
    x[k] *= LU_(k, k);
    for (int j = before[k]; j >= 0; j = before[j]) x[k] -= LU_(k, j) * x[j];
  }
}

void TreeFactorization::solve_transposed(const Model& model, Eigen::Ref<VecX> x) const {
  const auto& before = model.velocity_parent();
  for (int k = model.nv(); k-- > 0;)
    for (int j = before[k]; j >= 0; j = before[j]) x[j] -= LU_(k, j) * x[k];
  for (int k = 0; k < model.nv(); ++k) {
    x[k] *= LU_(k, k);
    for (int i = before[k]; i >= 0; i = before[i]) x[k] -= LU_(i, k) * x[i];
  }
}

JADE_WIDE_LOOPS void TreeFactorization::solve(const Model& model, Eigen::Ref<RowMatX> x) const {
  const int nv = model.nv(), width = static_cast<int>(x.cols());
  const long stride = x.outerStride();
  double* const rows = x.data();
  // Entries of U and L that are not on the way to the world are zero.
  for (int k = nv - 1; k-- > 0;)
    add_row_product_inside({.M = &LU_(k, k + 1),
                            .columns = nv - 1 - k,
                            .scale = -1,
                            .in = rows + (k + 1) * stride,
                            .in_stride = stride,
                            .out = rows + k * stride,
                            .width = width});
  for (int k = 0; k < nv; ++k) {
    double* const row = rows + k * stride;
    for (int c = 0; c < width; ++c) row[c] *= LU_(k, k);
    add_row_product_inside({.M = &LU_(k, 0),
                            .columns = k,
                            .scale = -1,
                            .in = rows,
                            .in_stride = stride,
                            .out = row,
                            .width = width});
  }
}

}  // namespace jade
