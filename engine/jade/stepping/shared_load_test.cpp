#include "jade/stepping/shared_load.h"

#include <gtest/gtest.h>

#include "jade/lcp/lcp_test_problems.h"

namespace jade {
namespace {

constexpr double kFriction = 0.3, kHalf = 0.5;

/// A plate of mass 1 that slides along x and turns, on four corners at the height of its centre: friction tips it nowhere. Its fall
/// and its tilt, which the corners stop, put the centre of pressure at `share` of the way to a corner.
LcpProblem sliding_plate(double share) {
  lcp_test::BodyProblem body;
  const Vec3 inertia(0.1, 0.1, 0.2), slip(3, 0, 0), spin(0, 0, 1);
  const double fall = 2, tilt = fall * share * kHalf / inertia.x();
  for (const double x : {-kHalf, kHalf})
    for (const double y : {-kHalf, kHalf}) {
      const Vec3 at(x, y, 0), along = (slip + spin.cross(at)).normalized();
      body.add_contact(at, Vec3::UnitZ(), kFriction, along, Vec3::UnitZ().cross(along));
    }
  Vec6 u;
  u << slip.x(), 0, -fall, -tilt, tilt, spin.z();
  return body.problem(1, inertia, u);
}

/// All corners are held, and friction is against their slips.
LcpSolution held(const LcpProblem& problem, const Eigen::Vector4d& loads) {
  LcpSolution solution;
  solution.f = VecX::Zero(problem.size());
  for (int k = 0; k < 4; ++k) {
    solution.f[3 * k] = loads[k];
    solution.f[3 * k + 1] = -kFriction * loads[k];
    solution.classes.insert(solution.classes.end(), {RowClass::clamped, RowClass::low, RowClass::separate});
  }
  solution.v = problem.A * solution.f + problem.b;
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(solution.v[3 * k], 0, 1e-14);
  return solution;
}

/// Beyond half-way to a corner the opposite one would have to pull, if four springs of one stiffness bore the plate: three bear it.
TEST(SharedLoad, IsBorneWithoutTheCornerThatWouldHaveToPull) {
  const double share = 0.7;
  const LcpProblem problem = sliding_plate(share);
  // Moments about both axes and the sum, 2: loads of three corners.
  const LcpSolution solution = held(problem, {0, 1 - share, 1 - share, 2 * share});
  std::vector<RowClass> classes = solution.classes;
  release_what_carries_nothing(problem, solution, classes);
  for (int r = 0; r < 3; ++r) EXPECT_EQ(classes[static_cast<std::size_t>(r)], RowClass::separate);
  EXPECT_TRUE(std::equal(classes.begin() + 3, classes.end(), solution.classes.begin() + 3));
}

TEST(SharedLoad, StaysWhatFourCornersBear) {
  const double share = 0.5;  // the opposite corner carries nothing, as four springs have it too
  const LcpProblem problem = sliding_plate(share);
  const LcpSolution solution = held(problem, {0, 0.5, 0.5, 1});
  std::vector<RowClass> classes = solution.classes;
  release_what_carries_nothing(problem, solution, classes);
  EXPECT_EQ(classes, solution.classes);
}

/// Two feet that press against each other along the line between them, each with all the friction that it has: nothing slips, and
/// nothing needs that friction. It sticks. Friction that is needed to the full does too, as long as nothing slips.
TEST(SharedLoad, HoldsFrictionAtItsBoundWhereNothingSlips) {
  lcp_test::BodyProblem body;
  for (const double x : {-kHalf, kHalf})
    body.add_contact({x, 0, 0}, Vec3::UnitZ(), kFriction, Vec3::UnitX(), Vec3::UnitY());
  Vec6 u = Vec6::Zero();
  u[2] = -2;
  const LcpProblem problem = body.problem(1, {0.1, 0.1, 0.2}, u);
  LcpSolution solution;
  solution.f = VecX::Zero(6);
  solution.f << 1, kFriction, 0, 1, -kFriction, 0;
  solution.classes = {RowClass::clamped, RowClass::high, RowClass::stick,
                      RowClass::clamped, RowClass::low,  RowClass::stick};
  solution.v = problem.A * solution.f + problem.b;
  ASSERT_LT(solution.v.lpNorm<Eigen::Infinity>(), 1e-14);
  std::vector<RowClass> classes = solution.classes;
  hold_what_rests(problem, solution, classes);
  EXPECT_EQ(classes[1], RowClass::stick);
  EXPECT_EQ(classes[4], RowClass::stick);
}

}  // namespace
}  // namespace jade
