#pragma once

#include "jade/contact/constraint_rows.h"
#include "jade/geometry/feature.h"

namespace jade {

/// How the two sides of a contact move with the coordinates of their trees. Columns of all matrices are local
/// coordinates: those of the tree of side a, then those of the tree of side b unless it is the same; a side that is
/// fixed to the world has none.
///   Δ(x) = J x        velocity of b against a at the point p, for rates x
///   t, θ              displacement of a point of a side and its rotation, by dq
/// Derivatives by q are along tangent displacements. A displacement of coordinate j moves everything behind its link by
/// the twist S_j, and with it the columns S_k of all later joints, by S_j × S_k; columns of its own joint stay, except
/// that moving the reference point of a free link takes the columns of its rotation along.
class ContactMotion {
 public:
  /// `p` is the contact's point in the world; after update_positions of both trees.
  void place(const std::vector<RowTree>& trees, Anchor a, Anchor b, const Vec3& p);

  int size() const { return size_; }
  /// The trees that the columns belong to: {tree, first column, first coordinate of the tree is its own zero}.
  struct Part {
    int tree = -1, first = 0, count = 0;
  };
  const Part& part(int i) const { return parts_[i]; }
  int parts() const { return part_count_; }

  const Mat3X& J() const { return J_; }

  /// Translation of the point c of a side (0: a, 1: b) and the side's rotation, by dq.
  void displacement(int side, const Vec3& c, Mat3X& translation, Mat3X& rotation) const;

  /// Δ(x) for local rates x.
  Vec3 velocity(const VecX& x) const { return J_ * x; }
  /// dΔ(x)/dq at fixed x, with the point moving as dp = P dq.
  void velocity_by_position(const VecX& x, const Mat3X& P, Mat3X& out) const;
  /// ω_b − ω_a for local rates x.
  Vec3 spin(const VecX& x) const;

  /// d(Jᵀ F)/dq at fixed F, with the point moving as dp = P dq.
  void force_by_position(const Vec3& F, const Mat3X& P, MatX& out) const;
  /// d(Jᵀ F) when only the point moves, dp = P dy: columns are those of P.
  void force_by_point(const Vec3& F, const Mat3X& P, MatX& out) const;

 private:
  /// A velocity that moves a side.
  struct Column {
    Vec6 S;
    int local = 0;  ///< column
    int depth = 0;  ///< links before its own on the way from the world
    bool carries =
        false;  ///< a translation of a free link: takes the rotation's columns of the same link along
  };
  struct Side {
    double sign = 1;
    Vec3 arm = Vec3::Zero();      ///< p seen from the tree's origin
    std::vector<Column> columns;  ///< from the link to the world
    int first = 0;
  };
  static bool moves(const Column& j, const Column& k) {
    return j.depth < k.depth || (j.depth == k.depth && j.carries && !k.carries);
  }
  static Vec3 at(const Vec6& motion, const Vec3& arm) {
    return motion.tail<3>() + cross3(motion.head<3>(), arm);
  }

  Vec3 p_ = Vec3::Zero();
  Side sides_[2];
  Part parts_[2];
  int size_ = 0, part_count_ = 0;
  Mat3X J_;
};

/// A contact's normal and point by the displacements of both sides: dn = N dq, dp = P dq.
/// `X_WA`, `X_WB` are the poses of the shapes; `motion` is placed at the midpoint of the feet.
void contact_by_position(const ContactMotion& motion, const FeatureContactDerivative& derivative,
                         const Transform& X_WA, const Transform& X_WB, Mat3X& N, Mat3X& P);

}  // namespace jade
