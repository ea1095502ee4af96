#pragma once

#include <array>
#include <functional>

#include "jade/math/types.h"

namespace jade::reference {

using Triangle = std::array<Vec3, 3>;

/// Both triangles of a moving pair at a time.
using MovingPair = std::function<std::array<Triangle, 2>(double time)>;

/// Do the closed triangles share a point? Decided with exact predicates (CGAL's kernel). Degenerate triangles are
/// not expected.
bool triangles_meet(const Triangle& a, const Triangle& b);

/// What dense sampling knows of the first contact.
struct DenseTruth {
  bool hit = false;
  double contact =
      0;  ///< with a hit: a time at which the triangles meet, not later than any sample that meets
};

/// Looks at `samples` + 1 evenly spaced times of [0, duration] with exact predicates, and halves the gap before the
/// first that meets until it is a billionth of the duration. Contacts shorter than the spacing can escape it: it
/// proves hits, not misses.
DenseTruth dense_truth(const MovingPair& pair, double duration, int samples);

}  // namespace jade::reference
