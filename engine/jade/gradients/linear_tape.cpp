#include "jade/gradients/linear_tape.h"

namespace jade {

bool ClassSolve::factor() {
  size_ = 0;
  for (const Tree& tree : trees) size_ = std::max(size_, tree.first + tree.model->nv());
  free_.clear();
  ties_.clear();
  std::vector<int> free_of(rows.size(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].row_class != RowClass::clamped && rows[i].row_class != RowClass::stick) continue;
    free_of[i] = static_cast<int>(free_.size());
    ties_.push_back({static_cast<int>(i), free_of[i], 1});
    free_.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool high = rows[i].row_class == RowClass::high, low = rows[i].row_class == RowClass::low;
    if ((high || low) && free_of[static_cast<std::size_t>(rows[i].normal)] >= 0)
      ties_.push_back({static_cast<int>(i), free_of[static_cast<std::size_t>(rows[i].normal)],
                       high ? rows[i].mu : -rows[i].mu});
  }
  const long n = static_cast<long>(free_.size());
  Z_.setZero(size_, n);
  const auto row_of = [&](const Block& block, int row) { return row - block.row; };
  for (const Block& block : blocks)
    for (const Tie& tie : ties_) {
      const int r = row_of(block, tie.row);
      if (r < 0 || r >= block.J.rows()) continue;
      Z_.col(tie.free).segment(block.column, block.J.cols()) += tie.slope * block.J.row(r).transpose();
    }
  for (const Tree& tree : trees) {
    for (int k = 0; k < tree.model->nv(); ++k)
      if (tree.model->prescribed(k)) Z_.row(tree.first + k).setZero();
    tree.factor.solve(*tree.model, Z_.middleRows(tree.first, tree.model->nv()));
  }
  MatX K = MatX::Zero(n, n);
  for (const Block& block : blocks)
    for (long i = 0; i < n; ++i) {
      const int r = row_of(block, free_[static_cast<std::size_t>(i)]);
      if (r < 0 || r >= block.J.rows()) continue;
      K.row(i) += block.J.row(r) * Z_.middleRows(block.column, block.J.cols());
    }
  K_ = K;
  W_ = K.diagonal();
  return inverse_.factor(K_, W_);
}

bool ClassSolve::shares_matter() const {
  // One force a row: nothing slips. As many independent rows as unknowns: nothing is shared.
  if (ties_.size() == free_.size() || free_.size() < 2) return false;
  MatX part = MatX::Identity(static_cast<long>(free_.size()), static_cast<long>(free_.size()));
  inverse_.null_part(part);
  const double size = (Z_ * W_.cwiseAbs().cwiseInverse().asDiagonal()).norm();
  return (Z_ * part).norm() > 1e-6 * size;  // rounding of (ε W H)ᴺ is 1e-9
}

bool ClassSolve::set_weights(const VecX& W) {
  W_ = W;
  return inverse_.factor(K_, W_);
}

VecX ClassSolve::rates_of_shares(const VecX& f) const {
  MatX x(static_cast<long>(free_.size()), 1);
  for (std::size_t i = 0; i < free_.size(); ++i)
    x(static_cast<long>(i), 0) = W_[static_cast<long>(i)] * f[free_[i]];
  inverse_.solve(x);
  return -(Z_ * x);
}

void ClassSolve::solve(RowMatX& x, int v, int f, int shares) const {
  for (const Tree& tree : trees)
    tree.factor.solve(*tree.model, x.middleRows(v + tree.first, tree.model->nv()));
  if (rows.empty()) return;
  auto forces = x.middleRows(f, static_cast<long>(rows.size()));
  for (const Block& block : blocks)
    forces.middleRows(block.row, block.J.rows()).noalias() -=
        block.J * x.middleRows(v + block.column, block.J.cols());
  MatX e(static_cast<long>(free_.size()), x.cols());
  for (std::size_t i = 0; i < free_.size(); ++i) e.row(static_cast<long>(i)) = forces.row(free_[i]);
  inverse_.solve(e);
  if (shares >= 0) {
    MatX part(e.rows(), e.cols());
    for (std::size_t i = 0; i < free_.size(); ++i) part.row(static_cast<long>(i)) = x.row(shares + free_[i]);
    inverse_.null_part(part);
    e += part;
  }
  x.middleRows(v, size_).noalias() += Z_ * e;
  forces.setZero();
  for (const Tie& tie : ties_) forces.row(tie.row) += tie.slope * e.row(tie.free);
}

