#include <functional>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "jade/math/differences.h"
#include "reference/closed_form/impacts.h"
#include "reference/closed_form/sliding.h"
#include "reference/closed_form/thresholds.h"

// Closed forms against something that does not know them: step-by-step simulation with events found by bisection,
// conservation laws, balances of forces written out, Ridders' differences for gradients, and published numbers.

namespace jade::closed_form {
namespace {

/// Time in [0, end] at which a function changes from positive to negative, by bisection.
template <class Function>
double first_zero(const Function& f, double low, double high) {
  for (int i = 0; i < 200; ++i) ((f((low + high) / 2) > 0) ? low : high) = (low + high) / 2;
  return (low + high) / 2;
}

double derivative(const std::function<double(double)>& f, double at, double step) {
  return ridders_derivative([&](double s) { return VecX(VecX::Constant(1, f(at + s))); },
                            {.first_step = step})
      .value[0];
}

constexpr double kDifferences = 1e-9;  // Ridders' extrapolation of smooth functions of order one
constexpr double kRounding = 1e-14;    // a few operations on numbers of order one

// ---- sliding --------------------------------------------------------------------------------------------------

TEST(SlidingBlock, HasThePapersNumbers) {
  const SlidingBlock block{2, 0.16, 9};
  EXPECT_NEAR(block.stop_time(), 1.388889, 5e-7);  // six printed digits
  EXPECT_NEAR(block.stop_distance(), 1.388889, 5e-7);
  EXPECT_NEAR(block.speed(0.01) - block.speed(0), -0.0144, kRounding);
}

TEST(SlidingBlock, LosesItsEnergyToFriction) {
  const SlidingBlock block{1.7, 0.3, 9.81};
  for (const double t : {0.1, 0.4, 0.57}) {
    const double lost = (block.speed0 * block.speed0 - block.speed(t) * block.speed(t)) / 2;
    EXPECT_NEAR(lost, block.friction * block.gravity * block.distance(t), kRounding);
  }
  EXPECT_EQ(block.speed(100), 0);
  EXPECT_NEAR(block.distance(100), block.stop_distance(), kRounding);
}

TEST(SlidingBlock, GradientsMatchDifferences) {
  const SlidingBlock block{1.7, 0.3, 9.81};
  for (const double t : {0.2, 5.0}) {
    EXPECT_NEAR(block.distance_by_friction(t),
                derivative(
                    [&](double mu) {
                      return SlidingBlock{1.7, mu, 9.81}.distance(t);
                    },
                    0.3, 0.02),
                kDifferences);
    EXPECT_NEAR(block.distance_by_speed(t),
                derivative(
                    [&](double v) {
                      return SlidingBlock{v, 0.3, 9.81}.distance(t);
                    },
                    1.7, 0.1),
                kDifferences);
  }
  EXPECT_NEAR(block.stop_distance_by_friction(), block.distance_by_friction(5), kRounding);
  EXPECT_NEAR(block.stop_distance_by_speed(), block.distance_by_speed(5), kRounding);
}

TEST(PushedCubes, HaveThePapersNumbers) {
  const PushedCubes cubes;
  ASSERT_TRUE(cubes.they_meet());
  EXPECT_NEAR(cubes.impact_time(), 0.277778, 5e-7);
  EXPECT_NEAR(cubes.speed_before(), 1.6, kRounding);
  EXPECT_NEAR(cubes.pushed_after().speed0, 0.8, kRounding);
  EXPECT_NEAR(cubes.pusher_after().speed0, 0.8, kRounding);
  EXPECT_NEAR(cubes.pushed_after().stop_distance(), 0.222222, 5e-7);
  EXPECT_NEAR(cubes.rest_time(), 0.833333, 5e-7);
}

TEST(PushedCubes, AgreeWithTimeStepping) {
  const PushedCubes cubes{.speed0 = 2, .gap = 0.5, .friction = 0.16, .gravity = 9, .restitution = 0.4};
  const double h = 1e-6, brake = cubes.friction * cubes.gravity * h;
  double x = 0, v = cubes.speed0, y = cubes.gap, w = 0, t = 0, impact = -1;
  while (v > 0 || w > 0) {
    if (x >= y && v > w) {
      impact = t;
      const double closing = v - w, mean = (v + w) / 2;
      v = mean - cubes.restitution * closing / 2;
      w = mean + cubes.restitution * closing / 2;
    }
    x += h * v, y += h * w, t += h;
    v = std::max(0.0, v - brake), w = std::max(0.0, w - brake);
  }
  // First-order stepping: errors of a few steps.
  EXPECT_NEAR(impact, cubes.impact_time(), 1e-5);
  EXPECT_NEAR(t, cubes.rest_time(), 1e-5);
  EXPECT_NEAR(y - cubes.gap, cubes.pushed_after().stop_distance(), 1e-5);
  EXPECT_NEAR(x - cubes.gap, cubes.pusher_after().stop_distance(), 1e-5);
}

TEST(SlidingSphere, AgreesWithTimeStepping) {
  const SlidingSphere sphere{3, 0.25, 9.81};
  const double h = 1e-6;
  double x = 0, v = sphere.speed0, rim = 0, t = 0;
  for (; v > rim; t += h) {
    // Force −μ m g at the foot: m v' = −F, (2/5) m r² ω' = F r.
    const double force = sphere.friction * sphere.gravity;
    x += h * v, v -= h * force, rim += h * force / 0.4;
  }
  EXPECT_NEAR(t, sphere.rolling_time(), 1e-5);
  EXPECT_NEAR(v, sphere.rolling_speed(), 1e-5);
  EXPECT_NEAR(x, sphere.sliding_distance(), 1e-5);
  EXPECT_NEAR(sphere.speed(t), sphere.rim_speed(t), 1e-5);
  EXPECT_NEAR(sphere.distance(2),
              sphere.sliding_distance() + sphere.rolling_speed() * (2 - sphere.rolling_time()), kRounding);
}

// ---- impacts --------------------------------------------------------------------------------------------------

/// Bounce after bounce, each impact found by bisection on the height.
BouncingBall::State bounced(const BouncingBall& ball, double T) {
  double y = ball.height, v = ball.velocity, left = T;
  while (true) {
    const auto height = [&](double t) { return y + v * t - ball.gravity * t * t / 2; };
    const double apex = std::max(0.0, v / ball.gravity);
    if (left <= apex || height(left) > 0) return {height(left), v - ball.gravity * left};
    const double impact = first_zero(height, apex, left);
    v = -ball.restitution * (v - ball.gravity * impact);
    y = 0;
    left -= impact;
  }
}

TEST(BouncingBall, AgreesWithEventsFoundByBisection) {
  for (const double e : {1.0, 0.8})
    for (const double v0 : {0.0, 1.5, -2.0})
      for (const double T : {0.1, 0.7, 1.9, 3.0}) {
        const BouncingBall ball{0.9, v0, e, 9.81};
        // Each bisected impact is off by an ulp of time, times a speed of a few metres per second.
        EXPECT_NEAR(ball.at(T).height, bounced(ball, T).height, 1e-13) << e << " " << v0 << " " << T;
        EXPECT_NEAR(ball.at(T).velocity, bounced(ball, T).velocity, 1e-13) << e << " " << v0 << " " << T;
      }
}

TEST(BouncingBall, KeepsItsEnergyWhenElastic) {
  const BouncingBall ball{0.25, 0.3, 1, 9.81};
  const auto energy = [&](double t) {
    return 9.81 * ball.at(t).height + ball.at(t).velocity * ball.at(t).velocity / 2;
  };
  for (const double t : {0.5, 1.0, 3.0}) EXPECT_NEAR(energy(t), energy(0), 1e-13);
}

TEST(BouncingBall, GradientsMatchDifferencesAndThePublishedNumber) {
  const BouncingBall ball{1, 0, 0.8, 9.81};
  EXPECT_NEAR(ball.gradient_after_first_bounce(0.7).by_height, 0.190552, 5e-7);
  for (const double v0 : {0.0, 0.8, -1.2}) {
    const double T = 0.9;
    const auto gradient = BouncingBall{1, v0, 0.8, 9.81}.gradient_after_first_bounce(T);
    EXPECT_NEAR(gradient.by_height,
                derivative(
                    [&](double h) {
                      return bounced({h, v0, 0.8, 9.81}, T).height;
                    },
                    1, 0.02),
                kDifferences);
    EXPECT_NEAR(gradient.by_velocity,
                derivative(
                    [&](double v) {
                      return bounced({1, v, 0.8, 9.81}, T).height;
                    },
                    v0, 0.02),
                kDifferences);
    EXPECT_NEAR(gradient.by_restitution,
                derivative(
                    [&](double e) {
                      return bounced({1, v0, e, 9.81}, T).height;
                    },
                    0.8, 0.02),
                kDifferences);
  }
}

TEST(BouncingBall, EndsAtTheSumOfAllFlights) {
  const BouncingBall ball{1, 0, 0.5, 9.81};
  EXPECT_NEAR(ball.end_of_bouncing(), 1.354571, 5e-7);
  EXPECT_NEAR(ball.end_of_bouncing(), std::sqrt(2 / 9.81) * 3, kRounding);
  double t = std::sqrt(2 / 9.81), speed = std::sqrt(2 * 9.81);
  for (int k = 0; k < 80; ++k) speed *= 0.5, t += 2 * speed / 9.81;
  EXPECT_NEAR(t, ball.end_of_bouncing(), kRounding);
  EXPECT_EQ(ball.at(1.36).height, 0);
  EXPECT_EQ(ball.at(1.36).velocity, 0);
}

TEST(DriftingBall, IsReflectedWithItsGradients) {
  const DriftingBall ball{0.6, 2, 0.7};
  const double T = 0.8, impact = ball.height / ball.speed;
  EXPECT_NEAR(ball.after_bounce(T), ball.restitution * ball.speed * (T - impact), kRounding);
  EXPECT_NEAR(ball.by_height(),
              derivative(
                  [&](double h) {
                    return DriftingBall{h, 2, 0.7}.after_bounce(T);
                  },
                  0.6, 0.1),
              kDifferences);
  EXPECT_NEAR(ball.by_speed(T),
              derivative(
                  [&](double v) {
                    return DriftingBall{0.6, v, 0.7}.after_bounce(T);
                  },
                  2, 0.1),
              kDifferences);
  EXPECT_NEAR(ball.by_restitution(T),
              derivative(
                  [&](double e) {
                    return DriftingBall{0.6, 2, e}.after_bounce(T);
                  },
                  0.7, 0.1),
              kDifferences);
}

TEST(NewtonsCradle, IsTheOutcomeOfPairwiseCollisions) {
  const std::vector<double> before{1.0, 0.25, 0, 0, -0.5};
  std::vector<double> v = before;
  for (bool hit = true; hit;) {
    hit = false;
    for (std::size_t i = 0; i + 1 < v.size(); ++i)
      if (v[i] > v[i + 1]) std::swap(v[i], v[i + 1]), hit = true;  // equal masses, e = 1
  }
  EXPECT_EQ(newtons_cradle(before), v);
  EXPECT_EQ(newtons_cradle({1, 0, 0}), (std::vector<double>{0, 0, 1}));
}

TEST(ThreeBallsAtOnce, SolveTheImpactLawOfBothContacts) {
  // Impulses f₁, f₂ ≥ 0 between neighbours of mass 1: J Jᵀ f = b with rows (−1, 1, 0), (0, −1, 1) and
  // b = required separation speeds − present ones = (2, 0).
  const Eigen::Matrix2d A{{2, -1}, {-1, 2}};
  const Vec2 f = A.inverse() * Vec2(2, 0);
  ASSERT_TRUE((f.array() >= 0).all());
  const Vec3 after(1 - f[0], f[0] - f[1], f[1]);
  EXPECT_LT((after - three_balls_at_once(1)).norm(), kRounding);
  EXPECT_NEAR(three_balls_at_once(3).sum(), 3, kRounding);
  EXPECT_NEAR(three_balls_at_once(3).squaredNorm(), 9, kRounding);
}

// ---- billiards ------------------------------------------------------------------------------------------------

/// The same shot by bisection on the distance of the balls and an impulse along the line of centres.
Vec2 simulated_position(const Billiards& table, const Vec2& v) {
  const auto gap = [&](double t) { return (table.start + t * v).norm() - 2 * table.radius - table.standoff; };
  const double nearest = -table.start.dot(v) / v.squaredNorm();
  const double t = first_zero(gap, 0, nearest);
  const Vec2 line = -(table.start + t * v).normalized();
  const double impulse = (1 + table.restitution) * v.dot(line) / 2;  // two masses of 1: reduced mass 1/2
  return (table.duration - t) * impulse * line;
}

TEST(Billiards, AgreesWithSimulationByBisection) {
  for (const double e : {1.0, 0.6})
    for (const double standoff : {0.0, 1e-5})
      for (const Vec2& v : {Vec2(4, -0.1), Vec2(4, -0.7), Vec2(3, 0.5)}) {
        const Billiards table{.standoff = standoff, .restitution = e};
        ASSERT_TRUE(table.shoot(v).hits);
        EXPECT_LT((table.shoot(v).position - simulated_position(table, v)).norm(), 1e-13);
        for (int i = 0; i < 2; ++i) {
          const Derivative d = ridders_derivative(
              [&](double s) { return VecX(simulated_position(table, v + s * Vec2::Unit(i))); },
              {.first_step = 0.02});
          EXPECT_LT((table.shoot(v).by_velocity.col(i) - d.value).norm(), kDifferences);
        }
      }
}

TEST(Billiards, HasThePublishedLossAndGradient) {
  const Billiards table;
  const Vec2 v(4, -0.1);
  EXPECT_NEAR(table.loss(v), 0.648618, 5e-7);
  EXPECT_LT((table.loss_gradient(v) - Vec2(0.767378, 1.520472)).lpNorm<Eigen::Infinity>(), 5e-7);
  const Eigen::Matrix2d published{{0.200517, 0.080719}, {0.005690, -0.370126}};
  EXPECT_LT((table.shoot(v).by_velocity - published).lpNorm<Eigen::Infinity>(), 5e-7);
  EXPECT_NEAR(Billiards{.standoff = 1e-5}.loss(v), 0.648674, 5e-7);
}

/// The optimum by Newton's method on the simulated position, with a Jacobian from differences.
Vec2 optimum_by_newton(const Billiards& table) {
  Vec2 v(4, -0.7);
  for (int i = 0; i < 20; ++i) {
    Eigen::Matrix2d jacobian;
    for (int k = 0; k < 2; ++k)
      jacobian.col(k) = (simulated_position(table, v + 1e-5 * Vec2::Unit(k)) -
                         simulated_position(table, v - 1e-5 * Vec2::Unit(k))) /
                        2e-5;
    v -= jacobian.inverse() * (simulated_position(table, v) - table.target);
  }
  return v;
}

TEST(Billiards, PerfectVelocityIsTheRootThatNewtonFinds) {
  for (const double standoff : {0.0, 1e-5}) {
    const Billiards table{.standoff = standoff};
    EXPECT_LT((table.perfect_velocity() - optimum_by_newton(table)).norm(),
              1e-11);  // bisection noise over |∂p/∂v|
    EXPECT_LT(table.loss(table.perfect_velocity()), 1e-25);
  }
  EXPECT_LT((Billiards{}.perfect_velocity() - Vec2(4.0369856, -0.7068662)).lpNorm<Eigen::Infinity>(), 5e-8);
  EXPECT_NEAR(Billiards{}.shoot(Billiards{}.perfect_velocity()).impact_time, 0.0784731, 5e-8);
  EXPECT_LT((Billiards{.standoff = 1e-5}.perfect_velocity() - Vec2(4.0369850, -0.7069554))
                .lpNorm<Eigen::Infinity>(),
            5e-8);
}

TEST(Billiards, ShowsWhatThePapersAnswersReach) {
  const Billiards table;
  const auto error = [&](const Vec2& v) { return (table.shoot(v).position - table.target).norm(); };
  EXPECT_NEAR(error({4, -0.7003}), 5.39e-3, 5e-6);
  EXPECT_NEAR(error({4, -0.693503}), 3.440e-3, 5e-7);
  EXPECT_NEAR(error({4, -0.6285}), 37.9e-3, 5e-5);
  // With the first component held, no other second one is better.
  EXPECT_NEAR(derivative([&](double y) { return table.loss({4, y}); }, -0.693503, 0.01), 0, 5e-5);
  EXPECT_FALSE(table.shoot({4, 3}).hits);
  EXPECT_FALSE(table.shoot({-4, 0}).hits);
}

// ---- thresholds -----------------------------------------------------------------------------------------------

TEST(Incline, FollowsTheBalanceOfForcesAndMoments) {
  const double m = 2, g = 9.81, w = 0.4, h = 1;
  for (int step = 0; step < 32; ++step)
    for (const double mu : {0.1, 0.3, 0.5, 0.9}) {
      const double angle = 0.02 + 0.037 * step;
      const Incline incline{angle, mu, g};
      const double down = m * g * std::sin(angle), normal = m * g * std::cos(angle);
      const double friction = std::min(down, mu * normal);
      EXPECT_EQ(incline.sticks(), friction == down);
      EXPECT_NEAR(incline.acceleration(), (down - friction) / m, 1e-13);
      // Moments about the centre: friction (h/2) is balanced by the normal force at most w/2 below it.
      EXPECT_EQ(incline.tips(w, h), friction * h / 2 > normal * w / 2) << angle << " " << mu;
    }
}

TEST(Grip, HoldsThePapersPlateFromHalfANewton) {
  const Grip grip;
  EXPECT_NEAR(grip.least_force(0), 0.5, kRounding);
  EXPECT_FALSE(grip.holds(0.49, 0));
  EXPECT_TRUE(grip.holds(0.51, 0));
  EXPECT_FALSE(grip.holds(0.51, 1));
}

TEST(Overhang, PutsEachUpperStackOnTheEdgeBelow) {
  const double w = 2;
  for (const int n : {1, 2, 5, 10}) {
    // Right ends of the blocks, top first, from the formula's differences; block n overhangs the table's edge at 0.
    std::vector<double> end;
    for (int k = 1; k <= n; ++k) end.push_back(overhang(n, w) - (k > 1 ? overhang(k - 1, w) : 0));
    double sum = 0;
    for (int k = 1; k <= n; ++k) {
      sum += end[k - 1] - w / 2;
      const double edge_below = k < n ? end[k] : 0;
      EXPECT_NEAR(sum / k, edge_below, 1e-14) << n << " " << k;
    }
  }
  EXPECT_NEAR(stack_load(10, 0.5, 9.81), 10 * 0.5 * 9.81, kRounding);
}

TEST(PainleveRod, LosesItsSolutionAtTheThreshold) {
  // Rigid-body response at the sliding end to a normal force N and friction μ N against the slip.
  const auto lift_per_force = [](double angle, double mu) {
    const double m = 1.3, l = 0.8, inertia = m * l * l / 12;
    const Vec2 r(-l / 2 * std::cos(angle), -l / 2 * std::sin(angle));  // end from the centre
    // The rod leans back from its motion: the end slides towards −x, friction pushes it towards +x.
    const Vec2 force(mu, 1);
    const double spin = (r.x() * force.y() - r.y() * force.x()) / inertia;
    return force.y() / m + spin * r.x();
  };
  for (const double angle : {0.6, 0.9, std::atan(2.0), 1.3}) {
    const double threshold = first_zero([&](double mu) { return lift_per_force(angle, mu); }, 0, 100);
    EXPECT_NEAR(painleve_friction(angle), threshold, 1e-13) << angle;
  }
  EXPECT_NEAR(painleve_friction(std::atan(2.0)), 4.0 / 3, 1e-14);
}

// ---- gradients of tasks -----------------------------------------------------------------------------------------

TEST(BetweenWalls, GradientsMatchAWalkFromWallToWall) {
  // Position after time T, one straight piece after the other.
  const auto walk = [](double start, double speed, double e, double T) {
    double x = start, v = speed, left = T;
    while (true) {
      const double until = v > 0 ? (1 - x) / v : -x / v;
      if (until >= left) return x + v * left;
      x = v > 0 ? 1 : 0;
      v = -e * v;
      left -= until;
    }
  };
  const BetweenWalls walls{.room = 1, .start = 0.3, .speed = 3, .restitution = 0.7};
  EXPECT_LT(walls.second_bounce(), 1);
  EXPECT_NEAR(walls.after_two_bounces(1), walk(0.3, 3, 0.7, 1), kRounding);
  EXPECT_NEAR(walls.by_start(), derivative([&](double x) { return walk(x, 3, 0.7, 1); }, 0.3, 0.02),
              kDifferences);
  EXPECT_NEAR(walls.by_speed(1), derivative([&](double v) { return walk(0.3, v, 0.7, 1); }, 3, 0.05),
              kDifferences);
  EXPECT_NEAR(walls.by_restitution(1), derivative([&](double e) { return walk(0.3, 3, e, 1); }, 0.7, 0.02),
              kDifferences);
}

TEST(PushedBall, TravelsAsStepsOfTheMotionSay) {
  const PushedBall push{.force = 4, .gap = 1};
  const double t1 = first_zero([](double t) { return 1 - 2 * t * t; }, 0, 1);
  EXPECT_NEAR(push.travel(1), 4 * t1 * (1 - t1), 1e-12);
  EXPECT_NEAR(push.cost_by_force(1, 1.4, 0.1),
              derivative(
                  [](double f) {
                    return PushedBall{f, 1}.cost(1, 1.4, 0.1);
                  },
                  4, 0.1),
              kDifferences);
}

TEST(SlidingSphere, GradientsMatchDifferences) {
  const SlidingSphere ball{3, 0.2, 9.81};
  EXPECT_NEAR(ball.distance_by_speed(1),
              derivative(
                  [](double v) {
                    return SlidingSphere{v, 0.2, 9.81}.distance(1);
                  },
                  3, 0.05),
              kDifferences);
  EXPECT_NEAR(ball.distance_by_friction(1),
              derivative(
                  [](double mu) {
                    return SlidingSphere{3, mu, 9.81}.distance(1);
                  },
                  0.2, 0.01),
              kDifferences);
}

}  // namespace
}  // namespace jade::closed_form
