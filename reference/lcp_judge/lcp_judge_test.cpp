#include "lcp_judge/lcp_judge.h"

#include <limits>

#include <gtest/gtest.h>

namespace jade::reference {
namespace {

/// A block of mass 1 with one contact: A = 1 on the diagonal, so that every number below is checked by hand.
LcpProblem one_contact(double falling, double slip, double mu) {
  LcpProblem problem;
  problem.A = MatX::Identity(3, 3);
  problem.b = Vec3(-falling, slip, 0);
  problem.rows = {{.kind = RowKind::normal},
                  {.kind = RowKind::tangent, .normal = 0, .mu = mu},
                  {.kind = RowKind::tangent, .normal = 0, .mu = mu}};
  return problem;
}

TEST(LcpJudge, AcceptsSlidingStickingAndSeparatingSolutionsKnownByHand) {
  EXPECT_TRUE(judge(one_contact(2, 3, 0.5), Vec3(2, -1, 0)).valid);  // slides on at speed 2
  EXPECT_TRUE(judge(one_contact(2, 3, 2), Vec3(2, -3, 0)).valid);    // stops, below the bound of 4
  EXPECT_TRUE(judge(one_contact(-1, 3, 2), Vec3(0, 0, 0)).valid);    // flies away
  EXPECT_EQ(judge(one_contact(2, 3, 0.5), Vec3(2, -1, 0)).residual, 0);
}

struct Wrong {
  double falling, slip, mu;
  Vec3 f;
  LcpFault fault;
  int row;
  double residual;  // by hand from the definition
};

TEST(LcpJudge, NamesTheFaultTheRowAndTheResidualOfEachKindOfMistake) {
  const Wrong wrongs[] = {
      {2, 3, 0.5, {1, -0.5, 0}, LcpFault::penetrating_velocity, 0, 1.0 / 3},  // v = −1, σ = 2 + 1
      {-1, 3, 0.5, {-1, 0, 0}, LcpFault::pulling_force, 0, 0.5},              // f = −1, v = 0, σ = 1 + 1
      {2, 3, 0.5, {3, -1.5, 0}, LcpFault::pushing_while_separating, 0, 1.0 / 5},  // v = 1, σ = 2 + 3
      {2, 3, 0.5, {2, -2, 0}, LcpFault::outside_friction_bound, 1, 1.0 / 5},      // bound 1, σ = 3 + 2
      {2, 3, 2, {2, -1, 0}, LcpFault::slipping_below_bound, 1, 2.0 / 4},          // v = 2, σ = 3 + 1
      {2, 3, 0.5, {2, 1, 0}, LcpFault::pushing_along_slip, 1, 2.0 / 4},  // clamp(1 − 4) = −1, σ = 3 + 1
  };
  for (const Wrong& wrong : wrongs) {
    const LcpJudgement judgement = judge(one_contact(wrong.falling, wrong.slip, wrong.mu), wrong.f);
    SCOPED_TRACE(name_of(wrong.fault));
    EXPECT_FALSE(judgement.valid);
    EXPECT_EQ(name_of(judgement.fault), name_of(wrong.fault));
    EXPECT_EQ(judgement.worst_row, wrong.row);
    EXPECT_DOUBLE_EQ(judgement.residual, wrong.residual);
  }
}

TEST(LcpJudge, RefusesAnswersThatAreNotFiniteOrHaveTheWrongSize) {
  const LcpProblem problem = one_contact(2, 3, 0.5);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(judge(problem, Vec3(2, nan, 0)).fault, LcpFault::not_finite);
  EXPECT_EQ(judge(problem, Vec3(2, nan, 0)).worst_row, 1);
  EXPECT_EQ(judge(problem, Vec3(2, -1, std::numeric_limits<double>::infinity())).fault, LcpFault::not_finite);
  EXPECT_EQ(judge(problem, Vec2(2, -1)).fault, LcpFault::wrong_size);
  EXPECT_EQ(judge(problem, VecX()).residual, std::numeric_limits<double>::infinity());
}

TEST(LcpJudge, IsFreeOfUnits) {
  LcpProblem problem = one_contact(2, 3, 0.5);
  const Vec3 f(2, -0.75, 0.25);
  const LcpJudgement judgement = judge(problem, f);
  problem.A *= 0x1p-30;
  problem.b *= 0x1p40;
  const LcpJudgement other = judge(problem, f * 0x1p70);
  EXPECT_EQ(judgement.residual, other.residual);
  EXPECT_EQ(judgement.fault, other.fault);
}

TEST(LcpJudge, SeesAnErrorOnALightBodyBesideAHeavyOne) {
  // Two contacts that do not touch each other, the second 1e12 times lighter in force.
  LcpProblem problem;
  problem.A = Vec2(1e-6, 1e6).asDiagonal();
  problem.b = Vec2(-1, -1);
  problem.rows = {{.kind = RowKind::normal}, {.kind = RowKind::normal}};
  EXPECT_TRUE(judge(problem, Vec2(1e6, 1e-6)).valid);
  const LcpJudgement wrong = judge(problem, Vec2(1e6, 1.00001e-6));
  EXPECT_FALSE(wrong.valid);
  EXPECT_EQ(wrong.worst_row, 1);
}

TEST(LcpJudge, MeasuresARestingContactAgainstTheTermsOfItsVelocity) {
  // b is the rounding of J u: against |b| nothing could be valid, against β it is.
  LcpProblem problem = one_contact(1e-17, 0, 0.5);
  EXPECT_FALSE(judge(problem, Vec3::Zero()).valid);
  problem.beta = Vec3(1, 1, 1);
  EXPECT_TRUE(judge(problem, Vec3::Zero()).valid);
}

TEST(LcpJudge, KeepsItsBitsWhenTermsCancel) {
  // v = −2⁻⁶⁰ + 1 − 1 is zero when summed in double: only extra bits see that it is negative.
  LcpProblem problem;
  problem.A.resize(2, 2);
  problem.A << 1, -1, -1, 1;
  problem.b = Vec2(-0x1p-60, 0);
  problem.beta = Vec2(2, 2);
  problem.rows = {{.kind = RowKind::normal}, {.kind = RowKind::normal}};
  const LcpJudgement judgement = judge(problem, Vec2(1, 1), {.tolerance = 0});
  EXPECT_EQ(judgement.fault, LcpFault::penetrating_velocity);
  EXPECT_EQ(judgement.residual, 0x1p-62);  // 2⁻⁶⁰ over σ = 2 + 2, up to its last bits
}

TEST(LcpJudge, RefusesForcesThatOnlyExcuseThemselves) {
  // A joint between two limits that are violated at once, at ½ and at 1: no pair of forces satisfies both. Pressed
  // together with 4e15 the two rows lose the data in rounding; measured against terms of 4e15 nothing seems wrong.
  LcpProblem problem;
  problem.A.resize(2, 2);
  problem.A << 1, -1, -1, 1;
  problem.b = Vec2(-0.5, -1);
  problem.rows = {{.kind = RowKind::limit}, {.kind = RowKind::limit}};
  const LcpJudgement judgement = judge(problem, Vec2(4e15, 4e15));
  EXPECT_FALSE(judgement.valid);
  EXPECT_EQ(judgement.fault, LcpFault::penetrating_velocity);
  // The same limits without a conflict: any pair that balances is a solution, however hard it presses.
  problem.b = Vec2(-0.5, 0.5);
  EXPECT_TRUE(judge(problem, Vec2(4096.5, 4096)).valid);
  // Heavy on light: 1e4 units of mass stopped through 1e-4, forces 1e8 times what the light body alone would need.
  problem.A << 1e4, -1e4, -1e4, 1e4 + 1e-4;
  problem.b = Vec2(0, -1);
  problem.rows = {{.kind = RowKind::normal}, {.kind = RowKind::normal}};
  EXPECT_TRUE(judge(problem, Vec2(1e4, 1e4)).valid);
}

TEST(LcpJudge, LetsAPullingNormalCarryNoFriction) {
  // The bound of the tangents is zero then, not negative: only the normal row is at fault.
  const LcpJudgement judgement = judge(one_contact(-1, 0.1, 0.5), Vec3(-1, 0, 0));
  EXPECT_EQ(judgement.fault, LcpFault::pulling_force);
  EXPECT_EQ(judgement.worst_row, 0);
  EXPECT_DOUBLE_EQ(judgement.residual, 0.5);
}

TEST(LcpJudge, JudgesPlainProblemsEvenWithAZeroDiagonal) {
  LcpProblem problem;
  problem.form = LcpForm::plain;
  problem.A.resize(2, 2);
  problem.A << 0, 2, 3, 0;
  problem.b = Vec2(-4, -3);
  EXPECT_TRUE(judge(problem, Vec2(1, 2)).valid);
  EXPECT_EQ(judge(problem, Vec2(1, 3)).fault, LcpFault::pushing_while_separating);
  EXPECT_EQ(judge(problem, Vec2(1, 1)).fault, LcpFault::penetrating_velocity);
}

TEST(LcpJudge, JudgesBoxesWithConstantAndCoupledBounds) {
  LcpProblem problem;
  problem.form = LcpForm::boxed;
  problem.A = MatX::Identity(3, 3);
  problem.b = Vec3(-2, 3, -5);
  problem.lo = Vec3(0, -0.5, -1);
  problem.hi = Vec3(std::numeric_limits<double>::infinity(), 0.5, 4);
  problem.findex = {-1, 0, -1};
  EXPECT_TRUE(judge(problem, Vec3(2, -1, 4)).valid);
  EXPECT_EQ(judge(problem, Vec3(2, -2, 4)).fault, LcpFault::outside_friction_bound);
  EXPECT_EQ(judge(problem, Vec3(2, -1, 5)).fault, LcpFault::outside_box);
  EXPECT_EQ(judge(problem, Vec3(2, -1, 3)).fault, LcpFault::wrong_side_of_box);
}

TEST(LcpJudge, JudgesAgainstACompliantMatrixWhenAsked) {
  // No solution: two opposite rows on one body that both want to move. With A + I there is one, by hand.
  LcpProblem problem;
  problem.A.resize(2, 2);
  problem.A << 1, -1, -1, 1;
  problem.b = Vec2(-1, -1);
  problem.rows = {{.kind = RowKind::normal}, {.kind = RowKind::normal}};
  EXPECT_FALSE(judge(problem, Vec2(1, 1)).valid);
  EXPECT_TRUE(judge(problem, Vec2(1, 1), {.regularisation = 1}).valid);
}

}  // namespace
}  // namespace jade::reference
