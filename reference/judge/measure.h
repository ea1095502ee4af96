#pragma once

#include "reference/judge/solid.h"

namespace jade::judge {

enum class Relation {
  separated,     ///< no common point
  undecided,     ///< round shapes whose gap is smaller than the rounding of their coordinates
  intersecting,  ///< a common point, and neither lies inside the other; touching counts
  contained      ///< one lies wholly inside the other
};

const char* name_of(Relation relation);
inline bool overlap(Relation r) { return r == Relation::intersecting || r == Relation::contained; }

/// How two placed solids lie. `separation` brackets the clearance when it is positive and minus the penetration depth
/// (length of the shortest translation that parts them) when it is negative. With s = 5·2⁻⁵³ × largest coordinate:
///
/// | pair                          | relation                   | clearance                    | depth                   |
/// |-------------------------------|----------------------------|------------------------------|-------------------------|
/// | polyhedron, polyhedron        | exact for placed vertices  | long double ± s              | convex: ± s             |
/// | half-space, polyhedron        | exact for the placed plane | long double ± s              | ± s                     |
/// | half-space, round             | decided outside ± s        | closed form ± s              | ± s                     |
/// | sphere, capsule, any          | decided outside ± s        | closed form or certified ± s | convex: ± s             |
/// | cylinder, any                 | decided outside bracket    | bracket, 2e-10 of r, ± s     | bracket, 0.12 % of r    |
/// | non-convex mesh, any          | as above                   | as above                     | bracket: see below      |
///
/// Depth with a non-convex mesh lies between that of the deepest vertex of one inside the other (which every shorter
/// translation leaves inside) and the smallest overlap of the hulls along the normals of both.
struct Measurement {
  Relation relation = Relation::separated;
  Bracket separation;
};

/// Work ends early when the clearance is known to exceed `beyond`: then only `separation.lower` > `beyond` is tight.
Measurement measure(Solid& a, Solid& b, double beyond = std::numeric_limits<double>::infinity());

}  // namespace jade::judge
