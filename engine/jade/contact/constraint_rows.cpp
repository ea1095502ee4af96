#include "jade/contact/constraint_rows.h"

#include <algorithm>

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
  for (std::size_t t = 0; t < last_block_.size(); ++t)
    if (last_block_[t] >= 0) solve_tree(trees[t], last_block_[t]);
}

/// A tree with more rows than velocities is asked for its whole M⁻¹ once; J M⁻¹ is then cheaper than a sweep a row.
void ConstraintRows::solve_tree(const RowTree& tree, int last_block) {
  const int nv = tree.model->nv();
  int rows = 0;
  for (int b = last_block; b >= 0; b = blocks_[b].next) rows += blocks_[b].rows;
  if (rows <= nv) {
    for (int b = last_block; b >= 0; b = blocks_[b].next)
      solve_articulated_rows(*tree.model, *tree.work, &J_[blocks_[b].offset], blocks_[b].rows,
                             &MJ_[blocks_[b].offset]);
    return;
  }
  identity_.assign(nv * nv, 0);
  inverse_.resize(nv * nv);
  for (int k = 0; k < nv; ++k) identity_[k * nv + k] = 1;
  solve_articulated_rows(*tree.model, *tree.work, identity_.data(), nv, inverse_.data());
  for (int b = last_block; b >= 0; b = blocks_[b].next)
    for (int r = 0; r < blocks_[b].rows; ++r) {
      const double* J = &J_[blocks_[b].offset + r * nv];
      double* MJ = &MJ_[blocks_[b].offset + r * nv];
      for (int i = 0; i < nv; ++i) MJ[i] = dot(nv, &inverse_[i * nv], J);
    }
}

template <class Visit>
void ConstraintRows::for_each_meeting(Visit&& visit) const {
  for (const int last : last_block_)
    for (int r = last; r >= 0; r = blocks_[r].next)
      for (int l = r; l >= 0; l = blocks_[l].next) visit(blocks_[l], blocks_[r]);
}

void ConstraintRows::form_A(MatX& A) const {
  A.setZero(rows_, rows_);
  for_each_meeting([&](const Block& left, const Block& right) {
    double* first = &A.coeffRef(left.first_row, right.first_row);
    const double *J = &J_[left.offset], *MJ = &MJ_[right.offset];
    const int nv = left.nv;
    if (nv == 6 && left.rows == 3 && right.rows == 3) {
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) first[j * rows_ + i] += dot(6, J + 6 * i, MJ + 6 * j);
      return;
    }
    for (int j = 0; j < right.rows; ++j)
      for (int i = 0; i < left.rows; ++i) first[j * rows_ + i] += dot(nv, J + nv * i, MJ + nv * j);
  });
  // Exactly symmetric: the upper half was computed, the lower is its mirror.
  for_each_meeting([&](const Block& left, const Block& right) {
    for (int j = 0; j < right.rows; ++j) {
      const int end = std::min(left.rows, right.first_row + j - left.first_row);
      for (int i = 0; i < end; ++i)
        A(right.first_row + j, left.first_row + i) = A(left.first_row + i, right.first_row + j);
    }
  });
}

}  // namespace jade
