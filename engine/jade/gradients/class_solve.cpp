#include "jade/gradients/class_solve.h"

#include <algorithm>
#include <cmath>

#include "jade/math/row_product.h"

namespace jade {

namespace {

// Rows that are as near as this to letting go are alike.
constexpr double kLeastWeight = 1e-4;

bool holds(const ClassSolve::Row& row) {
  return row.row_class == RowClass::clamped || row.row_class == RowClass::stick;
}

/// Unknowns that follow each other, as do those of the contacts of two bodies, are taken together: visit(place of the
/// first, count) for every run of them.
template <class Visit>
void for_each_run(const std::vector<int>& unknowns, Visit&& visit) {
  for (std::size_t i = 0, next = 0; i < unknowns.size(); i = next) {
    for (next = i + 1; next < unknowns.size() && unknowns[next] == unknowns[next - 1] + 1;) ++next;
    visit(static_cast<long>(i), static_cast<int>(next - i));
  }
}

}  // namespace

double ClassSolve::weight(int row, double most) const {
  return most > 0 ? std::clamp(rows[static_cast<std::size_t>(row)].margin / most, kLeastWeight, 1.0) : 1;
}

void ClassSolve::clear() {
  trees.clear();
  rows.clear();
  keep_forces = takes_mean = false;
  blocks_.clear();
  numbers_.clear();
  patches_.clear();
  functionals_.clear();
}

Eigen::Map<RowMatX> ClassSolve::add_block(int row, int count, int tree) {
  const int nv = trees[static_cast<std::size_t>(tree)].model->nv();
  blocks_.push_back({row, count, tree, numbers_.size()});
  numbers_.resize(numbers_.size() + static_cast<std::size_t>(count * nv), 0.0);
  return {numbers_.data() + blocks_.back().at, count, nv};
}

void ClassSolve::add_patch(const std::vector<Functional>& functionals) {
  patches_.push_back({functionals_.size(), functionals_.size() + functionals.size()});
  functionals_.insert(functionals_.end(), functionals.begin(), functionals.end());
}

/// A largest independent set of the rows of the patch that hold determines the others. Gram-Schmidt, largest first, in the
/// weights of the rows.
void ClassSolve::drop_redundant(const Patch& patch) {
  const auto begin = functionals_.begin() + static_cast<long>(patch.at);
  const auto end =
      std::remove_if(begin, functionals_.begin() + static_cast<long>(patch.end),
                     [&](const Functional& f) { return free_of_[static_cast<std::size_t>(f.row)] < 0; });
  if (end - begin <= 3) return;
  // Of a row's square. Angles below 1e-4 between rows are left to the elimination of K.
  constexpr double kDependent = 1e-8;
  // Rotations are weighed with the size of the patch.
  double size = 0, most = 0;
  for (auto f = begin; f != end; ++f) {
    size = std::max(size, f->of_motion.tail<3>().squaredNorm());
    most = std::max(most, rows[static_cast<std::size_t>(f->row)].margin);
  }
  Vec6 direction = Vec6::Zero();  // of the row that was chosen last: nothing is left of that one
  for (int step = 0; step < 6; ++step) {
    auto best = end;
    double largest = 0;
    for (auto f = begin; f != end; ++f) {
      if (f->row < 0) continue;
      if (step == 0) {
        if (size > 0) f->of_motion.tail<3>() /= std::sqrt(size);
        f->weight = weight(f->row, most);
        free_of_[static_cast<std::size_t>(f->row)] = -1;
      } else {
        f->of_motion -= direction * direction.dot(f->of_motion);
      }
      const double size_left = f->of_motion.squaredNorm();
      if (size_left <= kDependent) {
        f->row = -1;
        continue;
      }
      const double score = size_left * f->weight;
      if (score <= largest) continue;
      largest = score;
      best = f;
    }
    if (best == end) return;
    free_of_[static_cast<std::size_t>(best->row)] = 0;
    direction = best->of_motion.normalized();
  }
}

bool ClassSolve::slips() const {
  for (const Row& row : rows)
    if ((row.row_class == RowClass::high || row.row_class == RowClass::low) &&
        holds(rows[static_cast<std::size_t>(row.normal)]))
      return true;
  return false;
}

void ClassSolve::choose_free_rows() {
  free_.clear();
  ties_.clear();
  free_of_.assign(rows.size(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!holds(rows[i])) continue;
    free_of_[i] = 0;
    free_.push_back(static_cast<int>(i));
  }
  slips_ = slips();
  if (!slips_ && !takes_mean) {
    for (const Patch& patch : patches_) drop_redundant(patch);
    std::erase_if(free_, [&](int row) { return !is_free(row); });
  }
  for (std::size_t i = 0; i < free_.size(); ++i) {
    free_of_[static_cast<std::size_t>(free_[i])] = static_cast<int>(i);
    ties_.push_back({free_[i], static_cast<int>(i), 1});
  }
  for (std::size_t i = 0; slips_ && i < rows.size(); ++i) {
    const bool high = rows[i].row_class == RowClass::high, low = rows[i].row_class == RowClass::low;
    if (!high && !low) continue;
    const int normal = free_of_[static_cast<std::size_t>(rows[i].normal)];
    if (normal >= 0) ties_.push_back({static_cast<int>(i), normal, high ? rows[i].mu : -rows[i].mu});
  }
  acts_.assign(rows.size(), 0);
  for (const Tie& tie : ties_) acts_[static_cast<std::size_t>(tie.row)] = 1;
}

/// J and Z of the unknowns that act on a tree.
void ClassSolve::gather(int tree) {
  OnTree& on = on_tree_[static_cast<std::size_t>(tree)];
  const Tree& own = trees[static_cast<std::size_t>(tree)];
  const int nv = own.model->nv();
  on.free.clear();
  place_.assign(free_.size(), -1);
  for (const Block& block : blocks_) {
    if (block.tree != tree) continue;
    for (int r = block.row; r < block.row + block.count; ++r) {
      const int i = free_of_[static_cast<std::size_t>(r)];
      if (i < 0 || place_[static_cast<std::size_t>(i)] >= 0) continue;
      place_[static_cast<std::size_t>(i)] = static_cast<int>(on.free.size());
      on.free.push_back(i);
    }
  }
  const long n = static_cast<long>(on.free.size()), stride = (n + 3) / 4 * 4;
  on.J.setZero(n, nv);
  on.Z.setZero(nv, stride);
  for (const Block& block : blocks_) {
    if (block.tree != tree) continue;
    const Eigen::Map<const RowMatX> J(numbers_.data() + block.at, block.count, nv);
    for (int r = 0; r < block.count; ++r) {
      const Row& row = rows[static_cast<std::size_t>(block.row + r)];
      const int i = free_of_[static_cast<std::size_t>(block.row + r)];
      const auto add_to_Z = [&](int column, double factor) {
        double* to = on.Z.data() + column;
        for (int k = 0; k < nv; ++k, to += stride) *to += factor * J(r, k);
      };
      if (i >= 0) {
        const int place = place_[static_cast<std::size_t>(i)];
        for (int k = 0; k < nv; ++k) on.J(place, k) += J(r, k);
        add_to_Z(place, 1);
        continue;
      }
      const double slope = row.row_class == RowClass::high  ? row.mu
                           : row.row_class == RowClass::low ? -row.mu
                                                            : 0;
      const int normal = slope == 0 ? -1 : free_of_[static_cast<std::size_t>(row.normal)];
      if (normal >= 0) add_to_Z(place_[static_cast<std::size_t>(normal)], slope);
    }
  }
  for (int k = 0; k < nv; ++k)
    if (own.model->prescribed(k)) on.Z.row(k).setZero();
  if (n > 0) own.factor->solve(*own.model, on.Z);
}

bool ClassSolve::factor() {
  const long n = static_cast<long>(free_.size());
  K_.setZero(n, n);
  if (on_tree_.size() < trees.size()) on_tree_.resize(trees.size());
  for (std::size_t t = 0; t < trees.size(); ++t) {
    gather(static_cast<int>(t));
    OnTree& on = on_tree_[t];
    if (on.free.empty()) continue;
    const int count = static_cast<int>(on.free.size());
    on.K.resize(count, on.Z.cols());
    add_row_product({.M = on.J.data(),
                     .rows = count,
                     .columns = static_cast<int>(on.J.cols()),
                     .M_stride = on.J.cols(),
                     .in = on.Z.data(),
                     .in_stride = on.Z.cols(),
                     .out = on.K.data(),
                     .out_stride = on.K.cols(),
                     .width = static_cast<int>(on.K.cols()),
                     .afresh = true});
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j)
        K_(on.free[static_cast<std::size_t>(i)], on.free[static_cast<std::size_t>(j)]) += on.K(i, j);
  }
  W_ = K_.diagonal();
  double most = 0;
  for (const int row : free_) most = std::max(most, rows[static_cast<std::size_t>(row)].margin);
  weights_.resize(n);
  for (long i = 0; i < n; ++i) weights_[i] = weight(free_[static_cast<std::size_t>(i)], most);
  if (!slips_ && takes_mean) return inverse_.factor_mean(K_, W_);
  return slips_ ? inverse_.factor_pivoted(K_, W_) : inverse_.factor_independent(K_, W_, weights_);
}

