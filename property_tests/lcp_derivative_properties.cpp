// The derivative of contact impulses through the classes, against differences of whole solves.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/lcp_families.h"
#include "generators/random_stream.h"
#include "jade/lcp/lcp_derivative.h"

namespace jade {
namespace {

/// The rule that picks one of several solutions must not change between the points of a difference.
const LcpSettings kRule{.warm_start = false};

LcpProblem moved(const LcpProblem& problem, const VecX& du, double s) {
  ContactFactors factors = *problem.factors;
  factors.u += s * du;
  return make_contact_problem(std::move(factors), problem.rows);
}

RC_GTEST_PROP(LcpDerivative, AgreesWithDifferencesAwayFromKinks, ()) {
  // Families without redundant slipping corners on light bodies: there a solve is only good to the square root of
  // its residual, which differences cannot look through.
  const std::string name =
      *rc::gen::element<std::string>("random", "wedge", "pinched_plate", "restitution", "stack");
  const auto index = *rc::gen::inRange<std::uint64_t>(0, 100'000);
  const int contacts = *rc::gen::inRange(1, 7);
  const generators::LcpProblemId id{.seed = 5,
                                    .family = generators::lcp_family_named(name)->name,
                                    .index = index,
                                    .max_contacts = contacts,
                                    .exact = true};
  const LcpProblem problem = generators::make_lcp_problem(id);
  const LcpSolution solution = solve(problem, kRule);
  const LcpDerivative derivative(problem, solution);
  RC_PRE(solution.selection == LcpSelection::least_impulse && derivative.distance_to_kink() > 1e-3);

  generators::RandomStream random(index);
  VecX du(problem.factors->u.size());
  for (double& x : du) x = random.normal() * problem.factors->u.lpNorm<Eigen::Infinity>();
  const double step = 1e-6;  // far inside the distance to the kink, the impulse being linear in u within it
  const auto impulse = [&](double s) -> VecX {
    return problem.factors->J.transpose() * solve(moved(problem, du, s), kRule).f;
  };
  for (const double s : {-step, step})
    RC_PRE(solve(moved(problem, du, s), kRule).classes == solution.classes);
  const VecX difference = (impulse(step) - impulse(-step)) / (2 * step);
  const VecX exact = derivative.forward({.u = du}).impulse;
  const double scale = std::max(difference.lpNorm<Eigen::Infinity>(), impulse(0).lpNorm<Eigen::Infinity>());
  RC_LOG() << to_string(id) << ", differs by " << (exact - difference).lpNorm<Eigen::Infinity>() / scale
           << "\n";
  // Rounding of two solves (1e-13 of their size, magnified by the condition of the clamped block) over the step.
  RC_ASSERT((exact - difference).lpNorm<Eigen::Infinity>() <= 1e-4 * scale);
}

RC_GTEST_PROP(LcpDerivative, BackwardIsTheTransposeOfForward, ()) {
  const auto index = *rc::gen::inRange<std::uint64_t>(0, 100'000);
  const std::string name = *rc::gen::element<std::string>("random", "row", "stack", "wedge", "joint_limits");
  const LcpProblem problem = generators::make_lcp_problem(
      {.seed = 6, .family = generators::lcp_family_named(name)->name, .index = index, .max_contacts = 6});
  const LcpSolution solution = solve(problem, kRule);
  RC_PRE(solution.status == LcpStatus::solved);
  const LcpDerivative derivative(problem, solution);
  generators::RandomStream random(index + 1);
  const auto draw = [&](long n) {
    VecX x(n);
    for (double& value : x) value = random.normal();
    return x;
  };
  // Along a bias of its own for each of several redundant rows there is no derivative, but the two products still
  // belong to one linear map.
  const VecX du = draw(problem.factors->u.size()), bar = draw(problem.factors->u.size());
  const VecX dk = draw(problem.size());
  const LcpDerivative::Tangent tangent = derivative.forward({.u = du, .bias = dk});
  const double forward = bar.dot(tangent.impulse);
  const ContactDirection gradient = derivative.backward(VecX(), bar);
  const double backward = gradient.u.dot(du) + gradient.bias.dot(dk);
  // The terms that were summed either way; forces of nearly redundant rows cancel in the impulse.
  const VecX terms = problem.factors->J.cwiseAbs().transpose() * tangent.f.cwiseAbs();
  const double size = std::max(terms.dot(bar.cwiseAbs()), gradient.u.cwiseAbs().dot(du.cwiseAbs()) +
                                                              gradient.bias.cwiseAbs().dot(dk.cwiseAbs()));
  RC_LOG() << name << " " << index << ", differs by " << std::abs(forward - backward) / size << "\n";
  // The same numbers summed in another order, through a solve of condition 1/ε = 1e6 at worst.
  RC_ASSERT(std::abs(forward - backward) <= 1e-8 * size);
}

TEST(LcpDerivative, LiesBetweenTheOneSidedOnesAtAKink) {
  // A block of mass 1 that falls at 2 and slides at 1, μ = ½: f_t = −min(slip, ½ · 2). At slip = 1 the derivative is
  // −1 from the left and 0 from the right.
  ContactFactors factors{MatX::Identity(3, 3), MatX::Identity(3, 3), Vec3(-2, 1, 0), Vec3::Zero()};
  const LcpProblem problem =
      make_contact_problem(std::move(factors), {{.kind = RowKind::normal},
                                                {.kind = RowKind::tangent, .normal = 0, .mu = 0.5},
                                                {.kind = RowKind::tangent, .normal = 0, .mu = 0.5}});
  const LcpDerivative derivative(problem, solve(problem, kRule));
  EXPECT_TRUE(derivative.one_sided());
  const double slope = derivative.forward({.u = Vec3(0, 1, 0)}).f[1];
  EXPECT_GE(slope, -1 - 1e-9);
  EXPECT_LE(slope, 1e-9);
}

}  // namespace
}  // namespace jade
