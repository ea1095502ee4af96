#pragma once

#include "jade/math/types.h"

namespace jade {

/// A point over a plane with normal m that does not move: how its foot on the plane (share = 1) or the point half-way to it
/// (share = ½) moves with the six numbers of the point's body, (1 − share m mᵀ)(u + θ × arm), with `arm` from the body's
/// centre to the point.
inline Eigen::Matrix<double, 3, 6, Eigen::RowMajor> foot_by_point(const Vec3& m, const Vec3& arm,
                                                                  double share) {
  Eigen::Matrix<double, 3, 6, Eigen::RowMajor> out;
  for (int i = 0; i < 3; ++i) {
    const Vec3 along = Vec3::Unit(i) - (share * m[i]) * m;
    out.row(i).head<3>() = along;
    out.row(i).tail<3>() = arm.cross(along);
  }
  return out;
}

}  // namespace jade