bool ClassSolve::shares_matter() const {
  // Without slip shares have an effect only where rows are not quite the same, as those of two faces that lean by rounding.
  if (!(slips_ || takes_mean) || !inverse_.null_space(null_)) return false;
  double moved = 0, size = 0;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const OnTree& on = on_tree_[t];
    for (long c = 0; c < null_.cols(); ++c)
      for (long k = 0; k < on.Z.rows(); ++k) {
        double sum = 0;
        for (std::size_t i = 0; i < on.free.size(); ++i) {
          const double one = on.Z(k, static_cast<long>(i)) * null_(on.free[i], c);
          sum += one;
          size += one * one;
        }
        moved += sum * sum;
      }
  }
  // Rows that depend on each other leave 1e-15 of what the shares do one by one. More than that is no rounding, and counts
  // however little it is: where a nudge moves much load from one corner to another, as where a face lands nearly flush, it is a
  // small part of something large.
  constexpr double kNoEffect = 1e-12;
  return moved > kNoEffect * kNoEffect * size;
}

bool ClassSolve::set_weights(const VecX& W, bool shares) {
  W_ = W;
  return slips_ || shares ? inverse_.factor_shared(K_, W_) : inverse_.factor_mean(K_, W_);
}

VecX ClassSolve::rates_of_shares(const VecX& f) const {
  e_.resize(static_cast<long>(free_.size()), 1);
  int size = 0;
  for (std::size_t i = 0; i < free_.size(); ++i)
    e_(static_cast<long>(i), 0) = W_[static_cast<long>(i)] * f[free_[i]];
  inverse_.solve(e_);
  for (const Tree& tree : trees) size = std::max(size, tree.first + tree.model->nv());
  VecX rates = VecX::Zero(size);
  for (std::size_t t = 0; t < trees.size(); ++t)
    for (std::size_t i = 0; i < on_tree_[t].free.size(); ++i)
      rates.segment(trees[t].first, trees[t].model->nv()) -=
          e_(on_tree_[t].free[i], 0) * on_tree_[t].Z.col(static_cast<long>(i));
  return rates;
}

