#pragma once

#include <vector>

#include "jade/dynamics/mass_matrix.h"
#include "jade/lcp/lcp_solver.h"
#include "jade/lcp/proximal_inverse.h"

namespace jade {

/// A linearised problem of velocities and contact forces with given classes:
///   B dv − Jᵀ P dx = r₁,   S J dv = r₂,   df = P dx
/// B per tree (a mass matrix, or that of Newton's method), J the rows, S picks the rows that hold with equality, P ties
/// the forces of slipping tangents to their normals: f_t = ± μ f_n.
///   dx = K^# (r₂ − S J B⁻¹ r₁),   dv = B⁻¹ r₁ + Z dx,   Z = B⁻¹ Jᵀ P,   K = S J Z
class ClassSolve {
 public:
  struct Tree {
    const Model* model = nullptr;
    int first = 0;  ///< of its velocities
    TreeFactorization factor;
  };
  struct Block {
    int row = 0, column = 0;
    MatX J;
  };
  struct Row {
    RowClass row_class = RowClass::separate;
    int normal = -1;  ///< of tangents
    double mu = 0;
  };
  std::vector<Tree> trees;
  std::vector<Block> blocks;
  std::vector<Row> rows;

  /// Forms and factors K once the lists are filled; false when something is not finite.
  [[nodiscard]] bool factor();

  /// The rows that hold with equality; their forces are the unknowns x.
  const std::vector<int>& free_rows() const { return free_; }
  /// Whether how redundant contacts share their load has an effect on velocities: they slip in different directions.
  bool shares_matter() const;
  /// With the exact W = diag A of the free rows from now on; y₁ with S J y₁ = −W x.
  [[nodiscard]] bool set_weights(const VecX& W);
  VecX rates_of_shares(const VecX& f) const;

  /// (r₁, r₂) → (dv, df) in place: rows `v` … and `f` … of x. `shares` (−1: none) are rows r₃ with zᵀ W dx = zᵀ r₃ for
  /// all z with zᵀ K = 0.
  void solve(RowMatX& x, int v, int f, int shares) const;
  /// The transpose of it.
  void solve_transposed(VecX& x, int v, int f, int shares) const;

 private:
  int size_ = 0;           ///< velocities
  std::vector<int> free_;  ///< rows that hold with equality
  struct Tie {
    int row, free;
    double slope;  ///< f_row = slope x_free
  };
  std::vector<Tie> ties_;  ///< P without zeros
  RowMatX Z_;
  MatX K_;
  VecX W_;
  ProximalInverse inverse_;
};

/// A chain of linear maps between rows of one tall vector: applied to many columns at once, or transposed to one. Both
/// run over the same list, so that one is the transpose of the other whatever was put into it.
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
    const int r = static_cast<int>(M.rows()), c = static_cast<int>(M.cols());
    maps_.push_back({out, in, r, c, static_cast<int>(numbers_.size()), Kind::product});
    numbers_.resize(numbers_.size() + static_cast<std::size_t>(r * c));
    Eigen::Map<RowMatX>(&numbers_[numbers_.size() - static_cast<std::size_t>(r * c)], r, c) = scale * M;
  }
  /// x_out += scale x_in, `count` numbers
  void add_scaled(int out, int in, int count, double scale) {
    maps_.push_back({out, in, count, count, static_cast<int>(numbers_.size()), Kind::scaled});
    numbers_.push_back(scale);
  }
  /// x_at ← A⁻¹ x_at
  void solve(int at, const Model& model, TreeFactorization factor);
  void solve(int velocities, int forces, int shares, ClassSolve classes);

  /// Rows of the inputs are set, all others zero.
  void forward(RowMatX& x) const;
  /// Rows of the outputs are set, all others zero.
  void backward(VecX& x) const;

 private:
  enum class Kind { product, scaled, tree, classes };
  struct Map {
    int out, in, rows, columns, at;
    Kind kind;
  };
  struct TreeSolve {
    const Model* model;
    TreeFactorization factor;
  };
  int rows_ = 0;
  std::vector<Map> maps_;
  std::vector<double> numbers_;
  std::vector<TreeSolve> trees_;
  std::vector<ClassSolve> classes_;
};

}  // namespace jade
