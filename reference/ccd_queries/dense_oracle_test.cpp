#include "ccd_queries/dense_oracle.h"

#include <gtest/gtest.h>

namespace jade::reference {
namespace {

const Triangle kFlat{Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(0, 1, 0)};

TEST(DenseOracle, TrianglesThatShareOnlyAPointMeet) {
  EXPECT_TRUE(triangles_meet(kFlat, {Vec3(0, 0, 0), Vec3(0, 0, 1), Vec3(1, 0, 1)}));
  EXPECT_FALSE(triangles_meet(kFlat, {Vec3(0, 0, 0x1p-1000), Vec3(0, 0, 1), Vec3(1, 0, 1)}));
  EXPECT_TRUE(triangles_meet(kFlat, {Vec3(0, 0, -1), Vec3(0, 0.1, 1), Vec3(0.1, 0, 1)}));
}

TEST(DenseOracle, FindsTheFirstContactOfAFall) {
  // The lowest corner starts at height 1 and falls at speed 3.
  const MovingPair fall = [](double t) {
    const Vec3 down(0, 0, 1 - 3 * t);
    return std::array<Triangle, 2>{kFlat,
                                   Triangle{down, Vec3(down + Vec3(0, 0, 1)), Vec3(down + Vec3(1, 0, 1))}};
  };
  const DenseTruth truth = dense_truth(fall, 1, 16);
  ASSERT_TRUE(truth.hit);
  EXPECT_GE(truth.contact, 1.0 / 3);
  EXPECT_NEAR(truth.contact, 1.0 / 3, 1e-9);  // the resolution it states
  EXPECT_FALSE(dense_truth(fall, 0.3, 16).hit);
}

}  // namespace
}  // namespace jade::reference
