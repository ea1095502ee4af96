#include <fmt/format.h>

#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/impacts.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.01, kRadius = 0.05, kSpeed = 1;

/// Equal balls in weightlessness on a line, `gap` apart; the first is as far away again and comes in.
SceneDescription row(int balls, double gap) {
  SceneDescription s = contact_scene("balls_in_a_row", 0, 0, 1);
  for (int i = 0; i < balls; ++i) {
    const double x = i * (2 * kRadius + gap) - (i == 0 ? 0.05 : 0);
    s.bodies.push_back(free_solid(fmt::format("ball{}", i + 1), Sphere{kRadius}, Vec3(x, 0, 0),
                                  Vec3(i == 0 ? kSpeed : 0, 0, 0)));
  }
  return s;
}

std::vector<Expectation> end_with(const std::vector<double>& velocities) {
  std::vector<Expectation> expects;
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    expects.push_back(
        ends_at(velocity_of(fmt::format("ball{}", i + 1), 0), velocities[i],
                {.absolute = 1e-10,
                 .covers = Covers::rounding,
                 .why = "each impact exchanges velocities up to rounding; no force acts in between"}));
  }
  const Tolerance rounding{
      .relative = 1e-12, .covers = Covers::rounding, .why = "no force from outside, e = 1"};
  expects.push_back(conserves(linear_momentum(), rounding));
  expects.push_back(conserves(kinetic_energy(), rounding));
  expects.push_back(never_intersects());
  return expects;
}

const RegisterCase cradle{{
    .name = "newtons_cradle",
    .claim = "Through five balls with small gaps the speed of the first passes to the last, one impact after "
             "another.",
    .source = "impacts of equal balls exchange their velocities",
    .scene = [] { return row(5, 0.001); },
    .time_step = kStep,
    .steps = 20,
    .expects = end_with(closed_form::newtons_cradle({kSpeed, 0, 0, 0, 0})),
}};

const Vec3 kAtOnce = closed_form::three_balls_at_once(kSpeed);

const RegisterCase at_once{{
    .name = "three_balls_at_once",
    .claim = "Two balls that touch and are hit by a third take two thirds of its speed each, if all happens "
             "in one instant.",
    .source =
        "Newton's restitution at both contacts at once, which is a model: with any gap it is Newton's cradle",
    .scene = [] { return row(3, kStandoff); },
    .time_step = kStep,
    .steps = 10,
    .expects = end_with({kAtOnce[0], kAtOnce[1], kAtOnce[2]}),
}};

}  // namespace
}  // namespace jade::cases
