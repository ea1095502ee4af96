#include "jade/lcp/lcp_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "jade/lcp/lcp_test_problems.h"

namespace jade {
namespace {

using lcp_test::cube_on_plane;
using lcp_test::permuted;
using lcp_test::plain;
using lcp_test::random_contacts;

constexpr double kRounding =
    1e-9;  // rounding (1e-16) over the compliance (1e-6) that decides redundant rows, times 10

Vec6 velocity(double vx, double vz) { return (Vec6() << vx, 0, vz, 0, 0, 0).finished(); }

TEST(LcpSolution, OfACubeAtRestCarriesItsWeight) {
  // Exact ties everywhere: four equal corners, no tangential velocity at all.
  for (const double mu : {0.0, 0.5, 2.0}) {
    const LcpSolution s = solve(cube_on_plane(mu, velocity(0, -1)));
    ASSERT_EQ(s.status, LcpStatus::solved) << mu;
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(s.f[3 * c], 0.25, kRounding);  // mass 1, velocity change 1, shared evenly by symmetry
      EXPECT_NEAR(s.f[3 * c + 1], 0, kRounding);
      EXPECT_NEAR(s.f[3 * c + 2], 0, kRounding);
    }
  }
}

TEST(LcpSolution, OfASlidingCubeSlowsByMuTimesTheNormalImpulse) {
  const double mu = 0.3;
  const LcpProblem p = cube_on_plane(mu, velocity(2, -1));
  const LcpSolution s = solve(p);
  ASSERT_EQ(s.status, LcpStatus::solved);
  const VecX impulse = p.factors->J.transpose() * s.f;
  EXPECT_NEAR(impulse[0], -mu, kRounding);  // μ m Δv_z against the motion
  EXPECT_NEAR(impulse[1], 0, kRounding);
  EXPECT_NEAR(impulse[2], 1, kRounding);
}

TEST(LcpSolution, OfASlowCubeSticks) {
  const LcpProblem p = cube_on_plane(0.3, velocity(0.1, -1));
  const LcpSolution s = solve(p);
  ASSERT_EQ(s.status, LcpStatus::solved);
  EXPECT_NEAR(s.v.lpNorm<Eigen::Infinity>(), 0, kRounding);
}

/// One normal and one tangent: A = [[1, −.8], [−.8, 1]], b = (.1, −1), μ = 1.5 has the three solutions (0, 0),
/// (.5, .75) and (35/18, 23/9): nothing, a slipping and a jammed one.
TEST(LcpSolution, PicksTheLeastImpulseAmongThree) {
  LcpProblem p;
  p.A = (MatX(2, 2) << 1, -0.8, -0.8, 1).finished();
  p.b = Vec2(0.1, -1);
  p.rows = {{.kind = RowKind::normal}, {.kind = RowKind::tangent, .normal = 0, .mu = 1.5}};
  for (const Vec2& f : {Vec2(0, 0), Vec2(0.5, 0.75), Vec2(35.0 / 18, 23.0 / 9)}) {
    EXPECT_LE(certify(p, f).residual, 1e-15) << f.transpose();
  }
  const LcpSolution s = solve(p);
  ASSERT_EQ(s.status, LcpStatus::solved);
  EXPECT_EQ(s.f, VecX::Zero(2));
  // The classes of the jammed one lead back to it.
  const LcpSolution jammed = solve(p, {}, {RowClass::clamped, RowClass::stick});
  ASSERT_EQ(jammed.status, LcpStatus::solved);
  EXPECT_EQ(jammed.selection, LcpSelection::warm_classes);
  EXPECT_NEAR(jammed.f[0], 35.0 / 18, kRounding);
  LcpSettings cold;
  cold.warm_start = false;
  EXPECT_EQ(solve(p, cold, {RowClass::clamped, RowClass::stick}).f, VecX::Zero(2));
}

TEST(LcpSolution, IsValidForRandomContactsOfAnyRank) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const int contacts = 1 + seed % 9, nv = 1 + static_cast<int>(seed * 7 % 31);
    const LcpProblem p = random_contacts(contacts, nv, 0.1 * (seed % 15), seed);
    const LcpSolution s = solve(p);
    ASSERT_EQ(s.status, LcpStatus::solved) << seed << " " << s.certificate.why;
    EXPECT_LE(certify(p, s.f).residual, 1e-10);
    const double size = p.beta.maxCoeff() + p.A.cwiseAbs().maxCoeff() * s.f.lpNorm<1>();
    EXPECT_LE((s.v - p.A * s.f - p.b).lpNorm<Eigen::Infinity>(), 1e-14 * size);
  }
}

