#pragma once

#include <cmath>
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
/// Memory is kept between uses; after the first use of a size nothing is allocated.
class ConstraintRows {
 public:
  void clear();

  /// Adds rows along `directions` (world axes) at world point p: relative velocity of b against a. Returns the first
  /// row's index.
  int add_contact(const std::vector<RowTree>& trees, Anchor a, Anchor b, const Vec3& p,
                  const Vec3* directions, int count);
  /// Adds one row of a single coordinate: sign · v_k of a tree.
  int add_coordinate(const std::vector<RowTree>& trees, int tree, int velocity, double sign);

  int size() const { return rows_; }

  /// M⁻¹Jᵀ of every block. Needs the trees' factored mass matrices.
  void solve_columns(const std::vector<RowTree>& trees);
  /// A = J M⁻¹ Jᵀ, after solve_columns.
  void form_A(MatX& A);

  /// out += J v, with v of each tree given by `velocity(tree)`.
  template <class Velocity>
  void add_product(Velocity&& velocity, VecX& out) const {
    for (const Block& block : blocks_) {
      const double *v = velocity(block.tree).data(), *J = &J_[block.offset];
      for (int r = 0; r < block.rows; ++r, J += block.nv) out[block.first_row + r] += dot(block.nv, J, v);
    }
  }
  /// out += |J||v|: the size of the terms of J v.
  template <class Velocity>
  void add_absolute_product(Velocity&& velocity, VecX& out) const {
    for (const Block& block : blocks_) {
      const double *v = velocity(block.tree).data(), *J = &J_[block.offset];
      for (int r = 0; r < block.rows; ++r, J += block.nv) {
        out[block.first_row + r] += absolute_dot(block.nv, J, v);
      }
    }
  }
  /// velocity(tree) += M⁻¹ Jᵀ f, after solve_columns.
  template <class Velocity>
  void add_impulses(const VecX& f, Velocity&& velocity) const {
    for (const Block& block : blocks_) {
      double* v = velocity(block.tree).data();
      const double* MJ = &MJ_[block.offset];
      for (int r = 0; r < block.rows; ++r, MJ += block.nv) {
        const double impulse = f[block.first_row + r];
        for (int k = 0; k < block.nv; ++k) v[k] += MJ[k] * impulse;
      }
    }
  }

 private:
  /// Some consecutive rows' part in one tree; rows × nv numbers at `offset` of J_ and of MJ_, row after row.
  struct Block {
    int tree = 0, first_row = 0, rows = 0, nv = 0, offset = 0;
    int next = -1;  ///< the tree's block before this one
  };
  /// Most rows are those of free bodies: even and odd terms are summed side by side, in one register.
  static double dot(int nv, const double* x, const double* y) {
    if (nv == 6) {
      const double even = x[0] * y[0] + x[2] * y[2] + x[4] * y[4];
      const double odd = x[1] * y[1] + x[3] * y[3] + x[5] * y[5];
      return even + odd;
    }
    double sum = 0;
    for (int k = 0; k < nv; ++k) sum += x[k] * y[k];
    return sum;
  }
  static double absolute_dot(int nv, const double* x, const double* y) {
    if (nv == 6) {
      const double even = std::abs(x[0] * y[0]) + std::abs(x[2] * y[2]) + std::abs(x[4] * y[4]);
      const double odd = std::abs(x[1] * y[1]) + std::abs(x[3] * y[3]) + std::abs(x[5] * y[5]);
      return even + odd;
    }
    double sum = 0;
    for (int k = 0; k < nv; ++k) sum += std::abs(x[k] * y[k]);
    return sum;
  }
  Block& add_block(const std::vector<RowTree>& trees, int tree, int count);
  void solve_tree(const RowTree& tree, int last_block);
  void lay_out(int last_block);
  static void combine(int nv, const double* lines, int stride, int count, const double* weights, double* out);

  int rows_ = 0;
  std::vector<Block> blocks_;
  std::vector<int> last_block_;  ///< per tree
  std::vector<double> J_, MJ_;
  std::vector<double> inverse_;  ///< M⁻¹ of one tree
  struct Place {
    int row = 0, offset = 0;
  };
  std::vector<Place> place_;  ///< rows of one tree: in the problem, and in J_
  std::vector<double> side_by_side_, column_;
};

}  // namespace jade
