#include "jade/gradients/linear_tape.h"

#include <stdexcept>

#include "jade/math/row_product.h"
#include "jade/math/wide_loops.h"

namespace jade {
namespace {

/// x += Mᵀ y
template <int kColumns>
void add_transposed(const double* M, int rows, const double* y, double* x) {
  Eigen::Matrix<double, kColumns, 1> sum = Eigen::Map<const Eigen::Matrix<double, kColumns, 1>>(x);
  for (int i = 0; i < rows; ++i)
    sum += y[i] * Eigen::Map<const Eigen::Matrix<double, kColumns, 1>>(M + kColumns * i);
  Eigen::Map<Eigen::Matrix<double, kColumns, 1>>{x} = sum;
}

}  // namespace

inline LinearTape::Columns::Range LinearTape::Columns::range_of(int first, int count) const {
  Range out;
  for (int row = first; row < first + count; ++row) out.cover(range[static_cast<std::size_t>(row)]);
  return out;
}

void LinearTape::clear() {
  rows_ = 0;
  maps_.clear();
  used_ = 0;
  trees_.clear();
  classes_.clear();
  weak_.clear();
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

void LinearTape::add_loads(int out, int in, WeakContacts contacts) {
  const int count = static_cast<int>(contacts.W.size());
  maps_.push_back({out, in, count, count, static_cast<int>(weak_.size()), Kind::loads});
  weak_.push_back(std::move(contacts));
}

void LinearTape::Columns::begin(int rows, int columns) {
  const int rounded = (columns + 3) / 4 * 4;
  if (x.rows() < rows || x.cols() != rounded) x.resize(std::max<long>(rows, x.rows()), rounded);
  range.assign(static_cast<std::size_t>(rows), {});
}

void LinearTape::Columns::widen_row(int row, const Range& to) {
  Range& held = range[static_cast<std::size_t>(row)];
  double* numbers = at(row, {});
  if (held.empty()) {
    std::fill(numbers + to.from, numbers + to.end, 0.0);
    held = to;
    return;
  }
  if (to.from < held.from) std::fill(numbers + to.from, numbers + held.from, 0.0), held.from = to.from;
  if (to.end > held.end) std::fill(numbers + held.end, numbers + to.end, 0.0), held.end = to.end;
}

void LinearTape::Columns::set(int row, int column, double value) {
  const int from = column / 4 * 4;
  widen(row, 1, {from, from + 4});
  x(row, column) = value;
}

void LinearTape::Columns::set_identity(int row, int column, int count) {
  widen(row, count, {column / 4 * 4, (column + count + 3) / 4 * 4});
  for (int k = 0; k < count; ++k) x(row + k, column + k) = 1;
}

void LinearTape::add_product(Columns& c, const Map& map, const double* M) {
  // Rows that belong together hold the same range as a rule.
  const auto hold = [&](int first, int count, const Columns::Range& what) {
    const Columns::Range* held = c.range.data() + first;
    return std::all_of(held, held + count, [&](const Columns::Range& r) { return r == what; });
  };
  Columns::Range range = c.range[static_cast<std::size_t>(map.in)];
  if (!hold(map.in + 1, map.columns - 1, range)) {
    range = c.range_of(map.in, map.columns);
    c.widen(map.in, map.columns, range);  // their numbers outside of their own ranges are read
  }
  if (range.empty()) return;
  bool afresh = false;
  if (!hold(map.out, map.rows, range)) {
    afresh = c.take_if_empty(map.out, map.rows, range);
    if (!afresh) c.widen(map.out, map.rows, range);
  }
  add_row_product({.M = M,
                   .rows = map.rows,
                   .columns = map.columns,
                   .M_stride = map.columns,
                   .in = c.at(map.in, range),
                   .in_stride = c.x.cols(),
                   .out = c.at(map.out, range),
                   .out_stride = c.x.cols(),
                   .width = range.end - range.from,
                   .afresh = afresh});
}

JADE_WIDE_LOOPS void LinearTape::add_each(Columns& c, const Map& map, const double* factor, int step) {
  for (int i = 0; i < map.rows; ++i, factor += step) {
    const Columns::Range range = c.range[static_cast<std::size_t>(map.in + i)];
    if (range.empty() || *factor == 0) continue;
    Columns::Range& held = c.range[static_cast<std::size_t>(map.out + i)];
    const bool afresh = held.empty();
    if (afresh)
      held = range;
    else if (!(held == range))
      c.widen(map.out + i, 1, range);
    const double* in = c.at(map.in + i, range);
    double* out = c.at(map.out + i, range);
    const int width = range.end - range.from;
    if (afresh)
      for (int k = 0; k < width; k += 4) four_at(out + k) = *factor * four_at(in + k);
    else
      for (int k = 0; k < width; k += 4) four_at(out + k) += *factor * four_at(in + k);
  }
}

void LinearTape::set_loads(Columns& c, const Map& map, const WeakContacts& contacts) {
  const Columns::Range range = c.range_of(map.in, map.columns);
  c.widen(map.in, map.columns, range);
  c.widen(map.out, map.rows, range);
  for (int k = range.from; k < range.end; ++k)
    if (const std::optional<VecX> f = contacts.loads(c.x.block(map.in, k, map.columns, 1)))
      c.x.block(map.out, k, map.rows, 1) = *f;
}

void LinearTape::forward(Columns& c) const {
  for (const Map& map : maps_) {
    const double* M = numbers_of(map);
    switch (map.kind) {
      case Kind::product:
        add_product(c, map, M);
        break;
      case Kind::scaled:
        add_each(c, map, M, 0);
        break;
      case Kind::diagonal:
        add_each(c, map, M, 1);
        break;
      case Kind::tree: {
        // Rows that are solved together hold the same range.
        const TreeSolve& tree = trees_[static_cast<std::size_t>(map.at)];
        const Columns::Range range = c.range_of(map.out, map.rows);
        c.widen(map.out, map.rows, range);
        if (!range.empty())
          tree.factor->solve(*tree.model, c.x.block(map.out, range.from, map.rows, range.end - range.from));
        break;
      }
      case Kind::classes: {
        const ClassSolve& classes = *classes_[static_cast<std::size_t>(map.at)];
        Columns::Range range;
        const auto for_each_run = [&](auto&& visit) {
          for (const ClassSolve::Tree& tree : classes.trees) visit(map.out + tree.first, tree.model->nv());
          for (const int row : classes.free_rows()) {
            visit(map.in + row, 1);
            if (map.rows >= 0) visit(map.rows + row, 1);
          }
        };
        for_each_run([&](int first, int count) { range.cover(c.range_of(first, count)); });
        for_each_run([&](int first, int count) { c.widen(first, count, range); });
        if (classes.keep_forces) c.widen(map.in, static_cast<int>(classes.rows.size()), range);
        if (!range.empty())
          classes.solve(c.x.middleCols(range.from, range.end - range.from), map.out, map.in, map.rows);
        break;
      }
      case Kind::loads:
        set_loads(c, map, weak_[static_cast<std::size_t>(map.at)]);
        break;
    }
  }
}

void LinearTape::backward(VecX& x) const {
  for (auto it = maps_.rbegin(); it != maps_.rend(); ++it) {
    const Map& map = *it;
    const double* M = numbers_of(map);
    switch (map.kind) {
      case Kind::product:
        // Most are by the motion of a link, or by a rotation.
        if (map.columns == 6)
          add_transposed<6>(M, map.rows, &x[map.out], &x[map.in]);
        else if (map.columns == 3)
          add_transposed<3>(M, map.rows, &x[map.out], &x[map.in]);
        else
          for (int i = 0; i < map.rows; ++i, M += map.columns) {
            const double by = x[map.out + i];
            for (int j = 0; j < map.columns; ++j) x[map.in + j] += M[j] * by;
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
      case Kind::loads:
        throw std::logic_error("loads of weak contacts are not linear: the tape has no transpose");
    }
  }
}

}  // namespace jade