TEST(LcpSolution, DoesNotDependOnTheOrderOfTheRows) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const bool cube = seed % 2 == 0;
    const LcpProblem p = cube ? cube_on_plane(0.1 * (seed % 20), velocity(0.05 * (seed % 7), -1))
                              : random_contacts(6, 10, 0.8, seed);
    std::vector<int> order(p.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    const LcpSolution s = solve(p), t = solve(permuted(p, order));
    for (int i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(s.f[i], t.f[order[i]], 1e-9 * (1 + s.f.norm())) << seed;  // conditioning of redundant rows
      if (cube) continue;
      EXPECT_EQ(s.f[i], t.f[order[i]]) << seed;  // no ties: the very same arithmetic
    }
  }
}

TEST(LcpSolution, ScalesWithTheUnits) {
  const LcpProblem p = random_contacts(8, 12, 0.6, 5);
  const LcpSolution s = solve(p);
  LcpProblem q = p;  // unit of mass × 2^10, of velocity × 2^-6: exact
  q.A *= 0x1p-10;
  q.b *= 0x1p6;
  q.beta *= 0x1p6;
  q.factors.reset();
  EXPECT_EQ(solve(q).f, VecX(0x1p16 * s.f));
  q = p;  // any other change of units: to rounding
  q.A *= 0.37;
  q.b *= 11;
  q.beta *= 11;
  q.factors.reset();
  EXPECT_TRUE(solve(q).f.isApprox(11 / 0.37 * s.f, 1e-10));
}

TEST(LcpSolution, OfDuplicatedContactsMovesTheBodyAlike) {
  const LcpProblem p = cube_on_plane(0.4, velocity(1, -1));
  lcp_test::BodyProblem twice;
  for (int copy = 0; copy < 2; ++copy) {
    for (int c = 0; c < 4; ++c) {
      const int n = static_cast<int>(twice.rows.size());
      for (int k = 0; k < 3; ++k) {
        twice.J.emplace_back(p.factors->J.row(3 * c + k));
        twice.rows.push_back(p.rows[3 * c + k]);
        if (k > 0) twice.rows.back().normal = n;
      }
    }
  }
  const LcpProblem q = twice.problem(1, Vec3::Constant(1.0 / 6), p.factors->u);
  const LcpSolution s = solve(p), t = solve(q);
  ASSERT_EQ(t.status, LcpStatus::solved);
  EXPECT_TRUE((p.factors->J.transpose() * s.f).isApprox(q.factors->J.transpose() * t.f, 1e-10));
}

TEST(LcpSolution, IgnoresRowsThatNoForceCanMove) {
  LcpProblem p = cube_on_plane(0.5, velocity(0, -1));
  LcpProblem q;
  q.A = MatX::Zero(15, 15);
  q.A.topLeftCorner(12, 12) = p.A;
  q.b = VecX::Zero(15);
  q.b.head(12) = p.b;
  q.b.tail(3) << 0.5, -0.25, 0.125;
  q.rows = p.rows;
  q.rows.push_back({.kind = RowKind::normal});
  for (int k = 0; k < 2; ++k) q.rows.push_back({.kind = RowKind::tangent, .normal = 12, .mu = 0.5});
  const LcpSolution s = solve(q);
  ASSERT_EQ(s.status, LcpStatus::solved);
  EXPECT_EQ(s.f.tail(3), VecX::Zero(3));
  EXPECT_NEAR(s.f[0], 0.25, kRounding);
}

