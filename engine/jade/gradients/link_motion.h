#pragma once

#include <deque>
#include <vector>

#include "jade/dynamics/dynamics_derivatives.h"
#include "jade/dynamics/manifold.h"
#include "jade/dynamics/mass_matrix.h"
#include "jade/gradients/tree_solver.h"

namespace jade {

/// A tree at one place, with what the links' motions are there.
///   displacement, velocity or force of a link: (of its reference point, rotation or moment about it), world axes
/// The reference point moves with the link. That of a free body is the one its coordinates are about, so that the
/// motion of a body alone in the air is that of its coordinates.
class PlacedTree {
 public:
  explicit PlacedTree(const Model& model);
  void move_to(const Model& model, const VecX& q);

  DynamicsWorkspace work;

  Vec3 reference(int link) const { return work.origin[0] + (alone_ ? Vec3(Vec3::Zero()) : work.r[link]); }
  /// Motion of a link by the tree's rates, 6 × nv; kept until the tree is moved.
  const Mat6X& motion(const Model& model, int link);
  /// How the motion of a link changes with the place when the rates x are held, 6 × nv.
  void motion_by_position(const Model& model, int link, const VecX& x, Mat6X& out);
  /// How the generalised force Jᵀ W of a force W on the link changes with the place, nv × nv.
  void force_by_position(const Model& model, int link, const Vec6& W, MatX& out);

 private:
  bool alone_;
  std::vector<Mat6X> motion_;
  std::vector<char> known_;
};

/// A tree with the memory that its derivatives need.
struct GradientTree {
  GradientTree(const Model& whole, int tree);
  Model model;       ///< the tree alone
  int q = 0, v = 0;  ///< where its numbers stand in the whole state
  int first_link = 0;
  bool alone = false;  ///< one body, free: its motion is that of its coordinates
  bool bare = false;   ///< and neither damped nor geared
  bool flat = false;   ///< every coordinate is a number, and displacements are added to it
  PlacedTree start, middle, end;

  DerivativeWorkspace derivative;
  DynamicsDerivatives jacobian;
  IntegrationJacobians integration;  ///< of trees that are neither flat nor alone
  Mat3 turned, turned_by;            ///< the same of the rotation of one that is
  MatX M;
  VecX E, E_by_s;    ///< diagonal of implicit dampers and springs, and its rate of change with s
  VecX from, place;  ///< positions
  VecX own_v, gained, a, v_bar, tau, displacement, by_s, one;
  RowMatX B, by_v, by_q;

  /// The Jacobians of ⊕ at `displacement`.
  void update_integration();
  /// y = Jd x
  template <class Rates, class Out>
  void displace(const Rates& x, Out&& y) const {
    if (flat) {
      y = x;
    } else if (alone) {
      y.template head<3>() = x.template head<3>();
      y.template tail<3>() = turned_by * x.template tail<3>();
    } else {
      y.noalias() = integration.d * x;
    }
  }

  /// Factors that stay where they are until the next tape.
  TreeSolver& new_factor();
  void begin() { factors_used_ = 0; }

 private:
  std::deque<TreeSolver> factors_;
  std::size_t factors_used_ = 0;
};

}  // namespace jade