void ClassSolve::solve(Eigen::Ref<RowMatX> x, int v, int f, int shares) const {
  for (const Tree& tree : trees)
    if (!tree.solved) tree.factor->solve(*tree.model, x.middleRows(v + tree.first, tree.model->nv()));
  if (rows.empty()) return;
  const long n = static_cast<long>(free_.size()), columns = x.cols();
  e_.resize(n, columns);
  for (long i = 0; i < n; ++i) e_.row(i) = x.row(f + free_[static_cast<std::size_t>(i)]);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const OnTree& on = on_tree_[t];
    for_each_run(on.free, [&](long i, int count) {
      add_row_product({.M = &on.J(i, 0),
                       .rows = count,
                       .columns = static_cast<int>(on.J.cols()),
                       .M_stride = on.J.cols(),
                       .scale = -1,
                       .in = &x(v + trees[t].first, 0),
                       .in_stride = x.outerStride(),
                       .out = &e_(on.free[static_cast<std::size_t>(i)], 0),
                       .out_stride = columns,
                       .width = static_cast<int>(columns)});
    });
  }
  inverse_.solve(e_);
  if (shares >= 0) {
    part_.resize(n, columns);
    for (long i = 0; i < n; ++i) part_.row(i) = x.row(shares + free_[static_cast<std::size_t>(i)]);
    inverse_.null_part(part_);
    e_ += part_;
  }
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const OnTree& on = on_tree_[t];
    for_each_run(on.free, [&](long i, int count) {
      add_row_product({.M = &on.Z(0, i),
                       .rows = static_cast<int>(on.Z.rows()),
                       .columns = count,
                       .M_stride = on.Z.cols(),
                       .in = &e_(on.free[static_cast<std::size_t>(i)], 0),
                       .in_stride = columns,
                       .out = &x(v + trees[t].first, 0),
                       .out_stride = x.outerStride(),
                       .width = static_cast<int>(columns)});
    });
  }
  if (!keep_forces) return;
  x.middleRows(f, static_cast<long>(rows.size())).setZero();
  for (const Tie& tie : ties_) x.row(f + tie.row) += tie.slope * e_.row(tie.free);
}

void ClassSolve::solve_transposed(VecX& x, int v, int f, int shares) const {
  if (!rows.empty()) {
    VecX& e = e_one_;
    e.setZero(static_cast<long>(free_.size()));
    for (std::size_t t = 0; t < trees.size(); ++t) {
      const OnTree& on = on_tree_[t];
      for (long k = 0; k < on.Z.rows(); ++k)
        for (std::size_t i = 0; i < on.free.size(); ++i)
          e[on.free[i]] += on.Z(k, static_cast<long>(i)) * x[v + trees[t].first + k];
    }
    for (std::size_t i = 0; keep_forces && i < ties_.size(); ++i)
      e[ties_[i].free] += ties_[i].slope * x[f + ties_[i].row];
    if (shares >= 0) {
      part_one_ = e;
      inverse_.null_part_transposed(part_one_);
      for (std::size_t i = 0; i < free_.size(); ++i) x[shares + free_[i]] += part_one_[static_cast<long>(i)];
    }
    inverse_.solve_transposed(e);
    x.segment(f, static_cast<long>(rows.size())).setZero();
    for (std::size_t i = 0; i < free_.size(); ++i) x[f + free_[i]] = e[static_cast<long>(i)];
    for (std::size_t t = 0; t < trees.size(); ++t) {
      const OnTree& on = on_tree_[t];
      for (std::size_t i = 0; i < on.free.size(); ++i)
        for (long k = 0; k < on.J.cols(); ++k)
          x[v + trees[t].first + k] -= on.J(static_cast<long>(i), k) * e[on.free[i]];
    }
  }
  for (const Tree& tree : trees)
    if (!tree.solved) tree.factor->solve_transposed(*tree.model, x.segment(v + tree.first, tree.model->nv()));
}

}  // namespace jade
