#include "jade/stepping/closing.h"

#include <algorithm>
#include <cmath>

#include "jade/stepping/closing_rate.h"

namespace jade {
namespace {

// A contact that something fast pushes on to the clearance is stopped there, or every later part of the step would
// end at once.
constexpr double kAtClearance = 1.01;

}  // namespace

double Closing::impact_speed(double span) const {
  return 2 * span * std::max(0.0, -free_pull) + std::max(kNoSpeed, carried);
}

bool Closing::is_impact(double span) const { return -approach > impact_speed(span); }

bool Closing::hits(const Horizon& time) const {
  if (gap <= kAtClearance * clearance) return approach < 0;
  // Too slow for an impact, too fast for a row of the segment: stopped without a bounce.
  const bool too_fast = approach * time.left < -(standoff - clearance);
  return at_standoff() && (too_fast || is_impact(time.span));
}

bool Closing::is_row(const Horizon& time) const {
  const double excess = gap - standoff, y = time.s * approach;
  const double active = 2 * time.span * time.span * std::abs(free_pull);
  // Semi-implicit Euler moves with the velocity of the end: what leaves now may be pulled back at once.
  const double away =
      time.integrator == Integrator::semi_implicit_euler ? y + time.s * time.s * std::min(0.0, free_pull) : y;
  if (excess >= active + slack() || y < -2 * std::max(excess, 0.0) - slack() || away > slack()) return false;
  return !is_impact(time.span);
}

bool Closing::lands(const Horizon& time) const {
  const double pulled = 2 * time.s * std::abs(free_pull);
  return gap - standoff < slack() + time.s * (std::abs(approach) + pulled);
}

double Closing::bias(const Horizon& time, double others) const {
  double excess = gap - standoff;
  // The paper's rule moves positions with the old velocity: the new one acts from where they will be.
  if (time.integrator == Integrator::explicit_euler) excess += time.s * approach;
  const double closing =
      closing_rate(excess, time.s, time.whole(), push_out_length(standoff, clearance), others).value;
  return time.integrator == Integrator::midpoint ? closing - 0.5 * approach : closing;
}

}  // namespace jade
