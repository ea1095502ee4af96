#pragma once

#include "jade/geometry/ccd_query.h"

namespace jade {

/// `advancement_ccd` calls features that come nearer than this a hit, in units of the coordinates (2^-46 of the
/// largest difference of coordinates where that is more).
inline constexpr double kAdvancementCcdGap = 1e-6;

/// The engine's certificate for free motion (jade/geometry/time_of_impact.h), for features whose points move on
/// straight lines. For a fixed unit direction n every n·(x_i − x_j)(t) is linear in t, so their minimum over all
/// points i of the first and j of the second feature is concave: where it is positive at two times the features are
/// apart in between. n is the direction between the nearest points; the time advances to where the minimum falls to
/// half the gap, until the features are within the gap or the end is reached.
/// Never misses a contact and never late; a hit may be a near miss within the gap, or a pair that stays so near that
/// a thousand rounds do not pass it.
[[nodiscard]] CcdResult advancement_ccd(const CcdQuery& query);

}  // namespace jade