TEST(LcpSolution, SaysSoWhenThereIsNone) {
  // Two opposite contacts on one body that both have to separate: b outside the range of J.
  lcp_test::BodyProblem body;
  body.add_contact(Vec3::Zero(), Vec3::UnitZ(), 0.5, Vec3::UnitX(), Vec3::UnitY());
  body.add_contact(Vec3::Zero(), -Vec3::UnitZ(), 0.5, Vec3::UnitX(), Vec3::UnitY());
  LcpProblem p = body.problem(1, Vec3::Ones(), Vec6::Zero());
  p.b[0] = p.b[3] = -1;
  p.beta = p.b.cwiseAbs();
  p.factors.reset();
  const LcpSolution s = solve(p);
  EXPECT_EQ(s.status, LcpStatus::no_solution_found);
  EXPECT_EQ(s.selection, LcpSelection::none);
  EXPECT_GT(s.certificate.residual, 1e-10);
  EXPECT_GT(s.regularisation, 0);
  // What comes back solves the problem with a little compliance, friction and all.
  LcpProblem compliant = p;
  compliant.A.diagonal().array() += s.regularisation;
  EXPECT_LE(certify(compliant, s.f).residual, 1e-10);
}

TEST(LcpSolution, IsFoundWithoutDetoursWhenGapsContradictEachOtherInTheLastDigits) {
  // Four corners of a rigid face cannot close gaps that are not in one plane. Off by 2e-11 of the speed there is no
  // answer to the last digit but many valid ones; looking for better took eleven paths.
  for (const double mu : {0.0, 0.3, 2.0}) {
    LcpProblem p = cube_on_plane(mu, velocity(0.1, -1));
    p.factors.reset();
    p.b[0] -= 2e-11;
    const LcpSolution s = solve(p);
    EXPECT_EQ(s.status, LcpStatus::solved) << mu;
    EXPECT_LE(s.pivots, 4 * p.size()) << mu << " " << s.stage;  // two paths, each about one pivot a row
  }
}

/// The cube tips so that three corners bear it, and the fourth closes by a little more than they allow it to: held it would
/// pull, let go it closes. The answer that lets it go is valid as far as the tolerance goes, and says that it did.
TEST(LcpSolution, HasTheClassesThatItsForcesWereFoundWithWhereGapsContradictEachOther) {
  const Vec6 tips = (Vec6() << 0, 0, -1, -1.8, 1.8, 0).finished();
  LcpProblem p = cube_on_plane(0, tips);
  p.b[0] -= 1e-11 * p.beta[0];
  std::vector<RowClass> held(12, RowClass::separate);
  for (const int normal : {0, 3, 6, 9}) held[static_cast<std::size_t>(normal)] = RowClass::clamped;
  const LcpSolution s = solve(p, {.to_the_end = false}, held);
  ASSERT_EQ(s.status, LcpStatus::solved);
  EXPECT_EQ(s.f[0], 0);
  EXPECT_EQ(s.classes[0], RowClass::separate) << s.stage;
  for (const int normal : {3, 6, 9}) {
    EXPECT_GT(s.f[normal], 0.1);
    EXPECT_EQ(s.classes[normal], RowClass::clamped);
  }
}

