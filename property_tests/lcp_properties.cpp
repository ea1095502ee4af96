// Laws of the contact LCP solver over generated problems. RC_PARAMS pins the seed in CI and frees it in a campaign.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/lcp_families.h"
#include "jade/lcp/lcp_solver.h"
#include "lcp_judge/lcp_judge.h"

namespace jade {
namespace {

using generators::LcpFamily;
using generators::LcpProblemId;
using generators::make_lcp_problem;
using reference::judge;

/// A generated problem and how to make it again, which is what a counterexample prints.
struct Drawn {
  LcpProblemId id;
  LcpProblem problem;
};

/// Any family, or only those that are solvable by construction. Shrinks towards few contacts.
Drawn draw(bool solvable_only) {
  const int contacts = *rc::gen::inRange(1, 13).as("contacts");
  const auto index = *rc::gen::inRange<std::uint64_t>(0, 1'000'000).as("index");
  std::vector<std::string> names;
  for (const LcpFamily& family : generators::lcp_families()) {
    if (!(solvable_only && family.may_have_no_solution)) names.emplace_back(family.name);
  }
  const std::string name = *rc::gen::elementOf(names).as("family");
  const LcpProblemId id{.seed = 2,
                        .family = generators::lcp_family_named(name)->name,
                        .index = index,
                        .max_contacts = contacts,
                        .exact = true};
  return {id, make_lcp_problem(id)};
}

Drawn draw_solvable() { return draw(true); }

LcpProblem with_friction(LcpProblem problem, double mu) {
  for (LcpRow& row : problem.rows) row.mu = row.kind == RowKind::tangent ? mu : 0;
  return problem;
}

/// σ of the certificate: what velocities of a row are measured against.
VecX scale_of(const LcpProblem& problem, const VecX& f) {
  return problem.beta + problem.A.cwiseAbs() * f.cwiseAbs();
}

/// Largest difference of velocities, in units of their rows.
double difference(const LcpProblem& problem, const VecX& f, const VecX& v1, const VecX& v2) {
  const VecX sigma = scale_of(problem, f);
  double largest = 0;
  for (int i = 0; i < v1.size(); ++i) {
    if (sigma[i] > 0) largest = std::max(largest, std::abs(v1[i] - v2[i]) / sigma[i]);
  }
  return largest;
}

RC_GTEST_PROP(LcpSolution, IsValidForEveryContactProblem, ()) {
  const Drawn drawn = draw_solvable();
  const LcpSolution solution = solve(drawn.problem);
  const auto judgement = judge(drawn.problem, solution.f);
  RC_LOG() << to_string(drawn.id) << ", stage " << solution.stage << ", residual " << judgement.residual
           << ", " << reference::name_of(judgement.fault) << "\n";
  RC_ASSERT(judgement.valid);
  RC_ASSERT(solution.status == LcpStatus::solved);
}

TEST(LcpSolution, IsValidForTheTiesThatOnceHadNone) {
  // Cubes on a grid whose rows reach their borders together: each of these once ended in no answer.
  struct Case {
    std::uint64_t seed, index;
  };
  for (const auto& [seed, index] : {Case{7, 1103}, Case{7, 2510}, Case{7, 3883}, Case{7, 5811}, Case{7, 6564},
                                    Case{1, 429}, Case{1, 453}, Case{1, 905}}) {
    const LcpProblemId id{.seed = seed, .family = "ties", .index = index, .max_contacts = 16};
    const LcpProblem problem = make_lcp_problem(id);
    const LcpSolution solution = solve(problem);
    EXPECT_EQ(solution.status, LcpStatus::solved) << to_string(id);
    EXPECT_TRUE(judge(problem, solution.f).valid) << to_string(id);
  }
}

TEST(LcpSolution, IsValidForTheStackWhoseForcesComplianceBendsMost) {
  // 128 contacts: every path ended on classes that are wrong without compliance.
  const LcpProblem problem =
      make_lcp_problem({.seed = 1, .family = "stack", .index = 111, .max_contacts = 128, .exact = true});
  EXPECT_TRUE(judge(problem, solve(problem).f).valid);
}

TEST(LcpSolution, IsValidForTheRowWhoseClassesAreFoundByPatienceAlone) {
  const LcpProblem problem =
      make_lcp_problem({.seed = 63, .family = "row", .index = 44, .max_contacts = 128, .exact = true});
  EXPECT_TRUE(judge(problem, solve(problem).f).valid);
}

TEST(LcpSolution, SolvesTheProblemWithComplianceWhereThereIsNone) {
  // Each of these was once given up in both forms: forces that follow the compliance of the path look unbounded.
  struct Case {
    const char* family;
    std::uint64_t index;
  };
  for (const auto& [family, index] : {Case{"mixed_restitution", 2881}, Case{"mixed_restitution", 23589},
                                      Case{"position_bias", 22845}, Case{"position_bias", 40017}}) {
    const LcpProblemId id{.seed = 1, .family = family, .index = index, .max_contacts = 16};
    const LcpProblem problem = make_lcp_problem(id);
    const LcpSolution solution = solve(problem);
    EXPECT_EQ(solution.status, LcpStatus::no_solution_found) << to_string(id);
    EXPECT_TRUE(judge(problem, solution.f, {.regularisation = solution.regularisation}).valid)
        << to_string(id);
  }
}

RC_GTEST_PROP(LcpSolution, NeverClaimsSuccessWrongly, ()) {
  const Drawn drawn = draw(false);
  const auto method = *rc::gen::element(LcpMethod::jade, LcpMethod::dantzig, LcpMethod::ergodic,
                                        LcpMethod::lemke, LcpMethod::pgs);
  const LcpSolution solution = solve(drawn.problem, {.method = method});
  RC_LOG() << to_string(drawn.id) << ", " << name_of(method) << "\n";
  RC_ASSERT((solution.status == LcpStatus::solved) == judge(drawn.problem, solution.f).valid);
}

RC_GTEST_PROP(LcpCertificate, AgreesWithTheIndependentJudge, ()) {
  const Drawn drawn = draw(false);
  const VecX f = solve(drawn.problem).f;
  // In double the certificate errs by about n ulp of σ, the judge by nothing that shows here.
  const double rounding = 2e-14;
  RC_ASSERT(std::abs(certify(drawn.problem, f).residual - judge(drawn.problem, f).residual) <= rounding);
}

RC_GTEST_PROP(LcpCertificate, RejectsEveryMutatedSolution, ()) {
  const Drawn drawn = draw_solvable();
  VecX f = solve(drawn.problem).f;
  const int row = *rc::gen::inRange(0, drawn.problem.size());
  const double slope = drawn.problem.A(row, row);
  const double sigma = scale_of(drawn.problem, f)[row];
  RC_PRE(slope > 0 &&
         sigma > 0);  // where nothing moves and nothing pushes there is nothing to measure against
  // Any change of one force by δ σ/A_ii shows as a residual of δ in its own row, whatever its class: a clamped or
  // sticking row gets a velocity of δ σ, a separating row a force, a slipping row leaves its bound.
  const double delta = std::ldexp(1.0, -*rc::gen::inRange(4, 26));
  const double sign = *rc::gen::element(-1.0, 1.0);
  f[row] += sign * delta * sigma / slope;
  RC_LOG() << to_string(drawn.id) << ", row " << row << ", delta " << delta << "\n";
  // σ itself grows by at most δ σ.
  RC_ASSERT(certify(drawn.problem, f).residual >= delta / 2);
  RC_ASSERT(judge(drawn.problem, f).residual >= delta / 2);
  RC_ASSERT(!judge(drawn.problem, f).valid);
}

/// The problem with its contacts in another order, and where each row went.
struct Permuted {
  LcpProblem problem;
  std::vector<int> from;  ///< row i of the permuted problem is row from[i] of the original
};

Permuted permuted(const LcpProblem& problem) {
  std::vector<std::vector<int>> units;
  std::vector<int> unit_of(problem.size(), -1);
  for (int i = 0; i < problem.size(); ++i) {
    const LcpRow& row = problem.rows[i];
    if (row.kind == RowKind::tangent) {
      units[unit_of[row.normal]].push_back(i);
    } else {
      unit_of[i] = static_cast<int>(units.size());
      units.push_back({i});
    }
  }
  for (int i = static_cast<int>(units.size()) - 1; i > 0; --i) {
    std::swap(units[i], units[*rc::gen::inRange(0, i + 1)]);
  }
  Permuted result;
  std::vector<int> to(problem.size());
  for (const auto& unit : units) {
    for (const int i : unit) {
      to[i] = static_cast<int>(result.from.size());
      result.from.push_back(i);
    }
  }
  std::vector<LcpRow> rows;
  for (const int i : result.from) {
    rows.push_back(problem.rows[i]);
    if (rows.back().kind == RowKind::tangent) rows.back().normal = to[rows.back().normal];
  }
  const ContactFactors& c = *problem.factors;
  result.problem = make_contact_problem(
      {c.J(result.from, Eigen::all), c.inverse_mass, c.u, c.bias(result.from)}, std::move(rows));
  return result;
}

RC_GTEST_PROP(LcpSolution, DoesNotDependOnTheOrderOfContacts, ()) {
  const Drawn drawn = draw_solvable();
  const Permuted other = permuted(drawn.problem);
  const LcpSettings rule;  // cold: from several solutions always the specified one
  const LcpSolution a = solve(drawn.problem, rule), b = solve(other.problem, rule);
  RC_PRE(a.selection == LcpSelection::least_impulse && b.selection == LcpSelection::least_impulse);
  VecX back(a.v.size());
  for (int i = 0; i < back.size(); ++i) back[other.from[i]] = b.v[i];
  RC_LOG() << to_string(drawn.id) << ", differs by " << difference(drawn.problem, a.f, a.v, back) << "\n";
  // Rounding magnified by the condition of the clamped block; another solution differs by 1e-3 and more.
  RC_ASSERT(difference(drawn.problem, a.f, a.v, back) <= 1e-7);
}

RC_GTEST_PROP(LcpSolution, ScalesWithTheUnits, ()) {
  const Drawn drawn = draw_solvable();
  // Even exponents are exact inside the solver too (it scales by powers of two near A_ii^-1/2), odd ones round.
  const int mass_exponent = 2 * *rc::gen::inRange(-10, 11), speed_exponent = *rc::gen::inRange(-20, 21);
  ContactFactors factors = *drawn.problem.factors;
  factors.inverse_mass *= std::ldexp(1.0, -mass_exponent);
  factors.u *= std::ldexp(1.0, speed_exponent);
  factors.bias *= std::ldexp(1.0, speed_exponent);
  const LcpProblem other = make_contact_problem(std::move(factors), drawn.problem.rows);
  const LcpSolution a = solve(drawn.problem), b = solve(other);
  RC_LOG() << to_string(drawn.id) << "\n";
  RC_ASSERT(b.classes == a.classes);
  RC_ASSERT(b.v == a.v * std::ldexp(1.0, speed_exponent));
  RC_ASSERT(b.f == a.f * std::ldexp(1.0, speed_exponent + mass_exponent));
}

/// The problem with one unit of rows repeated at its end.
LcpProblem with_duplicate(const LcpProblem& problem, int normal, std::vector<int>& rows_of_copy) {
  std::vector<int> from(problem.size());
  std::iota(from.begin(), from.end(), 0);
  std::vector<LcpRow> rows = problem.rows;
  const int copy = problem.size();
  for (int i = 0; i < problem.size(); ++i) {
    const LcpRow& row = problem.rows[i];
    if (i != normal && !(row.kind == RowKind::tangent && row.normal == normal)) continue;
    from.push_back(i);
    rows.push_back(row);
    if (row.kind == RowKind::tangent) rows.back().normal = copy;
    rows_of_copy.push_back(i);
  }
  const ContactFactors& c = *problem.factors;
  return make_contact_problem({c.J(from, Eigen::all), c.inverse_mass, c.u, c.bias(from)}, std::move(rows));
}

RC_GTEST_PROP(LcpSolution, StaysValidWhenAContactIsDuplicatedAndItsForceShared, ()) {
  const Drawn drawn = draw_solvable();
  std::vector<int> normals;
  for (int i = 0; i < drawn.problem.size(); ++i) {
    if (drawn.problem.rows[i].kind != RowKind::tangent) normals.push_back(i);
  }
  std::vector<int> copied;
  const LcpProblem twice = with_duplicate(drawn.problem, *rc::gen::elementOf(normals), copied);
  const LcpSolution once = solve(drawn.problem);
  VecX shared(twice.size());
  shared.head(once.f.size()) = once.f;
  for (std::size_t k = 0; k < copied.size(); ++k) {
    shared[copied[k]] = once.f[copied[k]] / 2;
    shared[once.f.size() + static_cast<int>(k)] = once.f[copied[k]] / 2;
  }
  RC_LOG() << to_string(drawn.id) << "\n";
  RC_ASSERT(judge(twice, shared).valid);
  RC_ASSERT(judge(twice, solve(twice).f).valid);
}

RC_GTEST_PROP(LcpSolution, HasOneVelocityWithoutFriction, ()) {
  // v = A f + b is unique for positive semidefinite A (Cottle, Pang, Stone, "The Linear Complementarity Problem",
  // theorem 3.1.7 d), though f is not: two methods that share no path must agree.
  const Drawn drawn = draw_solvable();
  const LcpProblem frictionless = with_friction(drawn.problem, 0);
  const LcpSolution a = solve(frictionless), b = solve(frictionless, {.method = LcpMethod::lemke});
  RC_PRE(b.status == LcpStatus::solved);
  // How far apart two valid answers may be. Row by row each is within r σ of a pair (f̂, v̂) that is exactly
  // complementary, in v or in A_ii f. Exact pairs satisfy (f̂₁ − f̂₂)(v̂₁ − v̂₂) ≤ 0, and |v| ≤ σ, A_ii |f| ≤ σ, so
  //   Δfᵀ A Δf = Σ Δf_i Δv_i ≤ 2 r (1 + r) Σ s_i² / A_ii,   s = σ₁ + σ₂,   and   Δv_i² ≤ A_ii Δfᵀ A Δf.
  const VecX s = scale_of(frictionless, a.f) + scale_of(frictionless, b.f);
  const double r = std::max(judge(frictionless, a.f).residual, judge(frictionless, b.f).residual);
  double energy = 0;
  for (int i = 0; i < s.size(); ++i) {
    if (frictionless.A(i, i) > 0) energy += 2 * r * (1 + r) * s[i] * s[i] / frictionless.A(i, i);
  }
  for (int i = 0; i < s.size(); ++i) {
    // v itself is rounded when it is handed out.
    const double rounding = 1e-14 * s[i];
    RC_LOG() << to_string(drawn.id) << ", row " << i << " differs by " << std::abs(a.v[i] - b.v[i]) << "\n";
    RC_ASSERT(std::abs(a.v[i] - b.v[i]) <= std::sqrt(frictionless.A(i, i) * energy) + rounding);
  }
}

RC_GTEST_PROP(LcpSolution, IsTheSameFromEveryWorkspace, ()) {
  const Drawn first = draw(false), second = draw(false);
  LcpWorkspace used;
  LcpSolution from_used;
  solve(first.problem, {}, {}, used, from_used);
  solve(second.problem, {}, {}, used, from_used);
  const LcpSolution fresh = solve(second.problem);
  RC_ASSERT(from_used.f == fresh.f);
  RC_ASSERT(from_used.classes == fresh.classes);
}

RC_GTEST_PROP(LcpSolution, IsValidFromAnyWarmClasses, ()) {
  const Drawn drawn = draw_solvable();
  std::vector<RowClass> classes;
  for (const LcpRow& row : drawn.problem.rows) {
    classes.push_back(
        row.kind == RowKind::tangent
            ? *rc::gen::element(RowClass::stick, RowClass::high, RowClass::low, RowClass::separate)
            : *rc::gen::element(RowClass::clamped, RowClass::separate));
  }
  const LcpSolution solution = solve(drawn.problem, {}, classes);
  RC_LOG() << to_string(drawn.id) << ", stage " << solution.stage << "\n";
  RC_ASSERT(judge(drawn.problem, solution.f).valid);
}

}  // namespace
}  // namespace jade
