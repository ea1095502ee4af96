#pragma once

#include <array>
#include <span>

#include "jade/geometry/shape.h"

namespace jade {

/// Mass, centre and rotational inertia of a solid of uniform density.
struct MassProperties {
  double mass = 0;              ///< density × volume
  Vec3 com = Vec3::Zero();      ///< centre of mass in the shape's frame S
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass, axes of S
};

/// Density 1 gives volume integrals. Closed forms for the round shapes and the box, exact polyhedral integrals
/// for hulls and meshes.
/// Throws InvalidInput for a half-space (it has no finite mass), a length that is not positive, a mesh that
/// encloses no positive volume (inside out) or that is only named by its file and not loaded yet.
MassProperties mass_properties(const Shape& shape, double density);

/// The same for the solid inside a closed surface of outward triangles. Summed over the tetrahedra from a
/// reference point o to each triangle (a, b, c seen from o, V = a·(b × c)/6, s = a + b + c):
///   volume Σ V,   ∫x = Σ V s/4,   ∫x xᵀ = Σ V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20
/// and I = tr(C) 1 − C with C = ∫x xᵀ about the centre of mass. o is the centre of mass itself (a second pass),
/// so that a small mesh far from its origin loses no digits.
/// A negative mass is returned for a surface that is inside out.
MassProperties mass_properties(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles,
                               double density);

}  // namespace jade
