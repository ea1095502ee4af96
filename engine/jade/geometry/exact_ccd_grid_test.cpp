// Queries on small integer coordinates: coincident points, collinear points, motion within a plane, grazing and
// touching at the ends are common there, and an oracle of another kind can be exact in plain doubles.

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "jade/geometry/exact_ccd.h"
#include "jade/geometry/exact_contact.h"

namespace jade {
namespace {

/// A box of times and feature parameters, in units of 2^-depth.
struct Cell {
  std::array<int, 3> corner{};  // t, r, s
  std::array<int, 3> depth{};
};

/// The difference of the two features' points at time t and parameters r, s; linear in each of the three.
Vec3 difference(const CcdQuery& query, double t, double r, double s) {
  std::array<Vec3, 4> x;
  for (std::size_t i = 0; i < 4; ++i) x[i] = (1 - t) * query.start[i] + t * query.end[i];
  if (query.kind == CcdKind::vertex_face) return x[0] - ((1 - r - s) * x[1] + r * x[2] + s * x[3]);
  return ((1 - r) * x[0] + r * x[1]) - ((1 - s) * x[2] + s * x[3]);
}

/// Inclusion-based oracle (Wang et al. 2021): a cell is free if the difference, which lies in the box of its eight
/// corner values, has one sign in a coordinate. Cells are halved down to 2^-16; what is left then is contact. With
/// integer coordinates of magnitude 2 and dyadic cells all values are exact doubles. A miss closer than that
/// resolution would show as a disagreement: misses at 2^-10 do occur on this grid, none at 2^-16.
bool inclusion_oracle(const CcdQuery& query) {
  constexpr int finest = 16;
  std::vector<Cell> stack{{}};
  while (!stack.empty()) {
    const Cell cell = stack.back();
    stack.pop_back();
    std::array<double, 3> low, high;
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::ldexp(cell.corner[i], -cell.depth[i]);
      high[i] = std::ldexp(cell.corner[i] + 1, -cell.depth[i]);
    }
    if (query.kind == CcdKind::vertex_face && low[1] + low[2] > 1) continue;
    Vec3 least = Vec3::Constant(1e9), most = Vec3::Constant(-1e9);
    for (unsigned corner = 0; corner < 8; ++corner) {
      const auto pick = [&](unsigned i) { return ((corner >> i) & 1U) != 0 ? high[i] : low[i]; };
      const Vec3 value = difference(query, pick(0), pick(1), pick(2));
      least = least.cwiseMin(value);
      most = most.cwiseMax(value);
    }
    if ((least.array() > 0).any() || (most.array() < 0).any()) continue;
    // Halve the coarsest direction.
    const auto axis =
        static_cast<std::size_t>(std::min_element(cell.depth.begin(), cell.depth.end()) - cell.depth.begin());
    if (cell.depth[axis] == finest) return true;
    for (const int half : {1, 0}) {
      Cell child = cell;
      child.corner[axis] = 2 * cell.corner[axis] + half;
      ++child.depth[axis];
      stack.push_back(child);
    }
  }
  return false;
}

using Integers = std::array<int, 24>;

CcdQuery query_of(CcdKind kind, const Integers& coordinates) {
  CcdQuery query;
  query.kind = kind;
  for (std::size_t i = 0; i < 24; ++i) {
    (i < 12 ? query.start : query.end)[(i % 12) / 3][static_cast<Eigen::Index>(i % 3)] = coordinates[i];
  }
  return query;
}

CcdQuery random_grid_query(std::mt19937_64& random, int reach) {
  Integers coordinates;
  for (int& c : coordinates) c = static_cast<int>(random() % static_cast<unsigned>(2 * reach + 1)) - reach;
  return query_of(random() % 2 == 0 ? CcdKind::vertex_face : CcdKind::edge_edge, coordinates);
}

std::string printed(const CcdQuery& query) {
  std::ostringstream out;
  out << (query.kind == CcdKind::vertex_face ? "vertex-face" : "edge-edge");
  for (const auto* points : {&query.start, &query.end}) {
    for (const Vec3& x : *points) out << " (" << x.transpose() << ")";
  }
  return out.str();
}

TEST(ExactCcdOnGrid, AgreesWithAnInclusionOracle) {
  std::mt19937_64 random(1);
  int hits = 0, exact = 0;
  for (int i = 0; i < 100000; ++i) {
    const CcdQuery query = random_grid_query(random, 1 + i % 2);
    const CcdResult result = exact_ccd(query);
    hits += result.hit;
    exact += result.path == CcdPath::exact;
    ASSERT_EQ(result.hit, inclusion_oracle(query)) << printed(query);
  }
  // The grid provokes what it should: many hits, many queries that the filter cannot decide.
  EXPECT_GT(hits, 20000);
  EXPECT_GT(exact, 20000);
}

/// Doubles a few units in the last place around a scaled and shifted grid: almost degenerate, and full mantissas.
CcdQuery random_nearly_degenerate_query(std::mt19937_64& random) {
  CcdQuery query = random_grid_query(random, 2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double scale = std::ldexp(1 + std::abs(uniform(random)), static_cast<int>(random() % 40) - 20);
  const Vec3 shift(uniform(random), uniform(random), uniform(random));
  for (auto* points : {&query.start, &query.end}) {
    for (Vec3& x : *points) {
      x = scale * x + shift;
      if (random() % 4 == 0) x[static_cast<Eigen::Index>(random() % 3)] += 0x1p-40 * scale * uniform(random);
    }
  }
  return query;
}

TEST(ExactCcdFilter, NeverContradictsExactArithmetic) {
  std::mt19937_64 random(2);
  int filtered_hits = 0, filtered_misses = 0;
  for (int i = 0; i < 40000; ++i) {
    const CcdQuery query = i % 2 == 0 ? random_nearly_degenerate_query(random) : random_grid_query(random, 3);
    const CcdResult result = exact_ccd(query);
    if (result.path == CcdPath::exact || result.path == CcdPath::axis) continue;
    const CcdResult truth = decide_exactly(to_integers(query));
    ASSERT_EQ(result.hit, truth.hit) << printed(query);
    // Both times are early by no more than their tolerances.
    ASSERT_NEAR(result.time_of_impact, truth.time_of_impact, kExactCcdTimeTolerance) << printed(query);
    (result.hit ? filtered_hits : filtered_misses) += 1;
  }
  EXPECT_GT(filtered_hits, 1000);
  EXPECT_GT(filtered_misses, 1000);
}

/// The motion of a grid query up to time num / 2^40, as fractions.
RationalCcdQuery until(const CcdQuery& query, long long num) {
  constexpr long long den = 1LL << 40;
  RationalCcdQuery cut;
  cut.kind = query.kind;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto from = static_cast<long long>(query.start[i][static_cast<Eigen::Index>(k)]);
      const auto to = static_cast<long long>(query.end[i][static_cast<Eigen::Index>(k)]);
      cut.start[i][k] = {std::to_string(from), "1"};
      cut.end[i][k] = {std::to_string(from * den + (to - from) * num), std::to_string(den)};
    }
  }
  return cut;
}

