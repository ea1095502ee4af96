#pragma once

#include "jade/contact/collision_model.h"
#include "jade/contact/contact_derivative.h"
#include "jade/stepping/step_trace.h"

namespace jade {

/// A contact at one placement of its trees, and how its normal and point move with them. What rolls on a rim at the
/// middle of a segment looks towards the normal of the segment's start: N0, P0 are by displacements of the start.
struct PlacedContact {
  ContactMotion motion;
  Vec3 p = Vec3::Zero(), n = Vec3::Zero();
  Mat3X N, P, N0, P0;
  Mat3X rotation_b;  ///< of shape b by dq
  Mat3 R_WB = Mat3::Identity();
};

/// Poses of the two shapes of a contact.
struct ShapePoses {
  Transform X_WA, X_WB;
};

/// At the start of a sub-step (`start` null) or at the middle of a segment, whose normal at the start is known then.
void place_contact(const ContactTrace& contact, const CollisionModel& collision,
                   const std::vector<RowTree>& trees, Anchor a, Anchor b, const ShapePoses& poses,
                   const PlacedContact* start, PlacedContact& out);

/// The directions of a contact's rows are a frame (n, t₁, t₂) that turns by ρ: d(d_r) = ρ × d_r.
///   ρ = n × dn + φ n,   φ = t₂·(dy − (n·y) dn) / |y − n (n·y)|
/// t₁ is along y in the plane normal to n: the slip Δ(v₀) that would be without friction, that of the start (v₀ = v), or an
/// axis of shape b.
struct FrameDerivative {
  Mat3X by_q;      ///< displacements of the start
  Mat3X by_place;  ///< displacements of the placement that the rows are at
  Mat3X by_v0;     ///< rates v₀
};
void frame_by_position(const RowsTrace& rows, const PlacedContact& start, const PlacedContact& at,
                       const VecX& v0, FrameDerivative& out);

/// w_r = d_r·Δ(x) and the force Jᵀ Σ f_r d_r, by everything but x and f.
struct RowDerivative {
  MatX w_by_q, w_by_place, w_by_v0;  ///< rows × local
  MatX J;                            ///< rows × local: w by x
  MatX g_by_q, g_by_place, g_by_v0;  ///< local × local
};
void rows_by_position(const RowsTrace& rows, const PlacedContact& at, const FrameDerivative& frame,
                      const VecX& x, RowDerivative& out);
void force_by_position(const Vec3& F, const PlacedContact& at, const FrameDerivative& frame,
                       RowDerivative& out);

/// d(n·Δ(v)) at the start: of the closing speed.
void approach_by_position(const PlacedContact& start, const VecX& v, Eigen::RowVectorXd& by_q,
                          Eigen::RowVectorXd& by_v);

/// e_r·Δ(v) at the start, r = 1, 2, with the tangents of the rows turned into the plane of the start: e₁ along
/// t₁ − n₀ (n₀·t₁), e₂ = n₀ × e₁. Its frame turns by ρ₀ = n₀ × dn₀ + φ₀ n₀, φ₀ = e₂·(ρ × t₁ − (n₀·t₁) dn₀) / |…|.
struct SlipDerivative {
  MatX by_q, by_place, by_v0, by_v;  ///< tangents × local
};
void slip_at_start_by_position(const RowsTrace& rows, const PlacedContact& start,
                               const FrameDerivative& frame, const VecX& v, SlipDerivative& out);

}  // namespace jade
