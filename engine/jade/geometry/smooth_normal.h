#pragma once

#include <optional>

#include "jade/geometry/distance.h"
#include "jade/geometry/feature.h"

namespace jade {

/// The direction along which surfaces push each other in an impact when a mesh stands for a smooth one:
///   n ∥ c_B − c_A        c: centre of curvature under the foot of a smooth mesh; of a sphere its centre, of a sharp corner the
///                        corner itself, of an edge or a capsule the point of its line beside the foot
/// Two spheres push along the line of their centres, wherever in their facets the meshes touch. What is approximated: point
/// and gap are those of the facets, so the gap closes along the facets' normal and not along n; both agree in the limit of
/// small facets. So n serves impulses alone: what holds bodies apart, and the sweep, keep to the facets.
/// None when no side is smooth, when a side is flat (a face of a box, a half-space: its normal is exact) or a cylinder, and
/// when n is more than 60° off the facets' normal, where the mesh says too little of the surface.
std::optional<Vec3> smooth_normal(const PlacedShape& a, const Feature& on_a, const PlacedShape& b,
                                  const Feature& on_b, const FeatureContact& at);

/// Columns as in FeatureContactDerivative; `contact` is that of the same contact, about the same centres. Only where there is
/// a smooth normal.
FeatureContactDerivative::Matrix smooth_normal_derivative(const PlacedShape& a, const Feature& on_a,
                                                          const PlacedShape& b, const Feature& on_b,
                                                          const FeatureContact& at,
                                                          const FeatureContactDerivative& contact,
                                                          const RotationCentres& about);

}  // namespace jade
