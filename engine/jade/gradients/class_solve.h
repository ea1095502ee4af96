#pragma once

#include <vector>

#include "jade/gradients/tree_solver.h"
#include "jade/lcp/class_inverse.h"
#include "jade/lcp/lcp_solver.h"

namespace jade {

/// A linearised problem of velocities and contact forces with given classes:
///   B dv − Jᵀ P dx = r₁,   S J dv = r₂,   df = P dx
/// B per tree (a mass matrix, or that of Newton's method), J the rows, S picks the rows that hold with equality, P ties
/// the forces of slipping tangents to their normals: f_t = ± μ f_n.
///   dx = K^# (r₂ − S J B⁻¹ r₁),   dv = B⁻¹ r₁ + Z dx,   Z = B⁻¹ Jᵀ P,   K = S J Z
/// J and Z are kept tree by tree: a row knows the trees that it touches. Memory is kept between uses.
class ClassSolve {
 public:
  struct Tree {
    const Model* model = nullptr;
    int first = 0;  ///< of its velocities
    const TreeSolver* factor = nullptr;
    bool solved = false;  ///< r₁ of the tree is given as B⁻¹ r₁
  };
  struct Row {
    RowClass row_class = RowClass::separate;
    int normal = -1;  ///< of tangents
    double mu = 0;
    /// How far its force is from where the row lets go. Where more rows are held than are independent they agree, or some
    /// contradict the others as soon as anything moves: those that are nearest to it give way.
    double margin = 1;
  };
  std::vector<Tree> trees;
  std::vector<Row> rows;
  bool keep_forces = false;  ///< whether anybody asks for df
  /// Rows that hold may contradict each other, and a mean of them is met: see ClassInverse::factor_mean. To be set before
  /// rows are chosen.
  bool takes_mean = false;

  void clear();
  /// Rows that act between the same two bodies, each as a functional of their relative motion: of those that hold, six
  /// are enough.
  struct Functional {
    int row;
    Vec6 of_motion;
    double weight = 1;  ///< among those of the patch
  };
  void add_patch(const std::vector<Functional>& functionals);
  /// Whether one of the rows slips under a load; patches have no effect then.
  bool slips() const;
  /// Once trees, rows and patches are there.
  void choose_free_rows();
  /// Whether a row is one of the unknowns, or tied to one of them: others need no block.
  bool acts(int row) const { return acts_[static_cast<std::size_t>(row)] != 0; }
  /// `count` rows of J from `row` on, by the velocities of tree number `tree`: to be filled in.
  Eigen::Map<RowMatX> add_block(int row, int count, int tree);

  /// Forms and factors K once the blocks are there; false when something is not finite.
  [[nodiscard]] bool factor();

  /// The rows that hold with equality and determine the others; their forces are the unknowns x.
  const std::vector<int>& free_rows() const { return free_; }
  bool is_free(int row) const { return free_of_[static_cast<std::size_t>(row)] >= 0; }
  /// Whether how redundant contacts share their load has an effect on velocities: they slip in different directions, or push in
  /// nearly the same, up to what makes them redundant.
  bool shares_matter() const;
  /// Whether some rows follow from others, and may contradict them.
  bool contradicts() const { return takes_mean && inverse_.is_singular(); }
  /// With the exact W = diag A of the free rows from now on, and shares if they matter; y₁ with S J y₁ = −W x.
  [[nodiscard]] bool set_weights(const VecX& W, bool shares);
  VecX rates_of_shares(const VecX& f) const;

  /// (r₁, r₂) → (dv, df) in place: rows `v` … and `f` … of x, of which some columns are given. `shares` (−1: none) are
  /// rows r₃ with zᵀ W dx = zᵀ r₃ for all z with zᵀ K = 0.
  void solve(Eigen::Ref<RowMatX> x, int v, int f, int shares) const;
  /// The transpose of it.
  void solve_transposed(VecX& x, int v, int f, int shares) const;

 private:
  struct Block {
    int row, count, tree;
    std::size_t at;  ///< in numbers_
  };
  struct Patch {
    std::size_t at, end;  ///< in functionals_
  };
  struct Tie {
    int row, free;
    double slope;  ///< f_row = slope x_free
  };
  /// The unknowns that act on a tree.
  struct OnTree {
    std::vector<int> free;
    RowMatX J;  ///< their rows × nv
    RowMatX Z;  ///< nv × them, rounded up to a multiple of four: the doubles of a wide register
    RowMatX K;  ///< J Z
  };
  void drop_redundant(const Patch& patch);
  /// Margin of a row, as a share of `most`; not so little that it would outweigh how well rows are known to be independent.
  double weight(int row, double most) const;
  void gather(int tree);

  std::vector<Block> blocks_;
  std::vector<double> numbers_;
  std::vector<Patch> patches_;
  std::vector<Functional> functionals_;
  std::vector<int> free_, free_of_;  ///< rows that hold with equality, and the way back (−1: not free)
  std::vector<char> acts_;
  std::vector<Tie> ties_;  ///< P without zeros
  bool slips_ = false;
  std::vector<OnTree> on_tree_;
  std::vector<int> place_;  ///< of each unknown in the tree at hand
  RowMatX K_;
  VecX W_, weights_;
  ClassInverse inverse_{ClassInverse::kCompliant};
  mutable RowMatX e_, part_, null_;
  mutable VecX e_one_, part_one_;
};

}  // namespace jade