TEST(ExactCcdOnGrid, TimeOfImpactIsNeverLateAndEarlyByNoMoreThanTheTolerance) {
  std::mt19937_64 random(3);
  int inside = 0;
  for (int i = 0; i < 20000; ++i) {
    const CcdQuery query = random_grid_query(random, 2);
    const CcdResult result = exact_ccd(query);
    if (!result.hit || result.time_of_impact == 0) continue;
    ++inside;
    const auto before = static_cast<long long>(std::floor(std::ldexp(result.time_of_impact, 40))) - 1;
    const auto after =
        static_cast<long long>(std::ceil(std::ldexp(result.time_of_impact + kExactCcdTimeTolerance, 40)));
    ASSERT_FALSE(exact_ccd(until(query, before)).hit) << printed(query);
    ASSERT_TRUE(exact_ccd(until(query, std::min(after, 1LL << 40))).hit) << printed(query);
  }
  EXPECT_GT(inside, 1000);
}

CcdQuery grid_query_from_rapidcheck() {
  const auto drawn = *rc::gen::container<std::vector<int>>(24, rc::gen::inRange(-2, 3));
  Integers coordinates;
  std::copy(drawn.begin(), drawn.end(), coordinates.begin());
  return query_of(*rc::gen::element(CcdKind::vertex_face, CcdKind::edge_edge), coordinates);
}

/// Applies `change` to both ends of the motion.
template <typename Change>
CcdQuery changed(CcdQuery query, Change change) {
  change(query.start);
  change(query.end);
  return query;
}

RC_GTEST_PROP(ExactCcdOnGrid, DoesNotDependOnTheOrderOfPointsWithinAFeature, ()) {
  const CcdQuery query = grid_query_from_rapidcheck();
  const bool face = query.kind == CcdKind::vertex_face;
  const CcdQuery relabelled = changed(query, [&](auto& x) {
    std::swap(x[2], x[3]);
    if (face) std::swap(x[1], x[2]);
    if (!face) std::swap(x[0], x[2]), std::swap(x[1], x[3]);  // the two edges change places
  });
  const CcdResult a = exact_ccd(query), b = exact_ccd(relabelled);
  RC_ASSERT(a.hit == b.hit);
  RC_ASSERT(std::abs(a.time_of_impact - b.time_of_impact) <= kExactCcdTimeTolerance);
}

RC_GTEST_PROP(ExactCcdOnGrid, DoesNotDependOnTheDirectionOfTime, ()) {
  const CcdQuery query = grid_query_from_rapidcheck();
  CcdQuery reversed = query;
  std::swap(reversed.start, reversed.end);
  RC_ASSERT(exact_ccd(query).hit == exact_ccd(reversed).hit);
}

RC_GTEST_PROP(ExactCcdOnGrid, DoesNotDependOnPlaceScaleOrAxes, ()) {
  const CcdQuery query = grid_query_from_rapidcheck();
  const auto drawn = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(-1000, 1000));
  const Vec3 shift(drawn[0], drawn[1], drawn[2]);
  const double scale = std::ldexp(1.0, *rc::gen::inRange(-300, 300));
  const CcdQuery moved = changed(query, [&](auto& points) {
    for (Vec3& x : points)
      x = (Vec3(x[2], -x[0], x[1]) + shift) * scale;  // turned and mirrored; nothing rounds
  });
  const CcdResult a = exact_ccd(query), b = exact_ccd(moved);
  RC_ASSERT(a.hit == b.hit);
  RC_ASSERT(std::abs(a.time_of_impact - b.time_of_impact) <= kExactCcdTimeTolerance);
}

}  // namespace
}  // namespace jade