/// Two normals at an angle of 1e-3: A = [[1, c], [c, 1]], and forces of 1 and 1 + 4e-4 whose difference moves the rows by
/// (1 − c) 4e-4 = 2e-10. Compliance leaves most of that, and a residual that would pass. A difference of 1e-6 leaves one that
/// is as small as that of any answer.
TEST(LcpSolution, SolvesForModesWeakerThanTheCompliance) {
  const double c = std::cos(1e-3);
  LcpProblem p;
  p.A = (MatX(2, 2) << 1, c, c, 1).finished();
  p.rows.resize(2);
  const LcpSettings settings{.to_the_end = false};
  for (const double difference : {4e-4, 1e-6}) {
    const Vec2 f(1, 1 + difference);
    p.b = -(p.A * f);
    for (const std::vector<RowClass>& classes : {std::vector<RowClass>{}, std::vector<RowClass>(2)}) {
      const LcpSolution s = solve(p, settings, classes);
      ASSERT_EQ(s.status, LcpStatus::solved);
      EXPECT_LE(s.certificate.residual, 1e-12);
      // Rounding of b over the weak eigenvalue, 1e-16 / 5e-7, times 10.
      EXPECT_NEAR(s.f[0], f[0], 2e-9);
      EXPECT_NEAR(s.f[1], f[1], 2e-9);
    }
  }
}

TEST(LcpSolution, SaysQuicklyThatThereIsNone) {
  // A box in a slot that is too narrow: both sides push it out at once. Forces grow like 1/ε along the path, which is
  // seen after three paths; Lemke's method is not asked.
  lcp_test::BodyProblem body;
  for (const double side : {-0.5, 0.5}) {
    for (const double x : {-0.5, 0.5}) {
      body.add_contact(Vec3(x, 0, side), Vec3(0, 0, side > 0 ? -1 : 1), 0.6, Vec3::UnitX(), Vec3::UnitY());
    }
  }
  LcpProblem p = body.problem(1, Vec3::Ones(), velocity(0.2, 0));
  for (int c = 0; c < 4; ++c) p.b[3 * c] -= 0.1;
  p.beta = p.b.cwiseAbs();
  p.factors.reset();
  const LcpSolution s = solve(p);
  EXPECT_EQ(s.status, LcpStatus::no_solution_found);
  EXPECT_LE(s.pivots, 20 * p.size()) << s.stage;
}

/// One contact, and a second one that makes the general path take over: coupled by 1e-30, which no digit can feel.
LcpProblem with_a_separate_row(const LcpProblem& one) {
  LcpProblem two;
  two.A = MatX::Zero(4, 4);
  two.A.topLeftCorner(3, 3) = one.A;
  two.A(3, 3) = 1;
  two.A(0, 3) = two.A(3, 0) = 1e-30;
  two.b = VecX::Ones(4);
  two.b.head(3) = one.b;
  two.rows = one.rows;
  two.rows.push_back({.kind = RowKind::limit});
  return two;
}

TEST(LcpSolution, OfOneContactIsThatOfTheGeneralPath) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const LcpProblem one = random_contacts(1, 4 + seed % 5, 0.1 * (seed % 20), seed);
    const LcpProblem two = with_a_separate_row(one);
    const LcpSolution s = solve(one), t = solve(two);
    ASSERT_EQ(s.status, LcpStatus::solved) << seed;
    ASSERT_EQ(t.status, LcpStatus::solved) << seed;
    EXPECT_TRUE(s.f.norm() == 0 || t.f.head(3).isApprox(s.f, 1e-9))
        << seed << " " << s.stage << " " << t.stage;
    EXPECT_TRUE(std::equal(s.classes.begin(), s.classes.end(), t.classes.begin())) << seed;
  }
}

