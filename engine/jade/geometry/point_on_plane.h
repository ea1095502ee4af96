#pragma once

#include "jade/math/types.h"

namespace jade {

/// A point over a plane with normal m that does not move: how the point half-way between the surfaces moves with the six
/// numbers of the point's body, (1 − ½ m mᵀ)(u + θ × arm), with `arm` from its centre to the point.
inline Eigen::Matrix<double, 3, 6, Eigen::RowMajor> midpoint_by_point(const Vec3& m, const Vec3& arm) {
  Eigen::Matrix<double, 3, 6, Eigen::RowMajor> out;
  for (int i = 0; i < 3; ++i) {
    const Vec3 along = Vec3::Unit(i) - (0.5 * m[i]) * m;
    out.row(i) << along.transpose(), arm.cross(along).transpose();
  }
  return out;
}

}  // namespace jade
