#pragma once

#include <algorithm>
#include <cmath>

namespace jade {

/// How fast a contact may close over a segment of length s, and how that moves with what it depends on.
///   c k / s,   k = (1 + y⁴)^(−1/4),   y = (h/s − 1) √(Σ min(c_j, 0)²) / l
/// c ≥ 0: it reaches the standoff at the end of the segment and not before. c < 0: pushed out within the segment if that is
/// the whole step, otherwise at most with l / (h − s), however short the segment is; never faster than 3 l / h, so that what
/// starts below the clearance is still held by its row while it is pushed out.
/// c: gap − standoff [m];  h: the whole step, or the longest segment that spin allows [s];  l: a length below the room that contacts have [m].
/// The sum is over all contacts c_j of the pair: their rows depend on each other, as do the gaps of the corners of a face,
/// and rates that are not all the same multiple of the gaps would ask for what no motion gives: one corner of a resting
/// face would have to let go, another one for every nudge. Contacts that are well above the standoff have no part in that:
/// from c = l to 2 l their k goes to 1.
/// Resting contacts are at c = 0 to rounding: a step would have no derivative at rest if the slopes of both sides differed
/// there, or one that holds for no distance. k leaves 1 with the fourth power of c, on the scale of l s / (h − s): what is
/// moved by a tenth of that closes as on a line, to 3e-4 of its slope. Over a whole step (s = h) it is a line.
struct ClosingRate {
  double value = 0, by_excess = 0, by_others = 0, by_s = 0, by_h = 0;
};

/// l for given lengths: three times that is four fifths of Closing::slack.
inline double push_out_length(double standoff, double clearance) { return 0.4 * (standoff - clearance); }

/// min(c, 0)²: what a contact brings to that sum. Of what rests the sign of c is rounding, which no branch could foresee.
inline double squared_depth(double c) {
  const double depth = 0.5 * (c - std::abs(c));
  return depth * depth;
}

/// `others`: the squared depths of the pair's other contacts.
inline ClosingRate closing_rate(double c, double s, double h, double l, double others = 0) {
  const double squared = squared_depth(c) + others;
  const ClosingRate line{c / s, 1 / s, 0, -c / (s * s), 0};
  // A whole step, and well below the fastest: so are most.
  if ((s == h && c > -2 * l) || squared == 0) return line;
  const double above = std::clamp(c / l - 1, 0.0, 1.0);
  if (above == 1) return line;
  const double a = h / s - 1, z = a * a * squared / (l * l),
               k = z == 0 ? 1 : 1 / std::sqrt(std::sqrt(1 + z * z));
  // Part in what the pair does, falling smoothly from 1 to 0.
  const double part = 1 - above * above * (3 - 2 * above), part_by_c = -6 * above * (1 - above) / l;
  const double value = c * (1 - part * (1 - k)) / s, fastest = 3 * l / h;
  if (-value > fastest) return {-fastest, 0, 0, 0, fastest / h};
  const double by_z = -0.5 * (part * c / s) * z * k * k * k * k * k, per = a / (l * l);
  const double by_a = by_z * 2 * per * squared, by_squared = by_z * per * a;
  return {value, (1 - part * (1 - k) - c * part_by_c * (1 - k)) / s + by_squared * 2 * std::min(c, 0.0),
          by_squared, -value / s - by_a * h / (s * s), by_a / s};
}

}  // namespace jade
