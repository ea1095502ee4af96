#include "jade/contact/constraint_rows.h"

#include <algorithm>

#include "jade/dynamics/forward_dynamics.h"
#include "jade/math/wide_loops.h"

namespace jade {
namespace {

/// Columns 0 … 2 of J_l (M⁻¹ J_rᵀ), four numbers each, for two blocks of a tree: `kNv` velocities, or `nv` if that is 0.
template <int kNv>
JADE_INSIDE_LOOPS void product_of_blocks(int nv, const double* J, const double* MJ, double* columns) {
  Four first = MJ[0] * four_at(J), second = MJ[1] * four_at(J), third = MJ[2] * four_at(J);
  if constexpr (kNv > 0) nv = kNv;
#pragma GCC unroll 7
  for (int k = 1; k < nv; ++k) {
    const Four x = four_at(J + 4 * k);
    first += MJ[4 * k] * x;
    second += MJ[4 * k + 1] * x;
    third += MJ[4 * k + 2] * x;
  }
  four_at(columns) = first;
  four_at(columns + 4) = second;
  four_at(columns + 8) = third;
}

/// Adds a column's first `count` numbers to A, or sets them where nothing is yet, and their mirror: down the column at
/// `upper`, along the row at `lower`. At most three.
template <bool kAlone>
JADE_INSIDE_LOOPS void put(const double* column, int count, std::ptrdiff_t n, double* upper, double* lower) {
  const auto one = [&](std::ptrdiff_t i) {
    const double value = kAlone ? column[i] : upper[i] + column[i];
    lower[i * n] = upper[i] = value;
  };
  one(0);
  if (count == 1) return;
  one(1);
  if (count == 2) return;
  one(2);
}

JADE_INSIDE_LOOPS void add_rows(const Four& values, int rows, double* out) {
  out[0] += values[0];
  if (rows > 1) out[1] += values[1];
  if (rows > 2) out[2] += values[2];
}

}  // namespace

void ConstraintRows::clear() {
  rows_ = 0;
  blocks_.clear();
  last_block_.clear();
  J_.clear();
}

ConstraintRows::Block& ConstraintRows::add_block(const std::vector<RowTree>& trees, int tree, int count) {
  last_block_.resize(trees.size(), -1);
  const int nv = trees[tree].model->nv();
  blocks_.push_back({.tree = tree,
                     .first_row = rows_,
                     .rows = count,
                     .nv = nv,
                     .offset = static_cast<int>(J_.size()),
                     .next = last_block_[tree]});
  J_.resize(J_.size() + kLanes * nv, 0.0);
  last_block_[tree] = static_cast<int>(blocks_.size()) - 1;
  return blocks_.back();
}

JADE_WIDE_LOOPS void ConstraintRows::add_side(const RowTree& tree, int link, double sign, const Vec3& p,
                                              const Vec3* directions, const Block& block) {
  const Model& model = *tree.model;
  const DynamicsWorkspace& work = *tree.work;
  double* J = &J_[block.offset];
  // One coordinate of all directions each.
  Four x{}, y{}, z{};
  for (int r = 0; r < block.rows; ++r) {
    x[r] = sign * directions[r].x();
    y[r] = sign * directions[r].y();
    z[r] = sign * directions[r].z();
  }
  const Vec3& origin = work.origin[0];
  const double ax = p.x() - origin.x(), ay = p.y() - origin.y(), az = p.z() - origin.z();
  // A force along d at the arm has the moment arm × d about the origin; power with a motion (ω; v) is d·v + (arm × d)·ω.
  const Four nx = ay * z - az * y, ny = az * x - ax * z, nz = ax * y - ay * x;
  if (model.links().size() == 1 && model.links()[0].motion == LinkMotion::free) {
    four_at(J) += x, four_at(J + 4) += y, four_at(J + 8) += z;
    four_at(J + 12) += nx, four_at(J + 16) += ny, four_at(J + 20) += nz;
    return;
  }
  for (int i = link; i >= 0; i = model.links()[i].parent) {
    const Link& at = model.links()[i];
    for (int k = at.v; k < at.v + at.nv; ++k) {
      const double* S = work.S[k].data();
      four_at(J + 4 * k) += ((S[0] * nx + S[1] * ny) + (S[2] * nz + S[3] * x)) + (S[4] * y + S[5] * z);
    }
  }
}

int ConstraintRows::add_contact(const std::vector<RowTree>& trees, Anchor a, Anchor b, const Vec3& p,
                                const Vec3* directions, int count) {
  // Two links of one tree share a block: their motions partly cancel.
  if (a.tree >= 0) {
    const Block& block = add_block(trees, a.tree, count);
    add_side(trees[a.tree], a.link, -1, p, directions, block);
    if (b.tree == a.tree) add_side(trees[b.tree], b.link, 1, p, directions, block);
  }
  if (b.tree >= 0 && b.tree != a.tree)
    add_side(trees[b.tree], b.link, 1, p, directions, add_block(trees, b.tree, count));
  rows_ += count;
  return rows_ - count;
}

int ConstraintRows::add_coordinate(const std::vector<RowTree>& trees, int tree, int velocity, double sign) {
  J_[add_block(trees, tree, 1).offset + kLanes * velocity] = sign;
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
  if (rows > nv || nv == 6) {
    inverse_.resize(nv * nv);
    inverse_articulated(*tree.model, *tree.work, inverse_.data());
    return apply_inverse(last_block);
  }
  row_.resize(nv);
  for (int b = last_block; b >= 0; b = blocks_[b].next) {
    const double* J = &J_[blocks_[b].offset];
    double* MJ = &MJ_[blocks_[b].offset];
    std::fill(MJ, MJ + kLanes * nv, 0.0);
    for (int r = 0; r < blocks_[b].rows; ++r) {
      for (int k = 0; k < nv; ++k) row_[k] = J[kLanes * k + r];
      solve_articulated_rows(*tree.model, *tree.work, row_.data(), 1, row_.data());
      for (int k = 0; k < nv; ++k) MJ[kLanes * k + r] = row_[k];
    }
  }
}

JADE_WIDE_LOOPS void ConstraintRows::apply_inverse(int last_block) {
  const int nv = blocks_[last_block].nv;
  const double* inverse = inverse_.data();
  // The body alone in the air whose reference is its centre of mass: translation and rotation do not mix.
  bool apart = nv == 6;
  for (int k = 0; apart && k < 3; ++k)
    apart = inverse[6 * k + 3] == 0 && inverse[6 * k + 4] == 0 && inverse[6 * k + 5] == 0 &&
            inverse[6 * k + (k + 1) % 3] == 0 && inverse[6 * k + (k + 2) % 3] == 0;
  for (int b = last_block; b >= 0; b = blocks_[b].next) {
    const double* J = &J_[blocks_[b].offset];
    double* MJ = &MJ_[blocks_[b].offset];
    if (apart) {
      const Four x = four_at(J + 12), y = four_at(J + 16), z = four_at(J + 20);
      for (int k = 0; k < 3; ++k) {
        const double* turning = inverse + 6 * (k + 3) + 3;
        four_at(MJ + 4 * k) = inverse[7 * k] * four_at(J + 4 * k);
        four_at(MJ + 4 * (k + 3)) = (turning[0] * x + turning[1] * y) + turning[2] * z;
      }
      continue;
    }
    for (int k = 0; k < nv; ++k) {
      Four sum{};
#pragma GCC unroll 7
      for (int j = 0; j < nv; ++j) sum += inverse[k * nv + j] * four_at(J + 4 * j);
      four_at(MJ + 4 * k) = sum;
    }
  }
}

void ConstraintRows::form_A(MatX& A) const {
  // One tree fills all of A.
  const bool alone = std::count_if(last_block_.begin(), last_block_.end(), [](int b) { return b >= 0; }) == 1;
  A.resize(rows_, rows_);
  if (!alone) A.setZero();
  for (const int last : last_block_)
    if (last >= 0) add_tree(last, alone, A.data());
}

/// Adds J M⁻¹ Jᵀ of one tree to A, or sets it where there is no other. Exactly symmetric: the upper half is computed, the
/// lower is its mirror.
template <int kNv, bool kAlone>
JADE_INSIDE_LOOPS void ConstraintRows::add_products_of_blocks(int last_block, double* A) const {
  const std::ptrdiff_t n = rows_;
  double columns[12];
  for (int right = last_block; right >= 0; right = blocks_[right].next)
    for (int left = right; left >= 0; left = blocks_[left].next) {
      const Block &l = blocks_[left], &r = blocks_[right];
      product_of_blocks<kNv>(l.nv, &J_[l.offset], &MJ_[r.offset], columns);
      double *upper = A + r.first_row * n + l.first_row, *lower = A + l.first_row * n + r.first_row;
#pragma GCC unroll 1
      for (int j = 0; j < r.rows; ++j)
        put<kAlone>(columns + 4 * j, left == right ? j + 1 : l.rows, n, upper + j * n, lower + j);
    }
}

JADE_WIDE_LOOPS void ConstraintRows::add_tree(int last_block, bool alone, double* A) const {
  const int nv = blocks_[last_block].nv;
  if (nv == 6 && alone) return add_products_of_blocks<6, true>(last_block, A);
  if (nv == 6) return add_products_of_blocks<6, false>(last_block, A);
  if (nv == 7 && alone) return add_products_of_blocks<7, true>(last_block, A);
  if (alone) return add_products_of_blocks<0, true>(last_block, A);
  add_products_of_blocks<0, false>(last_block, A);
}

/// out += J v and, if asked for, size += |J||v|.
JADE_WIDE_LOOPS void ConstraintRows::multiply(double* out, double* size) const {
  for (const Block& block : blocks_) {
    const double *v = velocities_[block.tree], *J = &J_[block.offset];
    Four sum = v[0] * four_at(J), terms = absolute(sum);
#pragma GCC unroll 6
    for (int k = 1; k < block.nv; ++k) {
      const Four term = v[k] * four_at(J + 4 * k);
      sum += term;
      terms += absolute(term);
    }
    add_rows(sum, block.rows, out + block.first_row);
    if (size) add_rows(terms, block.rows, size + block.first_row);
  }
}

JADE_WIDE_LOOPS void ConstraintRows::add_impulses(int last_block, const double* f, double* v) const {
  for (int b = last_block; b >= 0; b = blocks_[b].next) {
    const Block& block = blocks_[b];
    const double* MJ = &MJ_[block.offset];
    Four impulse{};
    for (int r = 0; r < block.rows; ++r) impulse[r] = f[block.first_row + r];
    for (int k = 0; k < block.nv; ++k) {
      const Four change = impulse * four_at(MJ + 4 * k);
      v[k] += (change[0] + change[1]) + change[2];
    }
  }
}

}  // namespace jade
