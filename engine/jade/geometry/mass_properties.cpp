#include "jade/geometry/mass_properties.h"

#include <cmath>
#include <numbers>
#include <string>

#include "jade/base/error.h"
#include "jade/geometry/convex_hull.h"

namespace jade {
namespace {

using std::numbers::pi;

[[noreturn]] void refuse(const char* shape, std::string place, std::string problem, std::string remedy) {
  throw InvalidInput(std::string("mass properties of a ") + shape,
                     {{std::move(place), std::move(problem), std::move(remedy)}});
}

void require_positive(const char* shape, const char* place, double length) {
  if (!(length > 0 && std::isfinite(length)))
    refuse(shape, place, "is not a positive finite number", "give a length in metres, greater than 0");
}

MassProperties centred(double mass, double Ixx, double Iyy, double Izz) {
  return {mass, Vec3::Zero(), Vec3(Ixx, Iyy, Izz).asDiagonal()};
}

MassProperties solid(const Sphere& s, double density) {
  require_positive("sphere", "radius", s.radius);
  const double m = density * 4.0 / 3.0 * pi * s.radius * s.radius * s.radius;
  const double I = 0.4 * m * s.radius * s.radius;
  return centred(m, I, I, I);
}

/// A cylinder and two half balls, whose centres are 3r/8 beyond the ends of the segment.
MassProperties solid(const Capsule& s, double density) {
  require_positive("capsule", "radius", s.radius);
  require_positive("capsule", "half_length", s.half_length);
  const double r = s.radius, l = s.half_length;
  const double m_c = density * pi * r * r * 2 * l;
  const double m_b = density * 4.0 / 3.0 * pi * r * r * r;
  const double Izz = 0.5 * m_c * r * r + 0.4 * m_b * r * r;
  const double Ixx = m_c * (r * r / 4 + l * l / 3) + m_b * (0.4 * r * r + 0.75 * r * l + l * l);
  return centred(m_c + m_b, Ixx, Ixx, Izz);
}

MassProperties solid(const Box& s, double density) {
  require_positive("box", "size x", s.size.x());
  require_positive("box", "size y", s.size.y());
  require_positive("box", "size z", s.size.z());
  const double m = density * s.size.prod();
  const Vec3 q = s.size.cwiseAbs2() * (m / 12);
  return centred(m, q.y() + q.z(), q.x() + q.z(), q.x() + q.y());
}

MassProperties solid(const Cylinder& s, double density) {
  require_positive("cylinder", "radius", s.radius);
  require_positive("cylinder", "half_length", s.half_length);
  const double r = s.radius, l = s.half_length;
  const double m = density * pi * r * r * 2 * l;
  const double Ixx = m * (r * r / 4 + l * l / 3);
  return centred(m, Ixx, Ixx, 0.5 * m * r * r);
}

MassProperties solid(const HalfSpace&, double) {
  refuse("half-space", "shape", "has no finite mass",
         "fix its body to the world, or give the body an inertia");
}

MassProperties solid(const ConvexHull& s, double density) {
  const HullSurface surface = convex_hull(s.points);
  std::vector<std::array<int, 3>> triangles;
  for (const auto& face : surface.faces)
    for (std::size_t i = 2; i < face.size(); ++i) triangles.push_back({face[0], face[i - 1], face[i]});
  return mass_properties(surface.vertices, triangles, density);
}

MassProperties solid(const TriangleMesh& s, double density) {
  if (s.triangles.empty())
    refuse("mesh", "triangles", s.file.empty() ? "are missing" : "of file \"" + s.file + "\" are not loaded",
           "load the mesh first, or give vertices and triangles");
  const MassProperties result = mass_properties(s.vertices, s.triangles, density);
  if (!(result.mass > 0))
    refuse("mesh", "triangles", "enclose no positive volume",
           "orient every triangle counter-clockwise seen from outside");
  return result;
}

struct VolumeIntegrals {
  double volume = 0;
  Vec3 first = Vec3::Zero();   // ∫ x
  Mat3 second = Mat3::Zero();  // ∫ x xᵀ
};

VolumeIntegrals integrate_about(const Vec3& o, std::span<const Vec3> vertices,
                                std::span<const std::array<int, 3>> triangles) {
  VolumeIntegrals sum;
  for (const auto& t : triangles) {
    const Vec3 a = vertices[t[0]] - o, b = vertices[t[1]] - o, c = vertices[t[2]] - o, s = a + b + c;
    const double V = a.dot(b.cross(c)) / 6;
    sum.volume += V;
    sum.first += V / 4 * s;
    sum.second += V / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  return sum;
}

}  // namespace

MassProperties mass_properties(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles,
                               double density) {
  Vec3 centre = Vec3::Zero();
  for (const auto& t : triangles) centre += vertices[t[0]] / double(triangles.size());
  const VolumeIntegrals rough = integrate_about(centre, vertices, triangles);
  if (rough.volume == 0) return {};
  centre += rough.first / rough.volume;

  const VolumeIntegrals fine = integrate_about(centre, vertices, triangles);
  const Vec3 rest = fine.first / fine.volume;  // rounding of the first pass
  const Mat3 C = fine.second - fine.volume * rest * rest.transpose();
  return {density * fine.volume, centre + rest, density * (C.trace() * Mat3::Identity() - C)};
}

MassProperties mass_properties(const Shape& shape, double density) {
  if (!(density > 0 && std::isfinite(density)))
    refuse("shape", "density", "is not a positive finite number", "give kg/m³, greater than 0");
  return std::visit([&](const auto& s) { return solid(s, density); }, shape);
}

}  // namespace jade
