#include "jade/lcp/lcp_derivative.h"

#include <random>

#include <gtest/gtest.h>

#include "jade/lcp/lcp_test_problems.h"
#include "jade/math/differences.h"

namespace jade {
namespace {

using lcp_test::cube_on_plane;
using lcp_test::random_contacts;

ContactDirection random_direction(const LcpProblem& p, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const long n = p.size(), nv = p.factors->u.size();
  ContactDirection d{MatX(n, nv), MatX(nv, nv), VecX(nv), VecX(n), VecX(n)};
  for (double& x : d.J.reshaped()) x = normal(random);
  for (double& x : d.inverse_mass.reshaped()) x = normal(random);
  d.inverse_mass = (0.5 * (d.inverse_mass + d.inverse_mass.transpose())).eval();
  for (VecX* v : {&d.u, &d.bias, &d.mu}) {
    for (double& x : *v) x = normal(random);
  }
  return d;
}

LcpProblem moved(const LcpProblem& p, const ContactDirection& d, double s) {
  ContactFactors c = *p.factors;
  if (d.J.size() > 0) c.J += s * d.J;
  if (d.inverse_mass.size() > 0) c.inverse_mass += s * d.inverse_mass;
  if (d.u.size() > 0) c.u += s * d.u;
  if (d.bias.size() > 0) c.bias += s * d.bias;
  std::vector<LcpRow> rows = p.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (d.mu.size() > 0 && rows[i].kind == RowKind::tangent) rows[i].mu += s * d.mu[static_cast<long>(i)];
  }
  return make_contact_problem(c, rows);
}

/// f and Jᵀf of the solution at p + s d, by the solver.
VecX solution_at(const LcpProblem& p, const ContactDirection& d, double s) {
  const LcpProblem q = moved(p, d, s);
  const VecX f = solve(q).f;
  VecX both(f.size() + q.factors->u.size());
  both << f, q.factors->J.transpose() * f;
  return both;
}

TEST(LcpDerivative, AgreesWithDifferencesAwayFromKinks) {
  int compared = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const LcpProblem p = random_contacts(4, 13, 0.2 + 0.01 * seed, seed);
    const LcpSolution s = solve(p);
    ASSERT_EQ(s.status, LcpStatus::solved);
    const LcpDerivative derivative(p, s);
    if (derivative.distance_to_kink() < 1e-3) continue;  // the differences below reach 1e-4
    const ContactDirection d = random_direction(p, seed + 1000);
    const LcpDerivative::Tangent t = derivative.forward(d);
    const Derivative expected =
        ridders_derivative([&](double h) { return solution_at(p, d, h); }, {.first_step = 1e-4});
    VecX both(t.f.size() + t.impulse.size());
    both << t.f, t.impulse;
    EXPECT_LE((both - expected.value).lpNorm<Eigen::Infinity>(),
              10 * expected.error + 1e-7 * (1 + both.norm()))
        << seed;
    ++compared;
  }
  EXPECT_GE(compared, 30);
}

TEST(LcpDerivative, OfRedundantContactsAgreesInTheImpulse) {
  // Four corners, twelve rows, six degrees of freedom: the split of the forces is redundant, the impulse is not.
  const LcpProblem p = cube_on_plane(0.3, (Vec6() << 2, 0.4, -1, 0.1, 0.05, 0.2).finished());
  const LcpSolution s = solve(p);
  const LcpDerivative derivative(p, s);
  ASSERT_FALSE(derivative.one_sided());
  for (unsigned seed = 0; seed < 10; ++seed) {
    ContactDirection d;
    d.u = random_direction(p, seed).u;
    const Derivative expected =
        ridders_derivative([&](double h) { return solution_at(p, d, h); }, {.first_step = 1e-4});
    EXPECT_LE((derivative.forward(d).impulse - expected.value.tail(6)).lpNorm<Eigen::Infinity>(),
              10 * expected.error + 1e-6)
        << seed;
  }
}

TEST(LcpDerivative, BackwardIsTheTransposeOfForward) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const LcpProblem p = seed % 3 == 0 ? cube_on_plane(0.4, Vec6::Constant(-0.3 - 0.01 * seed))
                                       : random_contacts(5, 11, 0.6, seed);
    const LcpDerivative derivative(p, solve(p));
    ContactDirection d = random_direction(p, seed + 7);
    if (seed % 3 == 0) d.J.setZero(), d.bias.setZero();  // redundant rows move along induced directions only
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    VecX f_bar(p.size()), impulse_bar(p.factors->u.size());
    for (VecX* v : {&f_bar, &impulse_bar}) {
      for (double& x : *v) x = normal(random);
    }
    const LcpDerivative::Tangent t = derivative.forward(d);
    const ContactDirection g = derivative.backward(f_bar, impulse_bar);
    const double forward = f_bar.dot(t.f) + impulse_bar.dot(t.impulse);
    const double backward = (g.J.cwiseProduct(d.J)).sum() +
                            (g.inverse_mass.cwiseProduct(d.inverse_mass)).sum() + g.u.dot(d.u) +
                            g.bias.dot(d.bias) + g.mu.dot(d.mu);
    EXPECT_NEAR(forward, backward, 1e-8 * (1 + std::abs(forward))) << seed;  // rounding through K^#
  }
}

TEST(LcpDerivative, FlagsAKink) {
  // Exactly on the edge of slipping: b_t = −μ A f_n for one box with one contact under its centre.
  lcp_test::BodyProblem body;
  body.add_contact(Vec3::Zero(), Vec3::UnitZ(), 0.5, Vec3::UnitX(), Vec3::UnitY());
  const LcpProblem p = body.problem(1, Vec3::Ones(), (Vec6() << 0.5, 0, -1, 0, 0, 0).finished());
  const LcpDerivative kink(p, solve(p));
  EXPECT_TRUE(kink.one_sided());
  ContactDirection d;
  d.u = Vec6::Unit(0);
  // Sticking: the friction impulse follows −u_x; slipping: it stays at μ.
  const double slope = kink.forward(d).impulse[0];
  EXPECT_TRUE(std::abs(slope + 1) < 1e-9 || std::abs(slope) < 1e-9) << slope;
  const LcpProblem away = body.problem(1, Vec3::Ones(), (Vec6() << 0.3, 0, -1, 0, 0, 0).finished());
  EXPECT_FALSE(LcpDerivative(away, solve(away)).one_sided());
  EXPECT_NEAR(LcpDerivative(away, solve(away)).forward(d).impulse[0], -1, 1e-9);
}

TEST(LcpDerivative, RefusesWhatItCannotDifferentiate) {
  LcpProblem p = random_contacts(2, 8, 0.5, 1);
  const LcpSolution s = solve(p);
  p.factors.reset();
  EXPECT_THROW(LcpDerivative(p, s), InvalidInput);
}

}  // namespace
}  // namespace jade
