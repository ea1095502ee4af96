#pragma once

#include "jade/geometry/ccd_query.h"

namespace jade {

/// How far outside a feature, in units of its weights (which sum to 1), a root still counts as contact.
inline constexpr double kCubicCcdWeightTolerance = 1e-9;

/// The paper's own test ("Continuous Collision Detection", univariate formulation), in plain floating point:
///   vertex-face:  n = (v₂ − v₁) × (v₃ − v₁),  q = p − v₁        edge-edge:  n = (p₂ − p₁) × (p₄ − p₃),  q = p₃ − p₁
///   n(t) · q(t) = 0 is a cubic in t; each of its roots in [0, 1] is kept iff the point, or the crossing of the two
///   lines, lies in the features then, up to kCubicCcdWeightTolerance.
/// Roots are found between the critical points of the cubic by bisection and Newton's method, so all of them are
/// found up to rounding; a critical point at which the cubic vanishes up to rounding is a (double) root.
/// A cubic that vanishes up to rounding everywhere has no isolated roots: then t = 0 and t = 1 stand for all times.
///
/// No promise: rounding can lose or invent hits, and motion within one plane is seen at its two ends only. It is
/// here because the suite compares methods; `exact_ccd` is the one to rely on.
/// `time_of_impact` is the root itself, early or late by rounding.
[[nodiscard]] CcdResult cubic_ccd(const CcdQuery& query);

}  // namespace jade
