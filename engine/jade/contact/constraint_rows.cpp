#include "jade/contact/constraint_rows.h"

#include "jade/dynamics/forward_dynamics.h"

namespace jade {

void ConstraintRows::clear() {
  rows_ = 0;
  blocks_.clear();
  last_block_.clear();
  J_.clear();
  MJ_.clear();
}

ConstraintRows::Block& ConstraintRows::add_block(const std::vector<RowTree>& trees, int tree, int count) {
  last_block_.resize(trees.size(), -1);
  Block block{.tree = tree,
              .first_row = rows_,
              .rows = count,
              .nv = trees[tree].model->nv(),
              .offset = static_cast<int>(J_.size()),
              .next = last_block_[tree]};
  J_.resize(J_.size() + block.rows * block.nv, 0.0);
  last_block_[tree] = static_cast<int>(blocks_.size());
  blocks_.push_back(block);
  return blocks_.back();
}

int ConstraintRows::add_contact(const std::vector<RowTree>& trees, Anchor a, Anchor b, const Vec3& p,
                                const Vec3* directions, int count) {
  const auto add_side = [&](Anchor anchor, double sign, const Block& block) {
    const Model& model = *trees[anchor.tree].model;
    const DynamicsWorkspace& work = *trees[anchor.tree].work;
    const Vec3 arm = p - work.origin[0];
    // A body alone in the air: d·(v + ω × arm) = d·v + (arm × d)·ω.
    if (model.links().size() == 1 && model.links()[0].motion == LinkMotion::free) {
      for (int r = 0; r < count; ++r) {
        const Vec3 turning = cross3(arm, directions[r]);
        for (int k = 0; k < 3; ++k) {
          J_[block.offset + 6 * r + k] += sign * directions[r][k];
          J_[block.offset + 6 * r + 3 + k] += sign * turning[k];
        }
      }
      return;
    }
    for (int i = anchor.link; i >= 0; i = model.links()[i].parent) {
      const Link& link = model.links()[i];
      for (int k = link.v; k < link.v + link.nv; ++k) {
        const Vec3 velocity = work.S[k].tail<3>() + cross3(work.S[k].head<3>(), arm);
        for (int r = 0; r < count; ++r)
          J_[block.offset + r * block.nv + k] += sign * directions[r].dot(velocity);
      }
    }
  };
  // Two links of one tree share a block: their motions partly cancel.
  if (a.tree >= 0) {
    const Block block = add_block(trees, a.tree, count);
    add_side(a, -1, block);
    if (b.tree == a.tree) add_side(b, 1, block);
  }
  if (b.tree >= 0 && b.tree != a.tree) add_side(b, 1, add_block(trees, b.tree, count));
  rows_ += count;
  return rows_ - count;
}

int ConstraintRows::add_coordinate(const std::vector<RowTree>& trees, int tree, int velocity, double sign) {
  const Block block = add_block(trees, tree, 1);
  J_[block.offset + velocity] = sign;
  return rows_++;
}

void ConstraintRows::solve_columns(const std::vector<RowTree>& trees) {
  MJ_.resize(J_.size());
  for (const Block& block : blocks_)
    solve_articulated_rows(*trees[block.tree].model, *trees[block.tree].work, &J_[block.offset], block.rows,
                           &MJ_[block.offset]);
}

void ConstraintRows::form_A(MatX& A) const {
  A.setZero(rows_, rows_);
  for (const Block& right : blocks_)
    for (int l = last_block_[right.tree]; l >= 0; l = blocks_[l].next) {
      const Block& left = blocks_[l];
      if (left.first_row > right.first_row) continue;
      if (left.nv == 6)
        add_products<6>(left, right, A);
      else
        add_products<Eigen::Dynamic>(left, right, A);
    }
  // Exactly symmetric: the upper half was computed, the lower is its mirror.
  for (int j = 0; j < rows_; ++j)
    for (int i = 0; i < j; ++i) A(j, i) = A(i, j);
}

/// A(left, right) += J_left M⁻¹ J_rightᵀ.
template <int kVelocities>
void ConstraintRows::add_products(const Block& left, const Block& right, MatX& A) const {
  const int nv = kVelocities == Eigen::Dynamic ? left.nv : kVelocities;
  const double* J = &J_[left.offset];
  const double* MJ = &MJ_[right.offset];
  for (int j = 0; j < right.rows; ++j)
    for (int i = 0; i < left.rows; ++i) {
      double sum = 0;
      for (int k = 0; k < nv; ++k) sum += J[i * nv + k] * MJ[j * nv + k];
      A(left.first_row + i, right.first_row + j) += sum;
    }
}

}  // namespace jade
