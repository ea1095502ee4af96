#include "jade/geometry/advancement_ccd.h"

#include <random>

#include <gtest/gtest.h>

#include "jade/geometry/exact_ccd.h"

namespace jade {
namespace {

CcdQuery random_query(std::mt19937_64& random, bool on_grid) {
  std::uniform_real_distribution<double> uniform(-2, 2);
  CcdQuery query;
  query.kind = random() % 2 == 0 ? CcdKind::vertex_face : CcdKind::edge_edge;
  for (auto* points : {&query.start, &query.end}) {
    for (Vec3& x : *points) {
      for (double& coordinate : x)
        coordinate = on_grid ? static_cast<double>(random() % 5) - 2 : uniform(random);
    }
  }
  return query;
}

TEST(AdvancementCcd, NeverMissesAContactAndIsNeverLate) {
  std::mt19937_64 random(1);
  int hits = 0, near_misses = 0;
  for (int i = 0; i < 40000; ++i) {
    const CcdQuery query = random_query(random, i % 2 == 0);
    const CcdResult truth = exact_ccd(query);
    const CcdResult result = advancement_ccd(query);
    hits += truth.hit;
    near_misses += result.hit && !truth.hit;
    if (!truth.hit) continue;
    ASSERT_TRUE(result.hit) << i;
    // The exact time may itself be early by its tolerance.
    ASSERT_LE(result.time_of_impact, truth.time_of_impact + kExactCcdTimeTolerance) << i;
  }
  EXPECT_GT(hits, 4000);
  // Near misses within a millionth are rare among coordinates of order one.
  EXPECT_LT(near_misses, 40);
}

TEST(AdvancementCcd, StopsAtTheGapBeforeAHeadOnContact) {
  const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
  const CcdQuery query{CcdKind::vertex_face, {Vec3(0.25, 0.25, 1), a, b, c}, {Vec3(0.25, 0.25, -3), a, b, c}};
  const CcdResult result = advancement_ccd(query);
  EXPECT_TRUE(result.hit);
  EXPECT_LE(result.time_of_impact, 0.25);
  EXPECT_GE(result.time_of_impact, 0.25 - kAdvancementCcdGap);  // closing at speed 4
}

}  // namespace
}  // namespace jade
