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
  inverse_.resize(nv * nv);
  inverse_articulated(*tree.model, *tree.work, inverse_.data());
  for (int b = last_block; b >= 0; b = blocks_[b].next)
    for (int r = 0; r < blocks_[b].rows; ++r) {
      const int at = blocks_[b].offset + r * nv;
      combine(nv, inverse_.data(), nv, nv, &J_[at], &MJ_[at]);
    }
}

/// A = Σ over trees of J_t (M_t⁻¹ J_tᵀ), a column at a time. The rows of a tree are laid side by side first, so that the
/// long loops run over them.
void ConstraintRows::form_A(MatX& A) {
  // One tree fills all of A.
  const bool alone = std::count_if(last_block_.begin(), last_block_.end(), [](int b) { return b >= 0; }) == 1;
  if (alone)
    A.resize(rows_, rows_);
  else
    A.setZero(rows_, rows_);
  for (const int last : last_block_) {
    if (last < 0) continue;
    lay_out(last);
    const int count = static_cast<int>(place_.size()), nv = blocks_[last].nv;
    for (int j = 0; j < count; ++j) {
      double* to = &A.coeffRef(0, place_[j].row);
      combine(nv, side_by_side_.data(), count, j + 1, &MJ_[place_[j].offset], alone ? to : column_.data());
      if (alone) continue;
      for (int i = 0; i <= j; ++i) to[place_[i].row] += column_[i];
    }
  }
  // Exactly symmetric: the upper half was computed, the lower is its mirror.
  const auto mirror = [&](const Block& left, const Block& right) {
    for (int j = right.first_row; j < right.first_row + right.rows; ++j)
      for (int i = left.first_row; i < std::min(j, left.first_row + left.rows); ++i) A(j, i) = A(i, j);
  };
  for (const int last : last_block_)
    for (int r = last; r >= 0; r = blocks_[r].next)
      for (int l = r; l >= 0; l = blocks_[l].next) mirror(blocks_[l], blocks_[r]);
}

/// Where the rows of a tree are, ascending, and Jᵀ of them: nv lines of as many numbers as there are rows.
void ConstraintRows::lay_out(int last_block) {
  place_.clear();
  for (int b = last_block; b >= 0; b = blocks_[b].next)
    for (int r = blocks_[b].rows; r-- > 0;)
      place_.push_back({blocks_[b].first_row + r, blocks_[b].offset + r * blocks_[b].nv});
  std::reverse(place_.begin(), place_.end());
  const int count = static_cast<int>(place_.size()), nv = blocks_[last_block].nv;
  column_.resize(count);
  side_by_side_.resize(static_cast<std::size_t>(nv) * count);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < nv; ++k) side_by_side_[k * count + i] = J_[place_[i].offset + k];
}

/// out_i = Σ_k weights_k lines[k · stride + i] for i < count, k < nv.
void ConstraintRows::combine(int nv, const double* __restrict lines, int stride, int count,
                             const double* __restrict weights, double* __restrict out) {
  if (nv == 6) {
    const double *x = lines, *w = weights;
    const double a = w[0], b = w[1], c = w[2], d = w[3], e = w[4], f = w[5];
    for (int i = 0; i < count; ++i)
      out[i] = ((a * x[i] + b * x[i + stride]) + (c * x[i + 2 * stride] + d * x[i + 3 * stride])) +
               (e * x[i + 4 * stride] + f * x[i + 5 * stride]);
    return;
  }
  int k = nv % 2;
  for (int i = 0; i < count; ++i) out[i] = k == 0 ? 0.0 : weights[0] * lines[i];
  for (; k + 1 < nv; k += 2) {
    const double a = weights[k], b = weights[k + 1];
    const double *x = lines + k * stride, *y = x + stride;
    for (int i = 0; i < count; ++i) out[i] += a * x[i] + b * y[i];
  }
}

}  // namespace jade
