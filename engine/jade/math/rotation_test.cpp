#include "jade/math/rotation.h"

#include <gtest/gtest.h>
#include <unsupported/Eigen/MatrixFunctions>

#include "jade/math/differences.h"

namespace jade {
namespace {

// Angles on both sides of the switch between series and closed form, and near π.
const double kAngles[] = {0, 1e-12, 1e-5, 0.0499, 0.0501, 0.3, 1.7, 3.14};
const Vec3 kAxis = Vec3(0.36, -0.48, 0.8);

TEST(Rotation, ExpEqualsTheMatrixExponentialSeries) {
  for (const double angle : kAngles) {
    const Mat3 generator = skew(angle * kAxis);
    const Mat3 expected = generator.exp();
    EXPECT_LT((rotation_exp(angle * kAxis) - expected).norm(), 2e-15) << angle;
    EXPECT_LT((quaternion_exp(angle * kAxis).toRotationMatrix() - expected).norm(), 2e-15) << angle;
  }
}

TEST(Rotation, LogUndoesExp) {
  for (const double angle : kAngles) {
    const Vec3 theta = angle * kAxis;
    EXPECT_LT((rotation_log(quaternion_exp(theta)) - theta).norm(), 1e-15 * (1 + angle)) << angle;
    // Through a matrix the angle is read from differences of entries of size one.
    EXPECT_LT((rotation_log(rotation_exp(theta)) - theta).norm(), 1e-14) << angle;
  }
}

TEST(Rotation, LeftJacobianAgreesWithDifferences) {
  for (const double angle : kAngles) {
    const Vec3 theta = angle * kAxis;
    const Mat3 R_inverse = rotation_exp(theta).transpose();
    for (int k = 0; k < 3; ++k) {
      const Derivative column = ridders_derivative(
          [&](double s) -> VecX {
            return rotation_log(Mat3(rotation_exp(theta + s * Vec3::Unit(k)) * R_inverse));
          },
          {.first_step = 0.02});
      EXPECT_LT((rotation_left_jacobian(theta).col(k) - column.value).norm(), 1e-10) << angle;
    }
  }
}

}  // namespace
}  // namespace jade
