#pragma once

#include "jade/contact/collision_model.h"
#include "jade/stepping/step_trace.h"

namespace jade {

/// The two sides of a contact, whatever they hang on: displacement, velocity or force of the link of side a and of that of
/// side b, each as (its reference point, its rotation) in world axes. The reference point moves with the link. Columns of
/// a side that is fixed to the world stand for nothing and are never used.
using Sides = Eigen::Matrix<double, 12, 1>;
using Mat3x12 = Eigen::Matrix<double, 3, 12>;
using Mat12 = Eigen::Matrix<double, 12, 12>;
using Row12 = Eigen::Matrix<double, 1, 12>;
/// Of the at most three rows of a contact.
using Rows12 = Eigen::Matrix<double, 3, 12, Eigen::RowMajor>;

/// Δ(x) = J x, the velocity of b against a at the point p, for the two reference points.
Mat3x12 relative_motion(const Vec3& p, const Vec3& reference_a, const Vec3& reference_b);

/// A contact at one placement of its trees, and how its normal and point move with them. What rolls on a rim at the
/// middle of a segment looks towards the normal of the segment's start: N0, P0 are by displacements of the start.
struct PlacedContact {
  Vec3 p = Vec3::Zero(), n = Vec3::Zero();
  Mat3x12 J;     ///< Δ by rates
  Mat3x12 N, P;  ///< dn, dp by displacements
  Mat3x12 N0, P0;
  bool travels = false;  ///< N0 and P0 are not zero
  Mat3 R_WB = Mat3::Identity();

  Vec3 velocity(const Sides& x) const { return J * x; }
  /// ω_b − ω_a
  static Vec3 spin(const Sides& x) { return x.tail<3>() - x.segment<3>(3); }
  /// dΔ(x) by displacements with the links' rates x held: the point and both reference points move.
  Mat3x12 velocity_by_position(const Sides& x) const;
};

/// Poses of the two shapes of a contact, and the reference points of their links.
struct ShapePoses {
  Transform X_WA, X_WB;
  Vec3 reference_a = Vec3::Zero(), reference_b = Vec3::Zero();
};

/// At the start of a sub-step (`start` null) or at the middle of a segment, whose normal at the start is known then.
void place_contact(const ContactTrace& contact, const CollisionModel& collision, const ShapePoses& poses,
                   const PlacedContact* start, PlacedContact& out);

/// The same contact at the start of a sub-step, with the normal of the smooth surface that a mesh stands for.
void place_smooth_contact(const ContactTrace& contact, const CollisionModel& collision,
                          const ShapePoses& poses, const PlacedContact& start, PlacedContact& out);

/// The directions of a contact's rows are a frame (n, t₁, t₂) that turns by ρ: d(d_r) = ρ × d_r.
///   ρ = n × dn + φ n,   φ = t₂·(dy − (n·y) dn) / |y − n (n·y)|
/// t₁ is along y in the plane normal to n: the slip Δ(v₀) that would be without friction, that of the start (v₀ = v), or an
/// axis of shape b.
struct FrameDerivative {
  Mat3x12 by_q;      ///< displacements of the start
  Mat3x12 by_place;  ///< displacements of the placement that the rows are at
  Mat3x12 by_v0;     ///< rates v₀
};
void frame_by_position(const RowsTrace& rows, const PlacedContact& start, const PlacedContact& at,
                       const Sides& v0, FrameDerivative& out);

/// w_r = d_r·Δ(x) and the force Jᵀ Σ f_r d_r, by everything but x and f.
struct RowDerivative {
  Rows12 w_by_q, w_by_place, w_by_v0;
  Rows12 J;  ///< w by x
};
void rows_by_position(const RowsTrace& rows, const PlacedContact& at, const FrameDerivative& frame,
                      const Sides& x, RowDerivative& out);

/// Forces on both sides, of several contacts between the same two links.
struct ForceDerivative {
  Mat12 by_q, by_place, by_v0;
  bool q = false, v0 = false;  ///< whether by_q and by_v0 are not zero
  void clear();
};
/// Adds that of the force F on b.
void add_force_by_position(const Vec3& F, const PlacedContact& at, const FrameDerivative& frame,
                           ForceDerivative& out);

/// d(n·Δ(v)) by displacements: of the closing speed.
Row12 approach_by_position(const PlacedContact& at, const Sides& v);

/// e_r·Δ(v) at the start, r = 1, 2, with the tangents of the rows turned into the plane of the start: e₁ along
/// t₁ − n₀ (n₀·t₁), e₂ = n₀ × e₁. Its frame turns by ρ₀ = n₀ × dn₀ + φ₀ n₀, φ₀ = e₂·(ρ × t₁ − (n₀·t₁) dn₀) / |…|.
/// Rows 1 and 2 of each matrix are used: the row of the normal is left alone.
struct SlipDerivative {
  Rows12 by_q, by_place, by_v0, by_v;
};
void slip_at_start_by_position(const RowsTrace& rows, const PlacedContact& start,
                               const FrameDerivative& frame, const Sides& v, SlipDerivative& out);

}  // namespace jade
