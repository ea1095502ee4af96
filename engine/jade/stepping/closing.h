#pragma once

#include <algorithm>
#include <cmath>

#include "jade/stepping/closing_rate.h"
#include "jade/stepping/propagate.h"

namespace jade {

/// Closing speeds below this are rounding of velocities of ordinary size [m/s, or rad/s for a limited angle].
constexpr double kNoSpeed = 1e-6;
/// Contacts up to this multiple of the standoff are at it: the sweep finds them there to its own tolerance.
constexpr double kAtStandoff = 1.001;
/// A contact that something fast pushes on to the clearance is stopped there, or every later part of the step would
/// end at once.
constexpr double kAtClearance = 1.01;

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

inline double Closing::impact_speed(double span) const {
  return 2 * span * std::max(0.0, -free_pull) + std::max(kNoSpeed, carried);
}

inline bool Closing::is_impact(double span) const { return -approach > impact_speed(span); }

inline bool Closing::hits(const Horizon& time) const {
  if (gap <= kAtClearance * clearance) return approach < 0;
  // Too slow for an impact, too fast for a row of the segment: stopped without a bounce.
  const bool too_fast = approach * time.left < -(standoff - clearance);
  return at_standoff() && (too_fast || is_impact(time.span));
}

inline bool Closing::is_row(const Horizon& time) const {
  const double excess = gap - standoff, y = time.s * approach;
  const double active = 2 * time.span * time.span * std::abs(free_pull);
  // Semi-implicit Euler moves with the velocity of the end: what leaves now may be pulled back at once.
  const double away =
      time.integrator == Integrator::semi_implicit_euler ? y + time.s * time.s * std::min(0.0, free_pull) : y;
  // y < −2 max(excess, 0) − slack, of which hardly ever more than the first half is asked for.
  const bool too_fast = y < -slack() && y < -2 * excess - slack();
  if (excess >= active + slack() || too_fast || away > slack()) return false;
  return !is_impact(time.span);
}

inline bool Closing::lands(const Horizon& time) const {
  const double pulled = 2 * time.s * std::abs(free_pull);
  return gap - standoff < slack() + time.s * (std::abs(approach) + pulled);
}

inline double Closing::bias(const Horizon& time, double others) const {
  double excess = gap - standoff;
  // The paper's rule moves positions with the old velocity: the new one acts from where they will be.
  if (time.integrator == Integrator::explicit_euler) excess += time.s * approach;
  const double closing =
      closing_rate(excess, time.s, time.whole(), push_out_length(standoff, clearance), others).value;
  return time.integrator == Integrator::midpoint ? closing - 0.5 * approach : closing;
}

}  // namespace jade
