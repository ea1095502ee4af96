#pragma once

#include <array>
#include <vector>

#include "jade/contact/constraint_rows.h"

namespace jade {

/// Velocities of many bodies that press on each other, by block Gauss-Seidel on velocities: no matrix of the contacts is
/// ever formed, so that a thousand of them cost what a thousand cost and not a thousand squared.
///   v⁺ = u + M⁻¹ Jᵀ f,   w = J v⁺ + c
///   0 ≤ f_n ⊥ w_n ≥ 0,   |f_t| ≤ μ f_n,   |f_t| < μ f_n ⇒ w_t = 0,   else w_t opposite to f_t
/// u: velocities without contact forces;  c: how fast a contact may close, on normal rows.
/// Each contact in turn gets the forces that solve its own three rows exactly while all others are held; friction is that
/// of the round cone. In the order in which contacts are added and back again: the same input gives the same bits.
class Crowd {
 public:
  void clear();
  /// The next tree, numbered from 0; `v` are its velocities without contact forces. Its mass matrix is factored.
  void add_tree(const RowTree& tree, const VecX& v);

  struct Contact {
    Anchor a, b;
    Vec3 point = Vec3::Zero();         ///< world
    const Vec3* directions = nullptr;  ///< normal from a to b and two tangents
    double friction = 0;               ///< μ
    double bias = 0;                   ///< c [m/s]
    Vec3 impulse = Vec3::Zero();       ///< first guess, along the directions [N s]
  };
  void add_contact(const Contact& contact);
  /// sign · v_k of a tree must stay above −bias.
  void add_limit(int tree, int velocity, double sign, double bias, double impulse);

  struct Settings {
    double tolerance = 0;     ///< of the residual [m/s]
    int most_iterations = 0;  ///< over all contacts
  };
  struct Outcome {
    double residual = 0;  ///< see residual()
    int iterations = 0;
  };
  Outcome solve(const Settings& settings);

  /// The worst by which velocities and forces at hand miss the conditions above, as a velocity [m/s, or rad/s for limits]:
  /// computed from them alone, whatever the iteration believes.
  double residual() const;

  const Vec3& impulse(std::size_t block) const { return blocks_[block].f; }
  /// w of a block.
  Vec3 velocity(std::size_t block) const;
  bool sticks(std::size_t block) const;
  /// Velocities of a tree after the contact forces.
  void get(int tree, VecX& v) const;

 private:
  struct Tree {
    int first = 0, nv = 0;    ///< its numbers in velocities_
    bool free = false;        ///< one body whose translation and rotation do not mix
    double inverse_mass = 0;  ///< of a free one
    Mat3 inverse_inertia = Mat3::Zero();
    int inverse = 0;  ///< of others: M⁻¹ in matrices_
  };
  struct Side {
    int tree = -1;  ///< −1: the world
    double sign = 1;
    Vec3 arm = Vec3::Zero();  ///< from the centre of mass of a free body
    int rows = -1;            ///< of others: J and then M⁻¹Jᵀ in matrices_, 3 × nv each
  };
  struct Block {
    int rows = 3;
    bool held = false;  ///< nothing can move along its normal
    double friction = 0, bias = 0;
    Mat3 axes = Mat3::Zero();                       ///< columns: the directions
    Mat3 W = Mat3::Zero(), inverse = Mat3::Zero();  ///< its own part of J M⁻¹ Jᵀ
    double step = 0;  ///< for friction that slips: 1 / (largest mobility across)
    Vec3 f = Vec3::Zero();
    Vec3 f_start = Vec3::Zero(), direction = Vec3::Zero();  ///< before the sweep, and of the acceleration
    std::array<Side, 2> sides;
  };
  void add_rows(Block& block, Side& side, const RowTree& tree, int link, const Vec3& point);
  void finish(Block& block);
  Mat3 mobility(const Block& block, const Side& side) const;
  void push(const Block& block, const Vec3& df);
  void visit(Block& block);
  static Vec3 local_forces(const Block& block, const Vec3& b);

  std::vector<RowTree> sources_;
  std::vector<Tree> trees_;
  std::vector<Block> blocks_;
  std::vector<double> velocities_, matrices_;
  VecX v_start_, v_direction_;  ///< the same of the velocities
};

}  // namespace jade
