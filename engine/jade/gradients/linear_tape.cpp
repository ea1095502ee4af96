#include "jade/gradients/linear_tape.h"

#include <algorithm>

namespace jade {

void LinearTape::clear() {
  rows_ = 0;
  maps_.clear();
  numbers_.clear();
  trees_.clear();
  classes_.clear();
  pool_used_ = 0;
}

void LinearTape::solve(int at, const Model& model, const TreeSolver& factor) {
  maps_.push_back({at, at, model.nv(), model.nv(), static_cast<int>(trees_.size()), Kind::tree});
  trees_.push_back({&model, &factor});
}

ClassSolve& LinearTape::new_classes() {
  if (pool_used_ == pool_.size()) pool_.emplace_back();
  ClassSolve& classes = pool_[pool_used_++];
  classes.clear();
  return classes;
}

void LinearTape::solve(int velocities, int forces, int shares, const ClassSolve& classes) {
  maps_.push_back({velocities, forces, shares, 0, static_cast<int>(classes_.size()), Kind::classes});
  classes_.push_back(&classes);
}

void LinearTape::Columns::begin(int rows, int columns) {
  if (x.rows() < rows || x.cols() != columns) x.resize(std::max<long>(rows, x.rows()), columns);
  from.assign(static_cast<std::size_t>(rows), 0);
  end.assign(static_cast<std::size_t>(rows), 0);
}

void LinearTape::Columns::widen(int row, int first, int last) {
  int &a = from[static_cast<std::size_t>(row)], &b = end[static_cast<std::size_t>(row)];
  double* numbers = x.data() + static_cast<long>(row) * x.cols();
  if (first >= last) return;
  if (a == b) {
    std::fill(numbers + first, numbers + last, 0.0);
    a = first;
    b = last;
    return;
  }
  if (first < a) std::fill(numbers + first, numbers + a, 0.0), a = first;
  if (last > b) std::fill(numbers + b, numbers + last, 0.0), b = last;
}

void LinearTape::Columns::set(int row, int column, double value) {
  widen(row, column, column + 1);
  x(row, column) = value;
}

/// x_out += factor x_in
inline void LinearTape::add_row(Columns& c, int out, double factor, int in) {
  const int first = c.from[static_cast<std::size_t>(in)], last = c.end[static_cast<std::size_t>(in)];
  if (factor == 0 || first == last) return;
  if (first < c.from[static_cast<std::size_t>(out)] || last > c.end[static_cast<std::size_t>(out)])
    c.widen(out, first, last);
  double* to = c.x.data() + static_cast<long>(out) * c.x.cols();
  const double* by = c.x.data() + static_cast<long>(in) * c.x.cols();
  for (int k = first; k < last; ++k) to[k] += factor * by[k];
}

void LinearTape::forward(Columns& c) const {
  // Rows that are solved together hold the same range.
  int first = 0, last = 0;
  const auto cover = [&](int row, int count) {
    for (int i = row; i < row + count; ++i) {
      const int a = c.from[static_cast<std::size_t>(i)], b = c.end[static_cast<std::size_t>(i)];
      if (a == b) continue;
      first = first == last ? a : std::min(first, a);
      last = std::max(last, b);
    }
  };
  const auto widen = [&](int row, int count) {
    for (int i = row; i < row + count; ++i) c.widen(i, first, last);
  };
  for (const Map& map : maps_) {
    const double* M = numbers_.data() + (map.kind == Kind::tree || map.kind == Kind::classes ? 0 : map.at);
    switch (map.kind) {
      case Kind::product:
        for (int i = 0; i < map.rows; ++i)
          for (int j = 0; j < map.columns; ++j, ++M) add_row(c, map.out + i, *M, map.in + j);
        break;
      case Kind::scaled:
        for (int i = 0; i < map.rows; ++i) add_row(c, map.out + i, *M, map.in + i);
        break;
      case Kind::diagonal:
        for (int i = 0; i < map.rows; ++i) add_row(c, map.out + i, M[i], map.in + i);
        break;
      case Kind::tree: {
        const TreeSolve& tree = trees_[static_cast<std::size_t>(map.at)];
        first = last = 0;
        cover(map.out, map.rows);
        widen(map.out, map.rows);
        if (first < last) tree.factor->solve(*tree.model, c.x.block(map.out, first, map.rows, last - first));
        break;
      }
      case Kind::classes: {
        const ClassSolve& classes = *classes_[static_cast<std::size_t>(map.at)];
        const int rows = static_cast<int>(classes.rows.size());
        first = last = 0;
        for (const ClassSolve::Tree& tree : classes.trees) cover(map.out + tree.first, tree.model->nv());
        cover(map.in, rows);
        if (map.rows >= 0) cover(map.rows, rows);
        for (const ClassSolve::Tree& tree : classes.trees) widen(map.out + tree.first, tree.model->nv());
        widen(map.in, rows);
        if (map.rows >= 0) widen(map.rows, rows);
        if (first < last) classes.solve(c.x.middleCols(first, last - first), map.out, map.in, map.rows);
        break;
      }
    }
  }
}

void LinearTape::backward(VecX& x) const {
  for (auto it = maps_.rbegin(); it != maps_.rend(); ++it) {
    const Map& map = *it;
    const double* M = numbers_.data() + (map.kind == Kind::tree || map.kind == Kind::classes ? 0 : map.at);
    switch (map.kind) {
      case Kind::product:
        for (int i = 0; i < map.rows; ++i) {
          const double by = x[map.out + i];
          for (int j = 0; j < map.columns; ++j, ++M) x[map.in + j] += *M * by;
        }
        break;
      case Kind::scaled:
        for (int i = 0; i < map.rows; ++i) x[map.in + i] += *M * x[map.out + i];
        break;
      case Kind::diagonal:
        for (int i = 0; i < map.rows; ++i) x[map.in + i] += M[i] * x[map.out + i];
        break;
      case Kind::tree: {
        const TreeSolve& tree = trees_[static_cast<std::size_t>(map.at)];
        tree.factor->solve_transposed(*tree.model, x.segment(map.out, map.rows));
        break;
      }
      case Kind::classes:
        classes_[static_cast<std::size_t>(map.at)]->solve_transposed(x, map.out, map.in, map.rows);
        break;
    }
  }
}

}  // namespace jade