TEST(LcpSolution, OfOneContactKeepsTheClassesThatTheGeneralPathKeeps) {
  using enum RowClass;
  int kept = 0, refused = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const LcpProblem one = random_contacts(1, 4 + seed % 5, 0.1 * (seed % 20), seed);
    const LcpProblem two = with_a_separate_row(one);
    std::vector<std::vector<RowClass>> all{{separate, separate, separate, separate}};
    for (const RowClass s : {stick, high, low}) {
      for (const RowClass t : {stick, high, low}) all.push_back({clamped, s, t, separate});
    }
    for (const std::vector<RowClass>& classes : all) {
      const LcpSolution t = solve(two, {}, classes), s = solve(one, {}, {classes.begin(), classes.end() - 1});
      ASSERT_EQ(s.status, LcpStatus::solved) << seed;
      const bool keeps = std::equal(s.classes.begin(), s.classes.end(), classes.begin());
      EXPECT_EQ(keeps, t.classes == classes) << seed;
      kept += keeps;
      refused += !keeps;
      if (!keeps) continue;
      EXPECT_EQ(s.selection, LcpSelection::warm_classes) << seed;
      EXPECT_TRUE(s.f.norm() == 0 || t.f.head(3).isApprox(s.f, 1e-9)) << seed << " " << t.stage;
    }
    // Those of the solution are kept without a search.
    const LcpSolution cold = solve(one), warm = solve(one, {}, cold.classes);
    EXPECT_EQ(warm.classes, cold.classes) << seed;
    EXPECT_EQ(warm.pivots, 0) << seed;
  }
  EXPECT_GE(kept, 200);
  EXPECT_GE(refused, 1000);
}

TEST(LcpSolution, IsTheSameBitsEveryTime) {
  LcpWorkspace workspace;
  LcpSolution again;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const LcpProblem p = random_contacts(1 + seed % 12, 14, 0.7, seed);
    const LcpSolution s = solve(p);
    solve(p, {}, {}, workspace, again);  // a workspace that has seen other sizes changes nothing
    EXPECT_EQ(s.f, again.f);
    EXPECT_EQ(s.classes, again.classes);
  }
}

TEST(LcpSolution, WarmClassesOfTheSolutionNeedNoPivot) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const LcpProblem p = random_contacts(6, 20, 0.5, seed);
    const LcpSolution cold = solve(p), warm = solve(p, {}, cold.classes);
    ASSERT_EQ(warm.status, LcpStatus::solved);
    EXPECT_EQ(warm.pivots, 0);
    EXPECT_TRUE(warm.f.isApprox(cold.f, 1e-9) || cold.f.norm() == 0) << seed;
  }
}

/// A body on two contacts, at x = −1 and x = 1, that falls with speed 1 and slides along x: each carries half of its
/// momentum, and how they share the friction along x is for the compliance to say.
LcpProblem body_on_two_contacts(double mu_left, double mu_right, double sliding) {
  lcp_test::BodyProblem body;
  body.add_contact(-Vec3::UnitX(), Vec3::UnitZ(), mu_left, Vec3::UnitX(), Vec3::UnitY());
  body.add_contact(Vec3::UnitX(), Vec3::UnitZ(), mu_right, Vec3::UnitX(), Vec3::UnitY());
  return body.problem(1, Vec3::Ones(), velocity(sliding, -1));
}

TEST(LcpSolution, WarmStartsKeepFrictionThatHasToBeAtItsBound) {
  // Half of the sliding is more than the left contact can take, so the right one takes the rest; nothing slips.
  const LcpProblem p = body_on_two_contacts(0.1, 1, -0.2);
  const LcpSolution cold = solve(p);
  EXPECT_EQ(cold.classes[1], RowClass::high);
  EXPECT_EQ(cold.classes[4], RowClass::stick);
  const LcpSolution warm = solve(p, {}, cold.classes);
  EXPECT_EQ(warm.selection, LcpSelection::warm_classes);
  EXPECT_NEAR(warm.f[1], 0.05, kRounding);
  EXPECT_NEAR(warm.f[4], 0.15, kRounding);
}

