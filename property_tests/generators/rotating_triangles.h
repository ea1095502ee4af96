#pragma once

#include <array>

#include "generators/random_stream.h"
#include "jade/math/types.h"

namespace jade::generators {

/// A triangle that flies at constant velocity and spins at a constant rate about its origin.
struct RotatingTriangle {
  std::array<Vec3, 3> corners;  ///< in the body's frame at t = 0, about its origin [m]
  Vec3 p_W;                     ///< origin at t = 0 [m]
  Vec3 v_W;                     ///< [m/s]
  Vec3 w_W;                     ///< angular velocity [rad/s]

  std::array<Vec3, 3> at(double t) const {
    const double rate = w_W.norm();
    const Mat3 R = rate > 0 ? Eigen::AngleAxisd(rate * t, w_W / rate).toRotationMatrix() : Mat3::Identity();
    return {p_W + t * v_W + R * corners[0], p_W + t * v_W + R * corners[1], p_W + t * v_W + R * corners[2]};
  }
};

using TrianglePair = std::array<RotatingTriangle, 2>;

/// Two triangles of decimetres, some decimetres apart, that fly towards a common region at some metres a second
/// while both spin at `spin`. Most pairs miss each other, a part hits; some may overlap at t = 0.
inline TrianglePair random_triangle_pair(RandomStream& random, double spin) {
  TrianglePair pair;
  const Vec3 apart = random.uniform(0.05, 0.4) * random.direction();
  for (int i = 0; i < 2; ++i) {
    RotatingTriangle& body = pair[static_cast<std::size_t>(i)];
    for (Vec3& corner : body.corners) corner = 0.1 * random.vector();
    body.p_W = (i == 0 ? 0.5 : -0.5) * apart;
    body.v_W = random.uniform(0, 5) * random.direction();
    body.w_W = spin * random.direction();
  }
  return pair;
}

}  // namespace jade::generators
