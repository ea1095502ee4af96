#pragma once

#include <cmath>

namespace jade {

/// How fast a contact may close over a segment of length s, and how that moves with what it depends on.
///   c ≥ 0   c / s: it reaches the standoff at the end of the segment and not before
///   c < 0   c / (s √(1 + y²)),  y = (h/s − 1) c / l: pushed out within the segment if that is the whole step, otherwise
///           at most with l / (h − s), however short the segment is; never faster than 3 l / h, so that what starts
///           below the clearance is still held by its row while it is pushed out
/// c: gap − standoff [m];  h: the whole step [s];  l: a length below the room that contacts have [m].
/// Resting contacts are at c = 0 to rounding, so the two branches meet there with one slope and one curvature, and bend on
/// the scale of l s / (h − s) only: a step would have no derivative at rest otherwise, or one that holds for no distance.
/// Over a whole step (s = h) they are the same line.
struct ClosingRate {
  double value = 0, by_excess = 0, by_s = 0, by_h = 0;
};

/// l for given lengths: three times that is four fifths of Closing::slack.
inline double push_out_length(double standoff, double clearance) { return 0.4 * (standoff - clearance); }

inline ClosingRate closing_rate(double c, double s, double h, double l) {
  if (c >= 0) return {c / s, 1 / s, -c / (s * s), 0};
  const double y = s == h ? 0 : (h / s - 1) * c / l, q = y == 0 ? 1 : std::sqrt(1 + y * y);
  const double rate = c / (s * q);
  if (-rate * h > 3 * l) return {-3 * l / h, 0, 0, 3 * l / (h * h)};
  const double slope = 1 / (s * q * q * q), by_h = -c * slope * y * c / (s * l);
  return {rate, slope, -c / (s * s * q) - by_h * h / s, by_h};
}

}  // namespace jade