TEST(LcpSolution, WarmStartsGiveUpFrictionThatNothingHolds) {
  // After a slide to the left: friction of the left contact against that of the right one, at rest.
  const LcpProblem p = body_on_two_contacts(0.1, 1, 0);
  std::vector<RowClass> classes = solve(p).classes;
  classes[1] = RowClass::high;
  classes[4] = RowClass::stick;
  const LcpSolution warm = solve(p, {}, classes);
  EXPECT_EQ(warm.status, LcpStatus::solved);
  EXPECT_NEAR(warm.f[1], 0, kRounding);
  EXPECT_NEAR(warm.f[4], 0, kRounding);
}

TEST(LcpSolution, WarmStartsLetFrictionStickThatIsNotNeeded) {
  // At rest, with friction across left at none: forces are the same, but what would nudge the body is held.
  const LcpProblem p = body_on_two_contacts(1, 1, 0);
  std::vector<RowClass> classes(6, RowClass::stick);
  classes[0] = classes[3] = RowClass::clamped;
  classes[5] = RowClass::separate;
  const LcpSolution warm = solve(p, {}, classes);
  EXPECT_EQ(warm.selection, LcpSelection::warm_classes);
  EXPECT_EQ(warm.classes[5], RowClass::stick);
  EXPECT_NEAR(warm.f[5], 0, kRounding);
}

TEST(LcpCertificate, RejectsEveryMutationOfASolution) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const LcpProblem p =
        random_contacts(4, 16, 0.6, seed);  // full rank: the solution's neighbours are no solutions
    const LcpSolution s = solve(p);
    for (int i = 0; i < p.size(); ++i) {
      VecX f = s.f;
      f[i] += 1e-6 * (1 + f.norm());
      EXPECT_GT(certify(p, f).residual, 1e-9) << seed << " row " << i;
      f[i] = std::nan("");
      EXPECT_EQ(certify(p, f).residual, HUGE_VAL);
      EXPECT_EQ(certify(p, f).why, "not finite");
    }
  }
}

TEST(LcpCertificate, DoesNotLetForcesExcuseThemselves) {
  // Two limits that are both violated; pressed against each other with 4e15 their errors drown in rounding.
  LcpProblem p;
  p.A = (MatX(2, 2) << 1, -1, -1, 1).finished();
  p.b = Vec2(-0.5, -1);
  p.rows = {{.kind = RowKind::limit}, {.kind = RowKind::limit}};
  EXPECT_GT(certify(p, Vec2(4e15, 4e15)).residual, 1e-9);
  LcpSettings settings;
  for (const LcpMethod method : {LcpMethod::jade, LcpMethod::lemke}) {
    settings.method = method;
    EXPECT_EQ(solve(p, settings).status, LcpStatus::no_solution_found) << name_of(method);
  }
}

TEST(LcpCertificate, SaysWhatIsWrong) {
  const LcpProblem p = cube_on_plane(0.5, velocity(1, -1));
  EXPECT_EQ(certify(p, VecX::Zero(12)).why, "penetrating velocity");
  EXPECT_EQ(certify(p, VecX::Zero(11)).why, "wrong number of forces");
  VecX f = VecX::Zero(12);
  for (int c = 0; c < 4; ++c) f[3 * c] = 0.25;
  EXPECT_EQ(certify(p, f).why, "slipping below the bound");
  lcp_test::BodyProblem body;
  body.add_contact(Vec3::Zero(), Vec3::UnitZ(), 0.5, Vec3::UnitX(), Vec3::UnitY());
  const LcpProblem single = body.problem(1, Vec3::Ones(), velocity(1, -1));
  EXPECT_EQ(certify(single, Vec3(1, -1, 0)).why, "outside the friction bound");
  EXPECT_EQ(certify(single, Vec3(1, 0.5, 0)).why, "friction along the slip");
  EXPECT_EQ(certify(single, Vec3(1, -0.5, 0)).why, "valid");
  EXPECT_EQ(certify(single, Vec3(2, -1, 0)).why, "force on a separating row");
}

