#pragma once

#include "jade/stepping/propagate.h"

namespace jade {

/// Closing speeds below this are rounding of velocities of ordinary size [m/s, or rad/s for a limited angle].
constexpr double kNoSpeed = 1e-6;
/// Contacts up to this multiple of the standoff are at it: the sweep finds them there to its own tolerance.
constexpr double kAtStandoff = 1.001;

/// Times that a segment knows of [s].
struct Horizon {
  double s = 0;     ///< length of the segment
  double span = 0;  ///< the longest segment that the spin of the bodies allows
  double left = 0;  ///< of the step
  double h = 0;     ///< the step
  Integrator integrator = Integrator::midpoint;

  /// In which contacts are pushed out of the standoff: parts of a step that only a spin makes short are whole.
  double whole() const { return integrator == Integrator::midpoint ? span : h; }
};

/// Something that must not close: the gap between two shapes at a contact, or between a coordinate and its limit.
/// One set of rules decides for both, so that each is exactly one of: left alone, a row of the segment, an impact.
///   c = gap − δ, the excess;  y = s Jₙ v
struct Closing {
  double gap = 0;        ///< [m, or the unit of the coordinate]
  double approach = 0;   ///< Jₙ v: negative when closing
  double free_pull = 0;  ///< Jₙ a of the motion without contact forces
  double standoff = 0;   ///< δ
  double clearance = 0;  ///< d_min
  /// Of what carried load before: slower than this it goes on to [m/s]. A stack that is nudged is no rain of impacts.
  double carried = 0;

  double slack() const { return 1.5 * (standoff - clearance); }
  bool at_standoff() const { return gap <= kAtStandoff * standoff; }

  /// What one segment of acceleration explains.
  double impact_speed(double span) const;
  /// Closes faster than that, whatever the restitution is.
  bool is_impact(double span) const;
  /// To be stopped, or bounced, at once.
  bool hits(const Horizon& time) const;
  /// Whether the segment holds it apart by a force. All others are left to the sweep and to collide: admitting those that
  /// approach fast would brake them before they meet, admitting those that leave would do work on them.
  bool is_row(const Horizon& time) const;
  /// Whether it can close within the segment, however fast.
  bool lands(const Horizon& time) const;
  /// What the row's end velocity has to stay above, moved to the other side: w = J_m (v + v⁺) − J v − k, without the
  /// products of J_m:
  ///   −k_n − J v,  k_n = −closing_rate(c) − ½ Jₙ v
  /// Euler's rules have w = J v⁺ − k with k_n = −closing_rate(c).
  /// `others`: see closing_rate.
  double bias(const Horizon& time, double others = 0) const;
};

}  // namespace jade
