#pragma once

namespace jade {

/// How fast a contact may close over a segment of length s, and how that moves with what it depends on.
///   c ≥ 0   c / s: it reaches the standoff at the end of the segment and not before
///   c < 0   c / d,  d = s + (h − s) x / (1 + x),  x = −c / c₀: pushed out within the segment if that is the whole step,
///           within a step of length h otherwise, however short the segment is
/// c: gap − standoff [m];  h: the whole step [s];  c₀: a length below the room that contacts have.
/// Resting contacts are at c = 0 to rounding, so the two branches have to meet there with one slope: a step would have
/// no derivative at rest otherwise. Over a whole step (s = h) they are the same line.
struct ClosingRate {
  double value = 0, by_excess = 0, by_s = 0, by_h = 0;
};

/// c₀ for given lengths: a tenth of the room between standoff and clearance.
inline double push_out_length(double standoff, double clearance) { return 0.1 * (standoff - clearance); }

inline ClosingRate closing_rate(double c, double s, double h, double c0) {
  if (c >= 0) return {c / s, 1 / s, -c / (s * s), 0};
  const double x = -c / c0, share = x / (1 + x), d = s + (h - s) * share;
  const double by_d = -c / (d * d);
  return {c / d, 1 / d - by_d * (h - s) / (c0 * (1 + x) * (1 + x)), by_d * (1 - share), by_d * share};
}

}  // namespace jade
