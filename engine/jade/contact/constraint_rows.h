#pragma once

#include <vector>

#include "jade/dynamics/workspace.h"

namespace jade {

/// Where one side of a constraint holds on: a point of a link of a tree. `tree` < 0: the world, which does not move.
struct Anchor {
  int tree = -1;  ///< index into the trees of the island
  int link = -1;
};

/// A tree as the rows see it: its model, and the memory that holds its kinematics and its factored mass matrix.
struct RowTree {
  const Model* model = nullptr;
  DynamicsWorkspace* work = nullptr;  ///< update_positions and factor_articulated are done
};

/// The rows J of a contact problem over several trees: a row knows only the trees it touches.
///   A = J M⁻¹ Jᵀ is the sum over trees of J_t M_t⁻¹ J_tᵀ
/// The rows of a tree lie side by side in fours: for each velocity of the tree the four numbers of as many rows, so that
/// every product runs over whole registers. What is left of the last four is zero.
/// Rows of a tree that are all on one link are kept as forces on it instead, D = (n; d) about the tree's origin: the link's
/// motion is V = S v with six numbers, however many velocities the tree has.
///   J = D S,   A = D (S M⁻¹ Sᵀ) Dᵀ
/// Memory is kept between uses; after the first use of a size nothing is allocated.
class ConstraintRows {
 public:
  void clear();
  /// Room for the rows of so many single bodies, each between two others: the first problems need not look for it.
  void reserve(std::size_t trees);

  /// Adds up to three rows along `directions` (world axes) at world point p: relative velocity of b against a. Returns
  /// the first row's index.
  int add_contact(const std::vector<RowTree>& trees, Anchor a, Anchor b, const Vec3& p,
                  const Vec3* directions, int count);
  /// Adds one row of a single coordinate: sign · v_k of a tree.
  int add_coordinate(const std::vector<RowTree>& trees, int tree, int velocity, double sign);

  int size() const { return rows_; }

  /// M⁻¹Jᵀ of every block. Needs the trees' factored mass matrices.
  void solve_columns(const std::vector<RowTree>& trees);
  /// A = J M⁻¹ Jᵀ, after solve_columns.
  void form_A(MatX& A) const;

  /// out += J v, with v of each tree given by `velocity(tree)`.
  template <class Velocity>
  void add_product(Velocity&& velocity, VecX& out) const {
    gather(velocity);
    multiply(out.data(), nullptr);
  }
  /// The same, and size += |J||v|: the size of the terms of J v. Those of a single body are measured by the lengths of its
  /// velocity and its spin, and not by their coordinates: what a solution is held against must not turn with the world.
  template <class Velocity>
  void add_product(Velocity&& velocity, VecX& out, VecX& size) const {
    gather(velocity);
    multiply(out.data(), size.data());
  }
  /// out += J (v + u) and size += |J|(|v| + |u|), with v and u of each tree given by `first` and `second`.
  template <class First, class Second>
  void add_product_of_sum(First&& first, Second&& second, VecX& out, VecX& size) const {
    begin_product();
    for (int t = 0; t < trees_; ++t)
      if (of_tree_[t].count > 0) set_factor(t, first(t).data(), second(t).data());
    multiply(out.data(), size.data());
  }
  /// velocity(tree) += M⁻¹ Jᵀ f, after solve_columns.
  template <class Velocity>
  void add_impulses(const VecX& f, Velocity&& velocity) const {
    for (int t = 0; t < trees_; ++t)
      if (of_tree_[t].count > 0) add_impulses(of_tree_[t], f.data(), velocity(t).data());
  }

 private:
  static constexpr int kLanes = 4;
  /// Rows of one tree. Number i of them is lane i % 4 of the i / 4-th four, each of which is 4 width numbers.
  struct TreeRows {
    int nv = 0;
    bool single = false;   ///< the tree is one body that nothing holds
    int link = -1;         ///< that all rows are on, kept as forces on it; −1: as rows over the velocities
    int width = 0;         ///< numbers of a row: nv, or 6 of forces on a link
    int count = 0;         ///< of rows
    std::vector<int> row;  ///< of the problem, ascending, and room for more
    std::vector<double> J, MJ;
    std::vector<Vec6> S;         ///< per velocity: what it adds to the motion of the link
    std::vector<Vec6> response;  ///< per velocity: its row of M⁻¹ Sᵀ

    int fours() const { return (count + kLanes - 1) / kLanes; }
    /// Whether the four at hand are neighbours in the problem too.
    bool are_neighbours(int four) const {
      return kLanes * (four + 1) <= count &&
             row[kLanes * four + kLanes - 1] == row[kLanes * four] + kLanes - 1;
    }
  };
  template <class Velocity>
  void gather(Velocity&& velocity) const {
    begin_product();
    for (int t = 0; t < trees_; ++t)
      if (of_tree_[t].count > 0) set_factor(t, velocity(t).data(), nullptr);
  }
  void begin_product() const;
  double* room(int count) const;
  void set_factor(int tree, const double* v, const double* u) const;
  TreeRows& rows_of(const std::vector<RowTree>& trees, int tree) {
    if (trees_ == 0) begin(trees);
    return of_tree_[tree];
  }
  void begin(const std::vector<RowTree>& trees);
  int add_rows(TreeRows& rows, int count) const;
  void add_end(const std::vector<RowTree>& trees, const Anchor& on, double sign, const Vec3& p,
               const Vec3* directions, int count);
  static void hold_on_link(const RowTree& tree, int link, TreeRows& rows);
  static void spread_over_velocities(TreeRows& rows);
  static void add_side(const RowTree& tree, int link, double sign, const Vec3& p, const Vec3* directions,
                       int count, TreeRows& rows, int first);
  void solve_tree(const RowTree& tree, TreeRows& rows);
  static void solve_link(const RowTree& tree, TreeRows& rows);
  template <int kNv>
  static void apply_inverse(const double* inverse, TreeRows& rows);
  static void apply_inverse(const double* inverse, TreeRows& rows);
  template <int kNv>
  void add_products(const TreeRows& rows, bool alone, double* A) const;
  void add_tree(const TreeRows& rows, bool alone, double* A) const;
  void multiply(double* out, double* size) const;
  static void add_impulses(const TreeRows& rows, const double* f, double* v);

  int rows_ = 0, trees_ = 0;
  std::vector<TreeRows> of_tree_;  ///< of which the first `trees_` are in use
  std::vector<double> inverse_;    ///< M⁻¹ of one tree
  std::vector<double> one_row_;    ///< of J, then of J M⁻¹
  /// Of the product at hand: a velocity, and what its terms are measured by.
  struct Factor {
    const double *v = nullptr, *size = nullptr;
  };
  mutable std::vector<Factor> velocities_;  ///< per tree
  mutable std::vector<double> room_;        ///< for velocities made for that product
  mutable std::size_t room_used_ = 0;
};

}  // namespace jade