void ClassSolve::solve_transposed(VecX& x, int v, int f, int shares) const {
  if (!rows.empty()) {
    auto forces = x.segment(f, static_cast<long>(rows.size()));
    VecX e = Z_.transpose() * x.segment(v, size_);
    for (const Tie& tie : ties_) e[tie.free] += tie.slope * forces[tie.row];
    if (shares >= 0) {
      VecX part = e;
      inverse_.null_part_transposed(part);
      for (std::size_t i = 0; i < free_.size(); ++i) x[shares + free_[i]] += part[static_cast<long>(i)];
    }
    inverse_.solve_transposed(e);
    forces.setZero();
    for (std::size_t i = 0; i < free_.size(); ++i) forces[free_[i]] = e[static_cast<long>(i)];
    for (const Block& block : blocks)
      x.segment(v + block.column, block.J.cols()).noalias() -=
          block.J.transpose() * forces.segment(block.row, block.J.rows());
  }
  for (const Tree& tree : trees)
    tree.factor.solve_transposed(*tree.model, x.segment(v + tree.first, tree.model->nv()));
}

void LinearTape::clear() {
  rows_ = 0;
  maps_.clear();
  numbers_.clear();
  trees_.clear();
  classes_.clear();
}

void LinearTape::solve(int at, const Model& model, TreeFactorization factor) {
  maps_.push_back({at, at, model.nv(), model.nv(), static_cast<int>(trees_.size()), Kind::tree});
  trees_.push_back({&model, std::move(factor)});
}

void LinearTape::solve(int velocities, int forces, int shares, ClassSolve classes) {
  maps_.push_back({velocities, forces, shares, 0, static_cast<int>(classes_.size()), Kind::classes});
  classes_.push_back(std::move(classes));
}

void LinearTape::forward(RowMatX& x) const {
  for (const Map& map : maps_) {
    switch (map.kind) {
      case Kind::product: {
        const double* M = &numbers_[static_cast<std::size_t>(map.at)];
        for (int i = 0; i < map.rows; ++i)
          for (int j = 0; j < map.columns; ++j, ++M)
            if (*M != 0) x.row(map.out + i) += *M * x.row(map.in + j);
        break;
      }
      case Kind::scaled:
        x.middleRows(map.out, map.rows) +=
            numbers_[static_cast<std::size_t>(map.at)] * x.middleRows(map.in, map.rows);
        break;
      case Kind::tree: {
        const TreeSolve& tree = trees_[static_cast<std::size_t>(map.at)];
        tree.factor.solve(*tree.model, x.middleRows(map.out, map.rows));
        break;
      }
      case Kind::classes:
        classes_[static_cast<std::size_t>(map.at)].solve(x, map.out, map.in, map.rows);
        break;
    }
  }
}

void LinearTape::backward(VecX& x) const {
  for (auto it = maps_.rbegin(); it != maps_.rend(); ++it) {
    const Map& map = *it;
    switch (map.kind) {
      case Kind::product: {
        const double* M = &numbers_[static_cast<std::size_t>(map.at)];
        for (int i = 0; i < map.rows; ++i)
          for (int j = 0; j < map.columns; ++j, ++M) x[map.in + j] += *M * x[map.out + i];
        break;
      }
      case Kind::scaled:
        x.segment(map.in, map.rows) +=
            numbers_[static_cast<std::size_t>(map.at)] * x.segment(map.out, map.rows);
        break;
      case Kind::tree: {
        const TreeSolve& tree = trees_[static_cast<std::size_t>(map.at)];
        tree.factor.solve_transposed(*tree.model, x.segment(map.out, map.rows));
        break;
      }
      case Kind::classes:
        classes_[static_cast<std::size_t>(map.at)].solve_transposed(x, map.out, map.in, map.rows);
        break;
    }
  }
}

}  // namespace jade
