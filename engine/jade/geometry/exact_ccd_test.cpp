#include "jade/geometry/exact_ccd.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "jade/base/error.h"

namespace jade {
namespace {

const Vec3 kA(0, 0, 0), kB(1, 0, 0), kC(0, 1, 0);

/// A unit triangle at rest in z = 0 and a vertex that moves from `from` to `to`.
CcdQuery vertex_to_face(const Vec3& from, const Vec3& to) {
  return {CcdKind::vertex_face, {from, kA, kB, kC}, {to, kA, kB, kC}};
}

/// An edge at rest from −x to +x and an edge that moves.
CcdQuery edge_to_edge(const Vec3& from0, const Vec3& from1, const Vec3& to0, const Vec3& to1) {
  const Vec3 left(-1, 0, 0), right(1, 0, 0);
  return {CcdKind::edge_edge, {left, right, from0, from1}, {left, right, to0, to1}};
}

void expect_hit_at(double time, const CcdQuery& query) {
  const CcdResult result = exact_ccd(query);
  ASSERT_TRUE(result.hit);
  EXPECT_LE(result.time_of_impact, time);
  EXPECT_GE(result.time_of_impact, time - kExactCcdTimeTolerance);
}

void expect_miss(const CcdQuery& query) {
  const CcdResult result = exact_ccd(query);
  EXPECT_FALSE(result.hit);
  EXPECT_EQ(result.time_of_impact, 1);
}

TEST(ExactCcd, AVertexThroughAFaceHitsWhenItReachesThePlane) {
  expect_hit_at(0.25, vertex_to_face({0.25, 0.25, 1}, {0.25, 0.25, -3}));
  expect_hit_at(1.0 / 3, vertex_to_face({0.25, 0.25, 1}, {0.25, 0.25, -2}));
  expect_miss(vertex_to_face({0.75, 0.75, 1}, {0.75, 0.75, -3}));
}

TEST(ExactCcd, TouchingAtEitherEndOfTheMotionIsAHit) {
  expect_hit_at(0, vertex_to_face({0.25, 0.25, 0}, {0.25, 0.25, 1}));
  expect_hit_at(1, vertex_to_face({0.25, 0.25, 1}, {0.25, 0.25, 0}));
  expect_miss(vertex_to_face({0.25, 0.25, 1}, {0.25, 0.25, 0x1p-60}));
  expect_hit_at(0, edge_to_edge({0, -1, 0}, {0, 1, 0}, {0, -1, 1}, {0, 1, 1}));
  expect_hit_at(1, edge_to_edge({0, -1, 1}, {0, 1, 1}, {0, -1, 0}, {0, 1, 0}));
}

TEST(ExactCcd, TouchingTheRimOfAFaceIsAHit) {
  expect_hit_at(0.5, vertex_to_face({0, 0, 1}, {0, 0, -1}));
  expect_hit_at(0.5, vertex_to_face({0.5, 0.5, 1}, {0.5, 0.5, -1}));
  expect_miss(vertex_to_face({0.5, 0.5 + 0x1p-53, 1}, {0.5, 0.5 + 0x1p-53, -1}));
}

TEST(ExactCcd, MotionWithinThePlaneIsDecidedInThePlane) {
  expect_hit_at(0.25, vertex_to_face({-1, 0.25, 0}, {3, 0.25, 0}));  // crosses from side to side
  expect_hit_at(0.5, vertex_to_face({-1, 1, 0}, {1, 1, 0}));         // grazes the corner (0, 1)
  expect_miss(vertex_to_face({-1, 1 + 0x1p-52, 0}, {1, 1 + 0x1p-52, 0}));
  expect_hit_at(0.5,
                edge_to_edge({2, 1, 0}, {3, 1, 0}, {2, -1, 0}, {-1, -1, 0}));  // its end sweeps over (1, 0)
}

TEST(ExactCcd, ParallelAndCollinearEdgesAreDecidedOnTheirLine) {
  expect_hit_at(0.5, edge_to_edge({-1, 0, 1}, {1, 0, 1}, {-1, 0, -1}, {1, 0, -1}));  // fall onto each other
  expect_hit_at(0.5, edge_to_edge({2, 0, 0}, {3, 0, 0}, {0, 0, 0}, {1, 0, 0}));      // slide along the line
  expect_hit_at(1, edge_to_edge({2, 0, 0}, {3, 0, 0}, {1, 0, 0}, {2, 0, 0}));        // end meets end
  expect_miss(edge_to_edge({2, 0, 0}, {3, 0, 0}, {1 + 0x1p-52, 0, 0}, {2, 0, 0}));
  expect_miss(edge_to_edge({1.5, 0, 1}, {3, 0, 1}, {1.5, 0, -1}, {3, 0, -1}));  // pass on one line at t = ½
}

TEST(ExactCcd, FeaturesWithoutMotionAreTestedAsTheyStand) {
  expect_hit_at(0, vertex_to_face({0.25, 0.25, 0}, {0.25, 0.25, 0}));
  expect_miss(vertex_to_face({0.25, 0.25, 1}, {0.25, 0.25, 1}));
  expect_miss(vertex_to_face({2, 2, 0}, {2, 2, 0}));
}

TEST(ExactCcd, FeaturesThatShrinkToASegmentOrAPointStillTouch) {
  const Vec3 a(-1, 0, 0), b(0, 0, 0), c(2, 0, 0), p(1, 0, 1), q(1, 0, -1);
  expect_hit_at(0.5, {CcdKind::vertex_face, {p, a, b, c}, {q, a, b, c}});  // a face of no area
  expect_miss({CcdKind::vertex_face, {p + 2 * c, a, b, c}, {q + 2 * c, a, b, c}});
  expect_hit_at(0.5, {CcdKind::vertex_face,
                      {p, Vec3(1, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 0)},
                      {q, Vec3(1, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 0)}});
  expect_hit_at(0.5, edge_to_edge({0, 0, 1}, {0, 0, 1}, {0, 0, -1}, {0, 0, -1}));  // an edge of no length
  // A face that collapses to a segment at t = ½ only, as the vertex passes over that segment.
  expect_hit_at(0.5, {CcdKind::vertex_face,
                      {Vec3(0, 0, 1), Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(0, 1, 0)},
                      {Vec3(0, 0, -1), Vec3(-1, 1, 0), Vec3(1, 1, 0), Vec3(0, -1, 0)}});
}

/// The face lies in z = (1 − 2t) x and the vertex moves along x = 2t − 1 at the given height, so that it is
/// (2t − 1)² + height above the face.
CcdQuery grazing(double height) {
  return {CcdKind::vertex_face,
          {Vec3(-1, 0, height), Vec3(-4, -4, -4), Vec3(4, -4, 4), Vec3(0, 4, 0)},
          {Vec3(1, 0, height), Vec3(-4, -4, 4), Vec3(4, -4, -4), Vec3(0, 4, 0)}};
}

TEST(ExactCcd, AGrazingDoubleRootIsAHitAndAHairAboveItIsNot) {
  expect_hit_at(0.5, grazing(0));
  expect_miss(grazing(0x1p-100));
  expect_hit_at(0.5 - 0x1p-51, grazing(-0x1p-100));
  expect_hit_at(0.25, grazing(-0.25));
}

TEST(ExactCcd, CoordinatesOfAllMagnitudesAreDecided) {
  const double huge = 0x1p+900, tiny = 0x1p-900;
  const auto scaled = [](CcdQuery query, double factor) {
    for (auto* points : {&query.start, &query.end}) {
      for (Vec3& x : *points) x *= factor;
    }
    return query;
  };
  for (const double factor : {huge, tiny}) {
    expect_hit_at(0.25, scaled(vertex_to_face({0.25, 0.25, 1}, {0.25, 0.25, -3}), factor));
    expect_miss(scaled(vertex_to_face({0.75, 0.75, 1}, {0.75, 0.75, -3}), factor));
  }
  expect_hit_at(1, vertex_to_face({0.25, tiny, huge}, {0.25, tiny, 0}));
  expect_miss(vertex_to_face({0.25, -tiny, huge}, {0.25, -tiny, -huge}));
}

TEST(ExactCcd, RefusesWhatIsNotFinite) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  EXPECT_THROW((void)exact_ccd(vertex_to_face({inf, 0, 0}, {0, 0, 0})), InvalidInput);
  EXPECT_THROW((void)exact_ccd(vertex_to_face({5, 5, nan}, {5, 5, 5})), InvalidInput);
}

RationalCcdQuery::Point thirds(const char* x, const char* y, const char* z) {
  return {{{x, "3"}, {y, "3"}, {z, "3"}}};
}

TEST(ExactCcd, FractionsThatAreNoDoublesAreNotRounded) {
  // The vertex falls on the rim x + y = 1 at (1/3, 2/3), and then a hair of 1e-40 beside it.
  RationalCcdQuery query;
  query.start = {thirds("1", "2", "3"), thirds("0", "0", "0"), thirds("3", "0", "0"), thirds("0", "3", "0")};
  query.end = query.start;
  query.end[0] = thirds("1", "2", "-6");
  CcdQuery rounded;
  EXPECT_FALSE(to_doubles(query, rounded));
  const CcdResult on_the_rim = exact_ccd(query);
  EXPECT_TRUE(on_the_rim.hit);
  EXPECT_NEAR(on_the_rim.time_of_impact, 1.0 / 3, kExactCcdTimeTolerance);
  const RationalCcdQuery::Fraction beside{"20000000000000000000000000000000000000001",
                                          "30000000000000000000000000000000000000000"};
  query.start[0][1] = query.end[0][1] = beside;
  EXPECT_FALSE(exact_ccd(query).hit);
}

TEST(ExactCcd, FractionsThatAreDoublesBecomeThem) {
  RationalCcdQuery query;
  const RationalCcdQuery::Fraction zero{"0", "1"};
  query.start.fill({zero, zero, zero});
  query.end = query.start;
  query.start[0] = {{{"3900231685776981", "4503599627370496"}, {"-6", "4"}, {"73", "2305843009213693952"}}};
  query.end[3] = {{{"6", "-4"}, {"9007199254740993", "1"}, {"0", "-7"}}};
  CcdQuery doubles;
  EXPECT_FALSE(to_doubles(query, doubles));  // 2^53 + 1 is no double
  query.end[3][1].numerator = "9007199254740994";
  ASSERT_TRUE(to_doubles(query, doubles));
  EXPECT_EQ(doubles.start[0], Vec3(3900231685776981 * 0x1p-52, -1.5, 73 * 0x1p-61));
  EXPECT_EQ(doubles.end[3], Vec3(-1.5, 9007199254740994.0, 0));
}

TEST(ExactCcd, FractionsThatAreNoNumbersAreRefused) {
  RationalCcdQuery query;
  query.start.fill({{{"1", "1"}, {"1", "1"}, {"1", "1"}}});
  query.end = query.start;
  query.end[2][0] = {"1", "0"};
  EXPECT_THROW((void)exact_ccd(query), InvalidInput);
  query.end[2][0] = {"one", "1"};
  EXPECT_THROW((void)exact_ccd(query), InvalidInput);
}

}  // namespace
}  // namespace jade
