#include "jade/geometry/cubic_ccd.h"

#include <limits>

#include <gtest/gtest.h>

#include "jade/base/error.h"

namespace jade {
namespace {

/// A unit triangle at rest in z = 0 and a vertex that moves from `from` to `to`.
CcdQuery vertex_to_face(const Vec3& from, const Vec3& to) {
  const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
  return {CcdKind::vertex_face, {from, a, b, c}, {to, a, b, c}};
}

TEST(CubicCcd, AVertexThroughAFaceHitsWhenItReachesThePlane) {
  const CcdResult result = cubic_ccd(vertex_to_face({0.25, 0.25, 1}, {0.25, 0.25, -3}));
  EXPECT_TRUE(result.hit);
  EXPECT_NEAR(result.time_of_impact, 0.25, 1e-15);  // rounding of one division
}

TEST(CubicCcd, AVertexBesideAFaceMisses) {
  EXPECT_FALSE(cubic_ccd(vertex_to_face({2, 2, 1}, {2, 2, -1})).hit);
}

TEST(CubicCcd, CrossingEdgesHitWhenTheyMeet) {
  const CcdQuery query{CcdKind::edge_edge,
                       {Vec3(-1, 0, 1), Vec3(1, 0, 1), Vec3(0, -1, 0), Vec3(0, 1, 0)},
                       {Vec3(-1, 0, -1), Vec3(1, 0, -1), Vec3(0, -1, 0), Vec3(0, 1, 0)}};
  const CcdResult result = cubic_ccd(query);
  EXPECT_TRUE(result.hit);
  EXPECT_NEAR(result.time_of_impact, 0.5, 1e-15);  // rounding of one division
}

TEST(CubicCcd, WhereTheVertexIsAtTheRootDecides) {
  EXPECT_FALSE(cubic_ccd(vertex_to_face({3, 0.25, 1}, {-1, 0.25, -1})).hit);  // at t = ½ at x = 1: outside
  EXPECT_TRUE(cubic_ccd(vertex_to_face({3, 0.25, 3}, {-1, 0.25, -1})).hit);  // at t = ¾ at x = 0: on the rim
}

TEST(CubicCcd, ADoubleRootIsARoot) {
  // The face lies in z = (1 − 2t) x, the vertex moves along x = 2t − 1, z = 0: its height over the face is (2t − 1)².
  const CcdQuery query{CcdKind::vertex_face,
                       {Vec3(-1, 0, 0), Vec3(-4, -4, -4), Vec3(4, -4, 4), Vec3(0, 4, 0)},
                       {Vec3(1, 0, 0), Vec3(-4, -4, 4), Vec3(4, -4, -4), Vec3(0, 4, 0)}};
  const CcdResult result = cubic_ccd(query);
  EXPECT_TRUE(result.hit);
  EXPECT_NEAR(result.time_of_impact, 0.5, 1e-8);  // square root of rounding: the cubic is flat there
}

TEST(CubicCcd, MotionWithinThePlaneIsSeenOnlyAtItsEnds) {
  // The limit the header states: the vertex crosses the face from side to side within the plane.
  EXPECT_FALSE(cubic_ccd(vertex_to_face({-1, 0.25, 0}, {3, 0.25, 0})).hit);
  EXPECT_TRUE(cubic_ccd(vertex_to_face({-1, 0.25, 0}, {0.25, 0.25, 0})).hit);
}

TEST(CubicCcd, RefusesWhatIsNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)cubic_ccd(vertex_to_face({inf, 0, 0}, {0, 0, 0})), InvalidInput);
}

}  // namespace
}  // namespace jade
