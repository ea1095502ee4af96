#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "jade/gradients/class_solve.h"
#include "jade/gradients/weak_contacts.h"

namespace jade {

/// A chain of linear maps between rows of one tall vector: applied to many columns at once, or transposed to one. Both
/// run over the same list, so that one is the transpose of the other whatever was put into it. Row −1 as an input is a
/// number that does not move: nothing is added. Memory is kept between uses.
class LinearTape {
 public:
  void clear();

  /// Room for `count` numbers; returns the row of the first.
  int slot(int count) {
    rows_ += count;
    return rows_ - count;
  }
  int rows() const { return rows_; }

  /// x_out += scale M x_in
  template <class Matrix>
  void add(int out, int in, const Eigen::MatrixBase<Matrix>& M, double scale = 1) {
    constexpr int kRows = Matrix::RowsAtCompileTime, kColumns = Matrix::ColsAtCompileTime;
    using ByRows = Eigen::Matrix<double, kRows, kColumns, kColumns == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
    const int r = static_cast<int>(M.rows()), c = static_cast<int>(M.cols());
    if (in < 0 || scale == 0) return;
    const int at = used_;
    double* const to = take(r * c);
    Eigen::Map<ByRows>{to, r, c} = scale * M;
    if (std::any_of(to, to + r * c, [](double x) { return x != 0; }))
      maps_.push_back({out, in, r, c, at, Kind::product});
    else
      used_ = at;
  }
  /// x_out += scale x_in, `count` numbers
  void add_scaled(int out, int in, int count, double scale) {
    if (in < 0 || scale == 0) return;
    maps_.push_back({out, in, count, count, used_, Kind::scaled});
    *take(1) = scale;
  }
  /// x_out += diag(d) x_in
  void add_diagonal(int out, int in, const VecX& d) {
    const int count = static_cast<int>(d.size());
    maps_.push_back({out, in, count, count, used_, Kind::diagonal});
    std::copy_n(d.data(), count, take(count));
  }
  /// x_at ← A⁻¹ x_at; the factor is kept elsewhere.
  void solve(int at, const Model& model, const TreeSolver& factor);
  /// An empty problem, to be filled in and then put on the tape.
  ClassSolve& new_classes();
  void solve(int velocities, int forces, int shares, const ClassSolve& classes);
  /// x_out ← loads of weak contacts that x_in opens, nothing where none hold. Not linear: each column by itself, and such a
  /// tape is not run backward.
  void add_loads(int out, int in, WeakContacts contacts);

  /// Columns of which only a range is not zero: what a row holds outside of it is not looked at. Ranges begin and end at
  /// multiples of four, the doubles of a wide register.
  struct Columns {
    struct Range {
      int from = 0, end = 0;
      bool empty() const { return from == end; }
      /// Both numbers at once: ranges are compared for every row of a map.
      friend bool operator==(const Range& a, const Range& b) {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
      }
      void cover(const Range& other) {
        if (other.empty()) return;
        from = empty() ? other.from : std::min(from, other.from);
        end = std::max(end, other.end);
      }
    };
    RowMatX x;                 ///< rows() × columns, rounded up
    std::vector<Range> range;  ///< per row
    void begin(int rows, int columns);
    /// Makes rows hold a range at least, zero where it was not held before.
    void widen(int first, int count, const Range& to) {
      if (to.empty()) return;
      for (int row = first; row < first + count; ++row) {
        const Range& held = range[static_cast<std::size_t>(row)];
        if (to.from < held.from || to.end > held.end) widen_row(row, to);
      }
    }
    /// Gives a range to rows that hold nothing, numbers still to be set; false: one of them holds something.
    bool take_if_empty(int first, int count, const Range& to) {
      for (int row = first; row < first + count; ++row)
        if (!range[static_cast<std::size_t>(row)].empty()) return false;
      std::fill_n(range.begin() + first, count, to);
      return true;
    }
    void widen_whole(int first, int count) { widen(first, count, {0, static_cast<int>(x.cols())}); }
    void set(int row, int column, double value);
    /// Rows that are unit vectors, from `column` on.
    void set_identity(int row, int column, int count);
    /// The range that covers those of some rows.
    Range range_of(int first, int count) const;
    double* at(int row, const Range& columns) {
      return x.data() + static_cast<long>(row) * x.cols() + columns.from;
    }

   private:
    void widen_row(int row, const Range& to);
  };
  /// Rows of the inputs are set.
  void forward(Columns& columns) const;
  /// Rows of the outputs are set, all others zero.
  void backward(VecX& x) const;

 private:
  enum class Kind { product, scaled, diagonal, tree, classes, loads };
  struct Map {
    int out, in, rows, columns, at;
    Kind kind;
  };
  struct TreeSolve {
    const Model* model;
    const TreeSolver* factor;
  };
  /// The rows of `map` that a matrix, one number for all or one for each (a diagonal) ties.
  static void add_product(Columns& c, const Map& map, const double* M);
  static void add_each(Columns& c, const Map& map, const double* factor, int step);
  static void set_loads(Columns& c, const Map& map, const WeakContacts& contacts);

  /// Where the numbers of a map begin, if it has its own.
  const double* numbers_of(const Map& map) const {
    const bool own = map.kind == Kind::product || map.kind == Kind::scaled || map.kind == Kind::diagonal;
    return numbers_.data() + (own ? map.at : 0);
  }
  /// Room for `count` more numbers.
  double* take(int count) {
    used_ += count;
    if (static_cast<std::size_t>(used_) > numbers_.size())
      numbers_.resize(2 * static_cast<std::size_t>(used_));
    return numbers_.data() + used_ - count;
  }

  int rows_ = 0;
  std::vector<Map> maps_;
  std::vector<double> numbers_;
  int used_ = 0;  ///< of the numbers
  std::vector<TreeSolve> trees_;
  std::vector<const ClassSolve*> classes_;
  std::vector<WeakContacts> weak_;
  std::deque<ClassSolve> pool_;
  std::size_t pool_used_ = 0;
};

}  // namespace jade
