#pragma once

#include "jade/contact/collision_model.h"
#include "jade/stepping/step_trace.h"

namespace jade {

/// The two sides of a contact, whatever they hang on: displacement, velocity or force of the link of side a and of that of
/// side b, each as (its reference point, its rotation) in world axes. The reference point moves with the link. Columns of
/// a side that is fixed to the world stand for nothing and are never used.
using Sides = Eigen::Matrix<double, 12, 1>;
using Mat3x12 = Eigen::Matrix<double, 3, 12, Eigen::RowMajor>;
using Mat12 = Eigen::Matrix<double, 12, 12, Eigen::RowMajor>;
using Row12 = Eigen::Matrix<double, 1, 12>;
/// Of the at most three rows of a contact.
using Rows12 = Eigen::Matrix<double, 3, 12, Eigen::RowMajor>;

/// A point between two links.
struct LinkPoint {
  Vec3 p = Vec3::Zero();
  Vec3 arm[2] = {Vec3::Zero(), Vec3::Zero()};  ///< from the reference points of the two links to p
  bool moves[2] = {true, true};                ///< sides that are not fixed to the world

  /// Δ(x) = J x, the velocity of b against a; that of a side that is fixed is zero.
  Vec3 velocity(const Sides& x) const;
  /// uᵀ J: the velocity along u by rates, and the forces of u on b and −u on a.
  Row12 along(const Vec3& u) const;
  /// out += uᵀ M on the sides that move
  void add_along(const Vec3& u, const Mat3x12& M, Row12& out) const;
};

/// A contact at one placement of its trees, and how its normal and point move with them. What rolls on a rim at the
/// middle of a segment looks towards the normal of the segment's start, and a rim that crosses an edge is there its tangent
/// where it was nearest at the start: N0, P0 are by displacements of the start.
/// Derivatives are asked for along a direction u, one row at a time: most of what a full matrix would hold is not needed.
struct PlacedContact : LinkPoint {
  Vec3 n = Vec3::Zero();
  Mat3x12 N = Mat3x12::Zero(), P = Mat3x12::Zero();  ///< dn, dp by displacements
  Mat3x12 N0 = Mat3x12::Zero(), P0 = Mat3x12::Zero();
  /// At the middle or the end: how the gap moves as the places of rims travel, by displacements there and of the start. Places
  /// that are the lowest towards the normal of the start are not towards one that has turned since.
  Row12 climb = Row12::Zero(), climb0 = Row12::Zero();
  bool turns = true;     ///< N is not zero
  bool travels = false;  ///< N0 and P0 are not zero
  /// At the start: how the tangents of rims turn in their bodies as the nearest places travel along them, by displacements.
  bool on_rim[2] = {false, false};
  Mat3x12 tangent_turns[2];  ///< in the frames of the two shapes; of rims alone
  /// And how lowest places of rims travel along them, the same: a rim that is flat at the middle keeps the place of the start.
  bool has_travelled[2] = {false, false};
  Mat3x12 place_travels[2];
  Mat3 R_WB = Mat3::Identity();

  /// ω_b − ω_a
  static Vec3 spin(const Sides& x) { return x.tail<3>() - x.segment<3>(3); }
  /// u·dΔ(x) by displacements with the links' rates x held: the point and both reference points move.
  Row12 velocity_by_position(const Vec3& u, const Sides& x) const;
};

/// Poses of the two shapes of a contact, and the reference points of their links.
struct SidePoses {
  Transform X_WA, X_WB;
  Vec3 reference_a = Vec3::Zero(), reference_b = Vec3::Zero();
  bool moves[2] = {false, false};  ///< not fixed to the world
};

/// At the start of a sub-step (`start` null) or at the middle of a segment, whose normal at the start is known then.
void place_contact(const ContactTrace& contact, const CollisionModel& collision, const SidePoses& poses,
                   const PlacedContact* start, PlacedContact& out);

/// The same contact at the start of a sub-step, with the normal of the smooth surface that a mesh stands for.
void place_smooth_contact(const ContactTrace& contact, const CollisionModel& collision,
                          const SidePoses& poses, const PlacedContact& start, PlacedContact& out);

/// The directions of a contact's rows are a frame (n, t₁, t₂) that turns by ρ: d(d_r) = ρ × d_r.
///   ρ = n × dn + φ n,   φ = t₂·(dy − (n·y) dn) / |y − n (n·y)|
/// t₁ is along y in the plane normal to n: the slip Δ(v₀) that would be without friction, that of the start (v₀ = v), or an
/// axis of shape b.
struct FrameDerivative {
  Vec3 n = Vec3::Zero();
  Row12 by_q;                  ///< φ by displacements of the start
  Row12 by_place;              ///< φ by displacements of the placement that the rows are at
  Row12 by_v0;                 ///< φ by rates v₀
  bool q = false, v0 = false;  ///< whether ρ moves with the start and with v₀

  /// u·ρ by displacements of the placement and of the start.
  Row12 turn_by_place(const Vec3& u, const PlacedContact& at) const;
  Row12 turn_by_start(const Vec3& u, const PlacedContact& at) const;
};
/// As if t₁ did not turn about n: φ = 0.
void frame_by_normal(const RowsTrace& rows, const PlacedContact& at, FrameDerivative& out);
void frame_by_position(const RowsTrace& rows, const PlacedContact& start, const PlacedContact& at,
                       const Sides& v0, FrameDerivative& out);

/// w_r = d_r·Δ(x) and the force Jᵀ Σ f_r d_r, by everything but x and f.
struct RowDerivative {
  Rows12 w_by_q, w_by_place, w_by_v0;
  Rows12 J;  ///< w by x
};
/// The first `count` of the rows.
void rows_by_position(const RowsTrace& rows, int count, const PlacedContact& at, const FrameDerivative& frame,
                      const Sides& x, RowDerivative& out);

/// Forces on both sides, of several contacts between the same two links.
struct ForceDerivative {
  Mat12 by_q = Mat12::Zero(), by_place = Mat12::Zero(), by_v0 = Mat12::Zero();
  bool q = false, place = false, v0 = false;  ///< whether they are not zero
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
void slip_at_start_by_position(const RowsTrace& rows, const PlacedContact& start, const PlacedContact& at,
                               const FrameDerivative& frame, const Sides& v, SlipDerivative& out);

}  // namespace jade
