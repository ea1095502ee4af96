#pragma once

#include <vector>

#include "jade/math/types.h"

namespace jade {

/// Stored by rows, for algorithms that work on whole rows.
using RowMatX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The inverse of the class equations K = S J B⁻¹ Jᵀ P that a derivative needs: K is square, singular where contacts are
/// redundant, and not symmetric where they slip or where B is not. Right-hand sides are in its range,
/// unless it is said that they may contradict each other. Redundant rows leave x undetermined in the null space of K, which has no effect on Jᵀ P x, and so on no velocity, unless redundant contacts
/// slip in different directions: see factor_shared. Every way to factor is one linear map, and the transpose is its.
/// Systems are small and right-hand sides many: everything works on whole rows, and entries that are zero (most of those
/// of a stack) are left out. Memory is kept between uses.
class ClassInverse {
 public:
  /// Rows of which no more than this is left by the others, of their own diagonals, depend on them. Dependent rows leave 1e-15;
  /// mass ratios of 1e4 leave 1e-5 of an independent one.
  static constexpr double kDependent = 1e-10;
  /// For who follows a solver that is content with forces of a compliance wherever these are valid: it does not resolve what leaves
  /// less, as two contacts that are held along nearly the line between them, and meets a mean of what such rows ask for.
  static constexpr double kCompliant = 2e-9;
  explicit ClassInverse(double dependent = kDependent) : dependent_(dependent) {}

  /// All of them are false when K cannot be factored: something in it is not finite.
  /// For a K without slip: a largest set of independent rows determines the velocities, and the others follow. Their
  /// unknowns are zero. Pivots are diagonal, in the order of the rows, and those that are nearly dependent come last.
  /// `weights`, up to 1 (none: all are alike), tell which of several that depend on each other are left out: the lightest.
  [[nodiscard]] bool factor_independent(const RowMatX& K, const VecX& W, const VecX& weights = {});
  /// For a K of contacts that slip, by pivots anywhere: as good as the above as long as how redundant ones share their
  /// load has no effect.
  [[nodiscard]] bool factor_pivoted(const RowMatX& K, const VecX& W);
  /// For redundant contacts that slip in different directions, whose shares of the load matter: they are those in the limit
  /// of a vanishing compliance, zᵀ W x = zᵀ r₃ for every z with zᵀ K = 0, W = diag A, A = J M⁻¹ Jᵀ. Independent rows of K
  /// and these conditions are a regular system: what a small compliance ε in its place would magnify by 1/ε and lose to
  /// rounding does not arise. Right-hand sides that contradict each other are met as by factor_mean.
  [[nodiscard]] bool factor_shared(const RowMatX& K, const VecX& W);
  /// For a K without slip whose right-hand sides may contradict each other, as where a body that is held at several faces is
  /// stopped: the limit of a vanishing compliance is a mean of what they ask for,
  ///   K x = r − W Y (Zᵀ W Y)⁻¹ Zᵀ r,   K Y = 0,  Zᵀ K = 0
  [[nodiscard]] bool factor_mean(const RowMatX& K, const VecX& W);
  int size() const { return size_; }
  /// Whether rows depend on each other, after factor_independent, factor_pivoted or factor_mean.
  bool is_singular() const { return rank_ < size_; }
  /// A basis of the x with K x = 0, after factor_independent or factor_pivoted: columns. True when there are any.
  bool null_space(RowMatX& x) const;
  /// In place, all columns: K x = r with r₃ = 0.
  void solve(Eigen::Ref<RowMatX> r) const;
  void solve_transposed(VecX& r) const;
  /// After factor_shared: the x in the null space of K with zᵀ W x = zᵀ r₃.
  void null_part(Eigen::Ref<RowMatX> r) const;
  void null_part_transposed(VecX& r) const;

 private:
  void begin(const RowMatX& K);
  void find_left_null_space();
  bool find_contradiction(const VecX& W);
  void bring_forward(int row, int column, int k);
  void eliminate(int k);
  void solve_once(const Eigen::Ref<RowMatX>& r, Eigen::Ref<RowMatX> x) const;
  void solve_once_transposed(const VecX& r, VecX& x) const;

  RowMatX LU_;  ///< rows and columns in the order of the pivots; L without its unit diagonal
  std::vector<int> row_, column_;  ///< of K, in that order
  double dependent_;
  int size_ = 0, rank_ = 0;
  VecX scale_;  ///< 1 / √W
  std::vector<int>
      equation_;  ///< of factor_shared: the rows of K that are independent; empty: all as they are
  RowMatX left_;  ///< of factor_shared and factor_mean: a basis of the z with zᵀ K = 0, as rows
  RowMatX
      contradiction_;  ///< of factor_mean: W Y (Zᵀ W Y)⁻¹; empty: nothing is redundant, or others factored
  RowMatX Y_;          ///< of the same: K Y = 0
  mutable RowMatX next_, pivoted_, null_;
  mutable VecX other_, pivoted_one_;
};

}  // namespace jade