TEST(EveryMethod, SolvesWhatItCan) {
  for (const LcpMethod method :
       {LcpMethod::jade, LcpMethod::dantzig, LcpMethod::ergodic, LcpMethod::lemke, LcpMethod::pgs}) {
    LcpSettings settings;
    settings.method = method;
    settings.pgs_iterations = 20000;
    const LcpSolution s = solve(cube_on_plane(0.3, velocity(2, -1)), settings);
    EXPECT_EQ(s.status, LcpStatus::solved) << name_of(method) << " " << s.certificate.why;
    EXPECT_EQ(lcp_method_named(name_of(method)), method);
  }
  EXPECT_EQ(lcp_method_named("simplex"), std::nullopt);
}

TEST(PlainLcp, ClosedForms) {
  // Separate rows: x_i = max(0, −q_i / M_ii).
  const LcpSolution diagonal = solve(plain(Vec3(1, 2, 4).asDiagonal(), Vec3(-1, 3, -2)));
  EXPECT_EQ(diagonal.status, LcpStatus::solved);
  EXPECT_TRUE(diagonal.f.isApprox(Vec3(1, 0, 0.5)));
  // x₁ + x₂ = 1 on a line of solutions.
  const LcpSolution line = solve(plain(MatX::Ones(2, 2), VecX::Constant(2, -1)));
  EXPECT_EQ(line.status, LcpStatus::solved);
  EXPECT_NEAR(line.f.sum(), 1, 1e-14);
  // A skew matrix: matching pennies in disguise, x = (1, 1).
  const LcpSolution skew = solve(plain((MatX(2, 2) << 0, 1, -1, 0).finished(), Vec2(-1, 1)));
  EXPECT_EQ(skew.status, LcpStatus::solved);
  EXPECT_TRUE(skew.f.isApprox(Vec2(1, 1)));
}

TEST(PlainLcp, SaysInfeasibleOnlyWithAProof) {
  // x ≥ 0, −x − 1 ≥ 0 cannot be.
  EXPECT_EQ(solve(plain(-MatX::Identity(2, 2), VecX::Constant(2, -1))).status, LcpStatus::infeasible);
  // Feasible (x₂ ≥ 1, x₁ anything) but not solvable: w₁ = x₂ − 1… x₁ (x₂ − 1) = 0 and x₂ · 1 = 0 contradict.
  EXPECT_EQ(solve(plain((MatX(2, 2) << 0, 1, 0, 0).finished(), Vec2(-1, 1))).status, LcpStatus::ray);
}

TEST(PlainLcp, MurtysExampleIsSolvedInSpiteOfItsLength) {
  const int n = 10;
  MatX M = MatX::Identity(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) M(i, j) = 2;
  }
  const LcpSolution s = solve(plain(M, VecX::Constant(n, -1)));
  ASSERT_EQ(s.status, LcpStatus::solved);
  EXPECT_NEAR(s.f[0], 1, 1e-14);
  EXPECT_NEAR(s.f.tail(n - 1).norm(), 0, 1e-14);
}

TEST(BoxedLcp, ClosedForms) {
  LcpProblem p = plain(2 * MatX::Identity(4, 4), (VecX(4) << -1, -10, 10, 6).finished());
  p.form = LcpForm::boxed;
  p.lo = (VecX(4) << 0, 0, -1, -HUGE_VAL).finished();
  p.hi = (VecX(4) << 5, 2, 1, HUGE_VAL).finished();
  const LcpSolution s = solve(p);
  ASSERT_EQ(s.status, LcpStatus::solved) << s.certificate.why;
  EXPECT_TRUE(s.f.isApprox((VecX(4) << 0.5, 2, -1, -3).finished()));
  EXPECT_EQ(s.classes,
            (std::vector{RowClass::clamped, RowClass::at_upper, RowClass::at_lower, RowClass::clamped}));
  LcpSettings settings;
  settings.method = LcpMethod::dantzig;
  EXPECT_THROW((void)solve(p, settings), InvalidInput);
}

}  // namespace
}  // namespace jade
