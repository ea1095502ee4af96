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

/// The rows J of a contact problem over several trees, kept in blocks: a row knows only the trees it touches.
///   A = J M⁻¹ Jᵀ is the sum over trees of J_t M_t⁻¹ J_tᵀ
/// A block is the part that up to three rows of one contact have in one tree, laid side by side: for each velocity of
/// the tree four numbers, of which those beyond its rows are zero, so that every product runs over whole registers.
/// Memory is kept between uses; after the first use of a size nothing is allocated.
class ConstraintRows {
 public:
  void clear();

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
  /// The same, and size += |J||v|: the size of the terms of J v.
  template <class Velocity>
  void add_product(Velocity&& velocity, VecX& out, VecX& size) const {
    gather(velocity);
    multiply(out.data(), size.data());
  }
  /// velocity(tree) += M⁻¹ Jᵀ f, after solve_columns.
  template <class Velocity>
  void add_impulses(const VecX& f, Velocity&& velocity) const {
    for (std::size_t t = 0; t < last_block_.size(); ++t)
      if (last_block_[t] >= 0) add_impulses(last_block_[t], f.data(), velocity(static_cast<int>(t)).data());
  }

 private:
  static constexpr int kLanes = 4;
  /// Up to three consecutive rows' part in one tree; nv × 4 numbers at `offset` of J_ and of MJ_.
  struct Block {
    int tree = 0, first_row = 0, rows = 0, nv = 0, offset = 0;
    int next = -1;  ///< the tree's block before this one
  };
  template <class Velocity>
  void gather(Velocity&& velocity) const {
    velocities_.resize(last_block_.size());
    for (std::size_t t = 0; t < last_block_.size(); ++t)
      if (last_block_[t] >= 0) velocities_[t] = velocity(static_cast<int>(t)).data();
  }
  Block& add_block(const std::vector<RowTree>& trees, int tree, int count);
  void add_side(const RowTree& tree, int link, double sign, const Vec3& p, const Vec3* directions,
                const Block& block);
  void solve_tree(const RowTree& tree, int last_block);
  void apply_inverse(int last_block);
  void add_tree(int last_block, bool alone, double* A) const;
  template <int kNv, bool kAlone>
  void add_products_of_blocks(int last_block, double* A) const;
  void multiply(double* out, double* size) const;
  void add_impulses(int last_block, const double* f, double* v) const;

  int rows_ = 0;
  std::vector<Block> blocks_;
  std::vector<int> last_block_;  ///< per tree
  std::vector<double> J_, MJ_;
  std::vector<double> inverse_;                    ///< M⁻¹ of one tree
  std::vector<double> row_;                        ///< one row of J and of J M⁻¹
  mutable std::vector<const double*> velocities_;  ///< per tree: those of the product at hand
};

}  // namespace jade
