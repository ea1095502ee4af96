#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace jade {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using VecX = Eigen::VectorXd;
using Mat3 = Eigen::Matrix3d;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using MatX = Eigen::MatrixXd;
using Mat3X = Eigen::Matrix3Xd;
using Mat6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
/// Unit quaternion. Wherever four numbers are stored or printed the order is w x y z.
using Quat = Eigen::Quaterniond;

/// Pose of frame B seen from frame A, named X_AB: a point with coordinates p_B has p_A = R p_B + p.
struct Transform {
  Mat3 R = Mat3::Identity();  ///< R_AB
  Vec3 p = Vec3::Zero();      ///< p_AB, origin of B in A

  Vec3 operator*(const Vec3& p_B) const { return R * p_B + p; }
  Transform operator*(const Transform& X_BC) const { return {R * X_BC.R, R * X_BC.p + p}; }
  Transform inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

}  // namespace jade
