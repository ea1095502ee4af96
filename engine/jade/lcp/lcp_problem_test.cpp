#include "jade/lcp/lcp_problem.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "jade/lcp/lcp_solver.h"
#include "jade/lcp/lcp_test_problems.h"

namespace jade {
namespace {

using lcp_test::cube_on_plane;

LcpProblem sound() { return cube_on_plane(0.5, Vec6::Constant(-0.1)); }

/// Exactly one mistake, at the given place, and `solve` refuses with the same list.
void expect_refused_at(const LcpProblem& problem, const std::string& place) {
  const std::vector<Mistake> mistakes = check_problem(problem);
  ASSERT_FALSE(mistakes.empty()) << "nothing found, expected " << place;
  EXPECT_EQ(mistakes.front().place, place);
  EXPECT_FALSE(mistakes.front().remedy.empty());
  EXPECT_FALSE(is_sound(problem));
  EXPECT_THROW((void)solve(problem), InvalidInput);
}

TEST(LcpProblem, ASoundProblemHasNoMistakes) {
  EXPECT_TRUE(check_problem(sound()).empty());
  EXPECT_TRUE(is_sound(sound()));
}

TEST(LcpProblem, EachMistakeIsRefusedWithItsRowNamed) {
  LcpProblem p = sound();
  p.A(2, 5) = std::numeric_limits<double>::quiet_NaN();
  expect_refused_at(p, "A[2][5]");
  p = sound();
  p.b[7] = std::numeric_limits<double>::infinity();
  expect_refused_at(p, "b[7]");
  p = sound();
  p.beta[1] = -1;
  expect_refused_at(p, "beta[1]");
  p = sound();
  p.A(3, 4) += 0.1;
  expect_refused_at(p, "A[3][4]");
  p = sound();
  p.A(6, 6) = -1;
  expect_refused_at(p, "A[6][6]");
  p = sound();
  p.rows[4].normal = 12;
  expect_refused_at(p, "rows[4].normal");
  p = sound();
  p.rows[4].normal = 5;
  expect_refused_at(p, "rows[4].normal");
  p = sound();
  p.rows[8].mu = -0.1;
  expect_refused_at(p, "rows[8].mu");
  p = sound();
  p.rows.pop_back();
  expect_refused_at(p, "rows");
  p = sound();
  p.A.conservativeResize(11, 12);
  expect_refused_at(p, "A (rows)");
  p = sound();
  p.factors->u.resize(5);
  expect_refused_at(p, "factors.J (columns)");
}

/// Problems are looked at in blocks of four rows, single contacts by code of their own: no place may be left out.
TEST(LcpProblem, NoPlaceIsOverlooked) {
  for (const int contacts : {1, 2, 4, 5}) {
    const LcpProblem good = lcp_test::random_contacts(contacts, 3 * contacts + 2, 0.5, 7);
    ASSERT_TRUE(is_sound(good));
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
      for (int i = 0; i < good.size(); ++i) {
        LcpProblem p = good;
        p.b[i] = bad;
        EXPECT_FALSE(is_sound(p)) << "b " << i;
        p = good;
        p.beta[i] = bad;
        EXPECT_FALSE(is_sound(p)) << "beta " << i;
        for (int j = 0; j < good.size(); ++j) {
          p = good;
          p.A(i, j) = bad;
          EXPECT_FALSE(is_sound(p)) << i << " " << j;
          p.A(j, i) = bad;
          EXPECT_FALSE(is_sound(p)) << i << " and " << j;
        }
        if (good.rows[i].kind != RowKind::tangent) continue;
        p = good;
        p.rows[i].mu = bad;
        EXPECT_FALSE(is_sound(p)) << "mu " << i;
      }
    }
    for (int i = 0; i < good.size(); ++i) {
      LcpProblem p = good;
      p.beta[i] = -1e-300;
      EXPECT_FALSE(is_sound(p)) << "beta " << i;
      p = good;
      p.A(i, i) = -1e-300;
      EXPECT_FALSE(is_sound(p)) << "A " << i;
      for (int j = 0; j < i; ++j) {
        p = good;
        p.A(i, j) += 0.1 * p.A(i, i);
        EXPECT_FALSE(is_sound(p)) << i << " " << j;
      }
    }
  }
}

/// What a quick look leaves in doubt may be sound all the same.
TEST(LcpProblem, ZeroHasNoSignAndRoundingIsNoAsymmetry) {
  for (const int contacts : {1, 4}) {
    LcpProblem p = lcp_test::random_contacts(contacts, 3 * contacts + 2, 0.5, 7);
    p.beta[1] = -0.0;
    EXPECT_TRUE(is_sound(p));
    p.rows[1].mu = -0.0;
    EXPECT_TRUE(is_sound(p));
    p.A(1, 2) *= 1 + 1e-15;
    EXPECT_TRUE(is_sound(p));
    p.A.row(1).setZero();
    p.A.col(1).setZero();
    p.A(1, 1) = -0.0;
    EXPECT_TRUE(is_sound(p));
    EXPECT_TRUE(check_problem(p).empty());
  }
}

TEST(LcpProblem, BoundsAreChecked) {
  LcpProblem p = lcp_test::plain(MatX::Identity(2, 2), VecX::Ones(2));
  p.form = LcpForm::boxed;
  p.lo = Vec2(0, 1);
  p.hi = Vec2(1, 0.5);
  expect_refused_at(p, "lo[1], hi[1]");
  p.hi[1] = 2;
  p.findex = {-1, 2};
  expect_refused_at(p, "findex[1]");
}

TEST(LcpProblem, FactorsGiveTheDelassusMatrix) {
  const LcpProblem p = sound();
  const ContactFactors& c = *p.factors;
  for (int i = 0; i < p.size(); ++i) {
    for (int j = 0; j < p.size(); ++j) {
      double entry = 0;
      for (int k = 0; k < 6; ++k) entry += c.J(i, k) * c.inverse_mass(k, k) * c.J(j, k);
      EXPECT_NEAR(p.A(i, j), entry, 1e-14);  // six products of size one
    }
    EXPECT_NEAR(p.b[i], c.J.row(i).dot(c.u), 1e-15);
    EXPECT_GE(p.beta[i], std::abs(p.b[i]));
  }
}

TEST(LcpProblem, BoxesWithFrictionIndicesAreRecognisedAsContacts) {
  const LcpProblem contact = sound();
  LcpProblem boxed;
  boxed.form = LcpForm::boxed;
  boxed.A = contact.A;
  boxed.b = contact.b;
  boxed.beta = contact.beta;
  boxed.lo = VecX::Zero(12);
  boxed.hi = VecX::Constant(12, std::numeric_limits<double>::infinity());
  boxed.findex.assign(12, -1);
  for (int i = 0; i < 12; ++i) {
    if (contact.rows[i].kind != RowKind::tangent) continue;
    boxed.findex[i] = contact.rows[i].normal;
    boxed.lo[i] = -contact.rows[i].mu;
    boxed.hi[i] = contact.rows[i].mu;
  }
  const LcpProblem found = recognise_contacts(boxed);
  ASSERT_EQ(found.form, LcpForm::contact);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(found.rows[i].kind, contact.rows[i].kind);
    EXPECT_EQ(found.rows[i].normal, contact.rows[i].normal);
  }
  EXPECT_EQ(solve(boxed).status, LcpStatus::solved);
  EXPECT_TRUE(solve(boxed).f.isApprox(solve(contact).f, 1e-12));

  LcpProblem lopsided = boxed;
  lopsided.lo[1] = 0;
  EXPECT_EQ(recognise_contacts(lopsided).form, LcpForm::boxed);
}

}  // namespace
}  // namespace jade
