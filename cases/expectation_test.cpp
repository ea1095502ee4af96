#include "cases/expectation.h"

#include <cmath>

#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/scenes.h"

// Expectations are held against recordings written by hand, whose errors are known.

namespace jade::cases {
namespace {

using reference::Frame;
using reference::Recording;
using reference::Scheme;

SceneDescription ball_scene() {
  SceneDescription scene;
  scene.name = "ball";
  scene.gravity = Vec3(0, 0, -10);
  scene.bodies = {free_body("ball", 2, Vec3(1, 2, 3))};
  return scene;
}

/// A ball whose height is a given function of time.
Recording moving(const std::function<double(double)>& height, double h = 0.1, int steps = 20,
                 Scheme scheme = Scheme::midpoint) {
  Recording recording;
  recording.info.scheme = scheme;
  for (int i = 0; i <= steps; ++i) {
    Frame frame;
    frame.time = i * h;
    frame.bodies.resize(1);
    frame.bodies[0].position.z() = height(frame.time);
    recording.frames.push_back(frame);
  }
  return recording;
}

Measurement held(const Expectation& e, const std::vector<Recording>& levels) {
  const Mechanism mechanism(ball_scene());
  return e.hold_against({mechanism, levels}, 1);
}

const Quantity kHeight = position_of("ball", 2);

TEST(Equals, FindsTheLargestErrorAndWhenItWas) {
  const Recording r = moving([](double t) { return t + (t == 1.0 ? 0.25 : 0.0); });
  const Expectation exact = equals(kHeight, [](double t) { return t; }, {.absolute = 0.2});
  const Measurement m = held(exact, {r});
  EXPECT_EQ(m.verdict, Verdict::fail);
  EXPECT_NEAR(m.error, 0.25, 1e-15);
  EXPECT_EQ(m.at, 1.0);
  EXPECT_NEAR(m.margin, 1.25, 1e-14);
  EXPECT_NEAR(m.digits, -std::log10(0.25 / 2), 1e-12) << "relative to the largest true value";
}

TEST(Equals, IsNotFooledByNaN) {
  const Recording r = moving([](double t) { return t > 1 ? NAN : t; });
  const Measurement m = held(equals(kHeight, [](double t) { return t; }, {.absolute = 1e9}), {r});
  EXPECT_EQ(m.verdict, Verdict::engine_error);
  EXPECT_NE(m.reason.find("t = 1.1"), std::string::npos) << m.reason;
}

TEST(Conserves, MeasuresDriftFromTheStart) {
  const Recording r = moving([](double t) { return 3 + 0.01 * t; });
  EXPECT_NEAR(held(conserves(kHeight, {.relative = 1e-2}), {r}).error, 0.02, 1e-14);
  EXPECT_EQ(held(conserves(kHeight, {.relative = 1e-2}), {r}).verdict, Verdict::pass);
  EXPECT_EQ(held(conserves(kHeight, {.relative = 1e-3}), {r}).verdict, Verdict::fail);
  EXPECT_EQ(held(conserves(kHeight, {.relative = 1e-3}, 100), {r}).verdict, Verdict::pass)
      << "scale of its own";
}

TEST(NeverIncreases, ComparesWithTheLowestSoFar) {
  EXPECT_EQ(held(never_increases(kHeight, {}), {moving([](double t) { return -t; })}).error, 0);
  // Down by 1, up by 0.3, still below the start.
  const Recording bounce = moving([](double t) { return t < 1 ? -t : -0.7; });
  EXPECT_NEAR(held(never_increases(kHeight, {}), {bounce}).error, 0.2, 1e-12);
}

TEST(StaysAbove, MeasuresHowFarBelowItWent) {
  const Recording r = moving([](double t) { return 1 - t; });
  EXPECT_NEAR(held(stays_above(kHeight, 0, {.absolute = 0.5}), {r}).error, 1, 1e-12);
  EXPECT_EQ(held(stays_above(kHeight, -1.5, {}), {r}).verdict, Verdict::pass);
}

TEST(EndsAt, LooksAtTheLastFrameAloneButNotPastNaN) {
  const Recording r = moving([](double t) { return t < 1.95 ? 7.0 : 3.0; });
  EXPECT_EQ(held(ends_at(kHeight, 3.0, {.absolute = 1e-12}), {r}).verdict, Verdict::pass);
  EXPECT_NEAR(held(ends_at(kHeight, 3.5, {.absolute = 0.1}), {r}).error, 0.5, 1e-12);
  const Recording broken = moving([](double t) { return t < 1.95 ? std::nan("") : 3.0; });
  EXPECT_EQ(held(ends_at(kHeight, 3.0, {.absolute = 1}), {broken}).verdict, Verdict::engine_error);
}

TEST(NeverIntersects, MeasuresTheDeepestOverlapAndWhenItWas) {
  SceneDescription scene = contact_scene("ball", 10, 0, 0);
  scene.bodies = {free_solid("ball", Sphere{0.5}, Vec3(0, 0, 1)), fixed_solid("ground", HalfSpace{})};
  const Mechanism mechanism(scene);
  const auto lowest = [&](double height) {
    std::vector<Recording> levels{moving([=](double t) { return t == 1.0 ? height : 2.0; })};
    for (Frame& frame : levels[0].frames) frame.bodies.resize(2);
    return never_intersects().hold_against({mechanism, levels}, 1);
  };
  EXPECT_EQ(lowest(0.5001).verdict, Verdict::pass);
  EXPECT_EQ(lowest(0.4).verdict, Verdict::fail);
  EXPECT_NEAR(lowest(0.4).error, 0.1, 1e-12);
  EXPECT_EQ(lowest(0.4).at, 1.0);
}

TEST(PeriodEquals, FindsCrossingsBetweenFrames) {
  const double rate = 3.7, period = 2 * std::acos(-1.0) / rate;
  const Recording r = moving([&](double t) { return std::cos(rate * t); }, 0.01, 1000);
  const Measurement m = held(period_equals(kHeight, period, {.relative = 1e-7}), {r});
  EXPECT_EQ(m.verdict, Verdict::pass) << m.error;
  EXPECT_EQ(held(period_equals(kHeight, 1.001 * period, {.relative = 1e-7}), {r}).verdict, Verdict::fail);
}

TEST(PeriodEquals, FailsWhenNothingSwings) {
  const Measurement m =
      held(period_equals(kHeight, 1, {.relative = 0.5}), {moving([](double) { return 1.0; })});
  EXPECT_EQ(m.verdict, Verdict::fail);
  EXPECT_NE(m.reason.find("no period"), std::string::npos);
}

/// Recordings at h, h/2, h/4 whose error is c hᵖ.
std::vector<Recording> with_error_of_order(double p, Scheme scheme) {
  std::vector<Recording> levels;
  for (const int k : {1, 2, 4}) {
    levels.push_back(moving([=](double t) { return t + t * std::pow(0.1 / k, p); }, 0.1, 20, scheme));
  }
  return levels;
}

TEST(Converges, SeesTheOrderAndAsksForThatOfTheScheme) {
  const Expectation e =
      converges_at_order_of_scheme(kHeight, [](double t) { return t; }, {.absolute = 0.1}, {});
  EXPECT_NEAR(held(e, with_error_of_order(2, Scheme::midpoint)).value, 2, 1e-9);
  EXPECT_EQ(held(e, with_error_of_order(2, Scheme::midpoint)).verdict, Verdict::pass);
  EXPECT_EQ(held(e, with_error_of_order(1, Scheme::midpoint)).verdict, Verdict::fail);
  EXPECT_EQ(held(e, with_error_of_order(1, Scheme::semi_implicit_euler)).verdict, Verdict::pass);
  EXPECT_EQ(held(e, with_error_of_order(2, Scheme::explicit_euler)).verdict, Verdict::pass)
      << "better is welcome";
  EXPECT_EQ(held(e, with_error_of_order(0, Scheme::explicit_euler)).verdict, Verdict::fail);
}

TEST(Converges, AcceptsErrorsOfRoundingWithoutAnOrder) {
  const Expectation e =
      converges_at_order_of_scheme(kHeight, [](double t) { return t; }, {.absolute = 0.1}, {.floor = 1e-12});
  const std::vector<Recording> exact(3, moving([](double t) { return t + 1e-15; }));
  EXPECT_EQ(held(e, exact).verdict, Verdict::pass);
}

TEST(Expectation, UsesTheToleranceOfTheEnginesScheme) {
  const Expectation e = equals(kHeight, [](double t) { return t; }, {.absolute = 1e-6})
                            .on(Scheme::semi_implicit_euler, {.absolute = 1})
                            .not_for(Scheme::explicit_euler, "it diverges");
  const auto off = [](double t) { return t + 0.1; };
  EXPECT_EQ(held(e, {moving(off, 0.1, 20, Scheme::midpoint)}).verdict, Verdict::fail);
  EXPECT_EQ(held(e, {moving(off, 0.1, 20, Scheme::other)}).verdict, Verdict::fail);
  EXPECT_EQ(held(e, {moving(off, 0.1, 20, Scheme::semi_implicit_euler)}).verdict, Verdict::pass);
  const Measurement m = held(e, {moving(off, 0.1, 20, Scheme::explicit_euler)});
  EXPECT_EQ(m.verdict, Verdict::not_applicable);
  EXPECT_EQ(m.reason, "it diverges");
}

TEST(Quantity, EnergyAndMomentumAreThoseOfABodyInFlight) {
  const Mechanism mechanism(ball_scene());
  Frame f;
  f.bodies.resize(1);
  f.bodies[0].position = Vec3(1, 0, 3);
  f.bodies[0].orientation = Quat(std::sqrt(0.5), 0, 0, std::sqrt(0.5));  // x of the body is y of the world
  f.bodies[0].velocity = Vec3(0, 2, 0);
  f.bodies[0].angular_velocity = Vec3(0, 1, 0);
  EXPECT_NEAR(total_energy().value(mechanism, f)[0], 0.5 * 2 * 4 + 0.5 * 1 + 2 * 10 * 3, 1e-12);
  EXPECT_LT((linear_momentum().value(mechanism, f) - Vec3(0, 4, 0)).norm(), 1e-14);
  EXPECT_LT((angular_momentum().value(mechanism, f) - Vec3(-12, 1, 4)).norm(), 1e-13);
}

// The whole way, with engines that cheat.

Case falling() {
  return {.name = "falling",
          .scene = ball_scene,
          .time_step = 0.1,
          .steps = 10,
          .expects = {equals(kHeight, [](double t) { return -5 * t * t; }, {.absolute = 1e-9})}};
}

reference::Engine engine_with(const std::function<Recording(const reference::RunRequest&)>& run) {
  return {.name = "mutant", .description = "", .ours = true, .missing = "", .run = run};
}

TEST(RunCase, PassesTheRightEngineAndFailsAWrongOne) {
  const auto fall = [](double g) {
    return engine_with([g](const reference::RunRequest& r) {
      return moving([g](double t) { return -g / 2 * t * t; }, r.time_step, r.steps);
    });
  };
  EXPECT_EQ(run_case(falling(), fall(10)).verdict, Verdict::pass);
  EXPECT_EQ(run_case(falling(), fall(10.0001)).verdict, Verdict::fail);
}

TEST(RunCase, DoesNotAcceptARecordingWithFramesMissingOrMoved) {
  const auto broken = [](const std::function<void(Recording&)>& damage) {
    return engine_with([damage](const reference::RunRequest& r) {
      Recording recording = moving([](double t) { return -5 * t * t; }, r.time_step, r.steps);
      damage(recording);
      return recording;
    });
  };
  EXPECT_EQ(run_case(falling(), broken([](Recording& r) { r.frames.pop_back(); })).verdict,
            Verdict::engine_error);
  EXPECT_EQ(run_case(falling(), broken([](Recording& r) { r.frames.clear(); })).verdict,
            Verdict::engine_error);
  EXPECT_EQ(run_case(falling(), broken([](Recording& r) { r.frames[3].time = NAN; })).verdict,
            Verdict::engine_error);
  EXPECT_EQ(run_case(falling(), broken([](Recording& r) { r.frames[3].time += 0.01; })).verdict,
            Verdict::engine_error);
}

TEST(RunCase, PassesOnWhatAnEngineSaysOfItself) {
  const CaseResult r = run_case(falling(), engine_with([](const reference::RunRequest&) {
                                  Recording recording;
                                  recording.status = reference::RunStatus::not_applicable;
                                  recording.reason = "no gravity here";
                                  return recording;
                                }));
  EXPECT_EQ(r.verdict, Verdict::not_applicable);
  EXPECT_EQ(r.reason, "no gravity here");
}

TEST(RegisterCase, RefusesASecondCaseOfTheSameName) {
  Case c = falling();
  c.name = "registered twice";
  const RegisterCase first{c};
  EXPECT_THROW(RegisterCase{c}, std::invalid_argument);
}

}  // namespace
}  // namespace jade::cases
