/// What holds for the gradient of every two steps of every world that our generators can grow.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/arbitrary_world.h"
#include "gradient_trial/gradient_trial.h"
#include "gradient_trial/two_steps.h"

namespace jade {
namespace {

using generators::arbitrary_world;
using gradient_trial::GradientTrial;
using gradient_trial::try_gradient;

GradientTrial arbitrary_trial(const generators::Climate& climate,
                              const gradient_trial::TrialSettings& settings) {
  const generators::World world = *arbitrary_world(climate);
  const std::uint64_t numbers = *rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>());
  GradientTrial trial = try_gradient(world, numbers, settings);
  RC_PRE(trial.error.empty());
  return trial;
}

RC_GTEST_PROP(StepGradient, IsTheTransposeOfItsVectorProducts, ()) {
  // Sums of the same products in another order.
  RC_ASSERT(arbitrary_trial({.most_things = 3}, {.differences = false}).transpose_error <=
            gradient_trial::TrialSettings{}.transpose_tolerance);
}

RC_GTEST_PROP(StepGradient, AgreesWithDifferences, ()) {
  const GradientTrial trial = arbitrary_trial({.most_things = 3}, {});
  RC_CLASSIFY(trial.regular(), "regular");
  if (!trial.regularity.exists) return;
  for (const gradient_trial::DirectionTrial& direction : trial.directions)
    if (direction.check.differences.smoothness == Smoothness::regular)
      RC_ASSERT(direction.check.error <= gradient_trial::TrialSettings{}.tolerance);
}

/// Something that slides along the floor, spins and touches it without a load: what is pressed into the floor is pushed and
/// braked, what is lifted is not.
struct Touching {
  Shape shape;
  double half_height = 0;
  Vec3 spin;
  double most_friction = 1.5;
};
generators::World touching_world(generators::RandomStream& random, const Touching& what) {
  generators::World world{.scene = {.name = "touching"}, .h = random.uniform(1e-3, 2e-2)};
  SceneDescription& scene = world.scene;
  scene.gravity.setZero();
  scene.materials = {"stuff"};
  scene.pairs = {{"stuff", "stuff", random.uniform(0.1, what.most_friction), random.uniform(0.1, 0.9)}};
  BodyDescription floor{.name = "floor"}, thing{.name = "thing"};
  floor.joint.kind = JointKind::fixed;
  floor.shapes = {{.geometry = HalfSpace{}, .material = "stuff"}};
  const Vec3 v = random.uniform(0.1, 5) * random.vector();
  thing.shapes = {{.geometry = what.shape, .material = "stuff", .density = random.uniform(100, 1e4)}};
  thing.joint.position = {0, 0, what.half_height + StepSettings{}.standoff, 1, 0, 0, 0};
  thing.joint.velocity = {v.x(), v.y(), 0, what.spin.x(), what.spin.y(), what.spin.z()};
  scene.bodies = {floor, thing};
  return world;
}

/// As well as the slopes of both sides are known: an estimate may be too low by ten, as Differences are tested for.
double allowed(const DerivativeCheck& check) {
  return gradient_trial::TrialSettings{}.tolerance + 10 * check.differences.error;
}

/// Two smooth pieces meet where one contact touches, and the gradient is one of them, so that it is never outside of both sides.
/// Where several contacts touch so, more pieces meet than a direction has sides, and no linear map is between them in every
/// direction: of two corners that do, a map between both sides within the cone of what lifts both is a multiple of one, and along
/// the sides of the cone a multiple of one is between them only if the corners' normals are at right angles.
RC_GTEST_PROP(StepGradient, IsBetweenBothSidesWhereOneContactTouchesWithoutALoad, ()) {
  const std::uint64_t numbers = *rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>());
  generators::RandomStream random(numbers);
  const double radius = random.uniform(0.02, 0.5);
  const GradientTrial trial = try_gradient(
      touching_world(random, {Sphere{radius}, radius, 3 * random.vector()}), numbers, {.warm_up = 0});
  RC_ASSERT(trial.error.empty());
  RC_ASSERT(trial.regularity.exists);
  RC_ASSERT(!trial.regularity.regular);
  // Above a millionth of a metre a second what closes is an impact and bounces: some directions leave no room to judge.
  RC_PRE(trial.kink());
  // By parameters alone, a little gravity say, each of the two steps is at a kink of its own, and takes a side of its own.
  for (const std::size_t k : {0, 2}) {
    const DerivativeCheck& check = trial.directions[k].check;
    if (check.judged()) RC_ASSERT(check.error <= allowed(check));
  }
}

/// Along a direction each of several contacts touches or leaves, and so it does in each step: the derivative to either side is
/// the difference of that side, in all directions.
RC_GTEST_PROP(StepAlong, IsTheDifferenceOfEitherSideWhereContactsTouchWithoutALoad, ()) {
  const std::uint64_t numbers = *rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>());
  generators::RandomStream random(numbers);
  const bool ball = random.integer(0, 1) == 0;
  const Vec3 size(random.uniform(0.2, 0.5), random.uniform(0.2, 0.5), random.uniform(0.05, 0.2));
  // A box stays on its face; corners that stand still have no direction to be braked in.
  const Vec3 spin = ball ? Vec3(3 * random.vector()) : Vec3(0, 0, random.uniform(-0.1, 0.1));
  const Shape shape = ball ? Shape(Sphere{0.5 * size.z()}) : Shape(Box{size});
  // A tall box, or one with more friction, would tip.
  const GradientTrial trial = try_gradient(
      touching_world(random, {shape, 0.5 * size.z(), spin, ball ? 1.5 : 0.3}), numbers, {.warm_up = 0});
  RC_ASSERT(trial.error.empty());
  RC_ASSERT(!trial.regularity.regular);
  RC_PRE(trial.kink());
  RC_CLASSIFY(!ball, "four corners");
  for (const gradient_trial::DirectionTrial& direction : trial.directions) {
    if (direction.check.differences.smoothness != Smoothness::kink) continue;
    RC_ASSERT(direction.one_sided_error.has_value());
    // Loads below a ten-billionth of what its speed makes of a contact are none to a step: where differences need steps as small
    // as that they do not settle as well as they are asked to.
    if (direction.check.differences.error > gradient_trial::TrialSettings{}.tolerance) continue;
    RC_ASSERT(*direction.one_sided_error <= allowed(direction.check));
  }
}

/// Worlds of `jade gradient fuzz` in which gradients were wrong, or differences found a kink that need not be there.
TEST(StepGradient, IsRightWhereItWasWrong) {
  constexpr struct {
    std::uint64_t seed, index;
    const char* what;
    bool has_no_kink = true;
    bool touching = true;  ///< Climate::touching
    bool says_so = true;   ///< that it is regular
  } worlds[] = {
      {2, 38, "slips end in segments that hits made shorter", false},
      {1, 54, "slips are stopped at once in a segment that a hit made shorter", false},
      {1, 43, "a bend that was capped, of a solve that nothing else asks for"},
      {1, 12, "a box slides and turns on four corners, whose rows depend on each other, in short segments"},
      {2, 14, "a cylinder slides on its end"},
      {4, 27, "the rim of a cylinder hits the edge of a box", false},
      {6, 51, "a box that rests on four corners is said to stand on two of them", false, true, false},
      {7, 15, "Newton's matrix of a pendulum in a hurry is regular, but has a pivot below zero"},
      {11, 209, "a hull that spins just above the floor takes a sweep some hundred parts of its way"},
      {1, 2, "a hit cuts a segment with contacts, whose levers are those of the part", false},
      {1, 41, "the same", false},
      {22, 198, "the mean velocity of a walker that a slow slide holds contracts by a tenth a pass"},
      {23, 165, "a stack that was hit by another thing and lies still again is solved exactly again", false},
      {21, 38, "the rim of a cylinder that hardly tilts comes near to the face of a box within a segment"},
      {21, 55, "such a rim rolls along a wall, and how its path bends is given back", false, true, false},
      {31, 179, "edges that cross overlap at the end of a path, away from where they were nearest", false,
       false, false},
      {31, 583, "the rim of a cylinder hits the edge of a wall", true, false},
      {31, 401, "a ball that lands where it had left needs next to no friction across its way", true, false,
       false},
      {31, 18, "a ball begins to roll between two steps", true, false},
      {31, 953, "a ball that rolls is lifted a little", true, false},
      {77, 129, "a ring at rest has slip that counts on one side of rest and not on the other", true, false},
      {200, 848, "a box at rest, the same", true, false},
      {200, 932, "stacks at rest, the same", true, false},
      {77, 948, "a capsule on its side tilts, and its ends cannot both stick half-way across their gaps",
       true, false, false},
      {77, 958, "a plate that tilts, the same", true, false, false},
      {101, 1348, "the rim of a cylinder slides on the edge of a mesh", false, false},
      {101, 5862, "a capsule rests on both ends, and friction that it did not need was left at none", true,
       false},
      {101, 1629, "what leaves and falls back many times in a step stood still at the least of all gaps",
       true, false},
      {301, 206, "a cylinder spins just above a face for a thousand looks", true, false},
      {301, 388, "what carried a load is pressed on at the start of a step and not met", false, false},
      {302, 4364, "the lowest point of a rim on a face that turns", true, false},
      {302, 3702, "a cylinder meets the corner of a mesh that is not convex", true, false},
      {303, 766, "all slips of a box end together", true, false},
      {301, 3192,
       "two contacts slide across the line that they are on, and along it nearly depend on each other", true,
       false},
      {403, 691,
       "a prism slides and turns on eight corners whose gaps contradict each other in the last digits", true,
       false},
      {501, 39, "a disc that lands nearly flush touches the floor at its lowest place, between four others",
       true, false},
      {403, 1975, "a mesh that hits a wall flush does so with whichever of its corners is nudged forward",
       false, false, false},
      {402, 910, "more corners are pushed out of the standoff than a face needs, each at a rate of its own",
       true, false},
      {302, 947, "a stack stands by while something else hits the floor", true, false},
      {303, 1802, "the same, of several stacks", true, false},
      {403, 1402, "a ball that lies still is advanced with the same bodies whether it is nudged or not", true,
       false},
      {501, 3309, "a plate slides and turns on four corners, whose shares rounding was magnified into", true,
       false},
      {501, 6911, "the same, each of them pushed out at a rate of its own", true, false},
      {801, 273,
       "two corners hit that nearly ask for the same: what is left is theirs and not the compliance's", true,
       false},
      {601, 988, "a disc that slides and turns has no fifth place where it leans by next to nothing", true,
       false},
      {601, 538, "the lowest place of a rim that is flat at the middle of a segment is that of its start",
       true, false},
      {501, 5602, "a box slips slower than it turns, and hardly at all", true, false},
      // Differences in one direction find another path three ten-millionths away, now that ends of slips do not hide it.
      {402, 2058, "a pole between floor and wall: what was stopped at the start is not stopped again", false,
       false},
      {901, 480, "a hull that slides on a box is held along normals of both", true, false},
      {904, 3085, "the edge of a hull hits a rim: their nearest places are known to all digits", true, false},
      {1101, 3501, "a box lands on four corners that slip in nearly the same direction", true, false},
      {1101, 5045, "a cylinder on its end lets go at two places by less than a millionth of its speed", true,
       false},
      {1501, 12142, "corners that contradict each other open by what is left of it, and rest", true, false},
      {901, 1740, "a plate slides across an edge on more places than it needs, of which one is let go", false,
       false},
      {902, 398, "a capsule that bends differently when it is pressed than when it is lifted", true, false},
      {1301, 221, "slips of a capsule that spins end early on one side and late on the other", true, false},
      {601, 141, "boxes on each other tip: how a face on a face bends, and eight edges that come nearer",
       false, false, false},
      {1101, 3363, "the end of a hull's slip is located a little early, and by chance nearly right", true,
       false},
      {1101, 1711, "a ball is stopped on floor and wall by a mean of six places that contradict each other",
       true, false},
      {1501, 13648, "two bodies spin in one island, and the slower one is not done when the faster one is",
       true, false},
      {1601, 6107, "the rim of a cylinder hits the side of a capsule that lies along it", true, false},
      {1601, 7011, "a stack without friction carries by corners that another one could relieve", true, false},
      {1601, 10193, "a box that rocks is hit: rows do not follow a slip of next to nothing", true, false},
      {1601, 10494, "edges that slide together are hit, and ask for more than any motion gives", true, false},
      {1601, 11916, "the end of a leg leaves the edge of a box for its face while its path bends", true,
       false},
      {1601, 1922, "slips of a box end together, which cuts the path of a spinning body", false, false,
       false},
      {2001, 5607,
       "the rim of a cylinder on a face that turns climbs, and comes near to a mesh that is not convex",
       false, false},
      {2001, 6235, "what slides beside something that is nudged out of its rest is braked along its slip",
       true, false},
      {2001, 18848, "a path bends down to a face of a mesh that is not convex, two micrometres from it", true,
       false},
      {2001, 10238, "a box slides by less than its height is rounded to", true, false},
      {5001, 7870, "a ball hits the side of a cylinder", true, false},
      {5001, 9589, "what pivots without any slip is not stopped: whoever is nudged is not", true, false},
      {5001, 9993, "boxes on each other without friction, whose faces lean by rounding", true, false},
      {3201, 1264,
       "corners of a stack at rest contradict each other by what their gaps are rounded, in a short segment",
       true, false},
      {7001, 2067, "a box turns on another one without friction, on edges whose gaps contradict each other",
       true, false},
      {7001, 18343, "the path of a mesh bends, which ends on one of two places that are as low as each other",
       true, false, false},
      {7001, 21214, "a plate slides on three corners, though it could on four as all its neighbours do", true,
       false},
      {8001, 6325,
       "a tripod slides and turns, held across its slips at three places that depend on each other", true,
       false},
      {8001, 7562, "the same", true, false},
      {8001, 8891, "a capsule slides across the line that it touches along, held there by both ends", true,
       false},
      {2001, 4344, "a tower tips over its diagonal and is hit: friction is at its bound where nothing slips",
       true, false, false},
      {8001, 9550,
       "a box between the floor and what slides over it is hit: friction holds it as much as it takes", true,
       false},
      {6001, 8728, "mean velocities of what spins are settled before their slopes are", true, false},
      {9001, 2588, "a foot that has begun to tip is stopped at places of different heights", true, false},
      {11001, 8037, "what was stopped is stopped again together with a place that was reached since", true,
       false},
      {11001, 8066, "both ends of a capsule strain each other with all the friction that they have", false,
       false, false},
      {11001, 20468,
       "a plate on an edge: rows that nearly depend on each other contradict each other by rounding", true,
       false},
      {11001, 10395,
       "a box hits on four corners of which one carries nothing: others slip, and share the load without it",
       true, false},
      {13001, 4846, "a plate slides on five corners of which two carry nothing", true, false},
      {13001, 13794,
       "rings on each other: where half a gap is left is seen from the edge that is the nearest place", true,
       false},
      {16001, 3035,
       "what rests where a slip ends, and slipped in the segment before that was cut, is not stopped", true,
       false},
      {15001, 134, "a capsule comes back to a plane, half its gap at a time: that is the one below its end",
       true, false},
      {14001, 10981, "the slip of a capsule ends where looks come near to slowly", true, false},
      {6001, 18347, "a vertex of Lemke's opens and slips where it is said to touch and stick", true, false,
       false},
      {11001, 37164, "a body drifts by nanometres a second while it hardly pivots", false, false},
  };
  for (const auto& [seed, index, what, has_no_kink, touching, says_so] : worlds) {
    const GradientTrial trial =
        try_gradient(generators::random_world(seed, index, {.touching = touching, .most_things = 4}),
                     generators::mixed_seed(seed, "gradient", index));
    if (has_no_kink) {
      EXPECT_TRUE(trial.regular()) << what;
    }
    if (says_so) {
      EXPECT_TRUE(trial.regularity.regular) << what << ": " << trial.regularity.why;
    }
    EXPECT_LE(trial.worst(), gradient_trial::TrialSettings{}.tolerance) << what;
  }
}

/// Worlds in which the gradient said the wrong thing of itself, as differences see it.
TEST(StepGradient, SaysWhetherItIsRegularWhereItDidNot) {
  constexpr struct {
    std::uint64_t seed, index;
    bool regular;
    const char* what;
    bool touching = false;
  } worlds[] = {
      {1801, 280, false,
       "a disc slides on its face: which of two places is the lowest decides how its path bends"},
      {1801, 289, false, "the same"},
      {1801, 709, true, "more slips end in a step than are located"},
      {1801, 1010, true, "the same"},
      {1901, 919, true, "the same", true},
      {1901, 408, false, "a stack that nothing presses: what opens by less than gaps are rounded to touches",
       true},
      {1901, 1130, false, "the same, without friction", true},
      {3001, 2614, false, "a box lands flush, too slowly to bounce"},
      {3001, 2971, false, "the same"},
      {3001, 171, false, "slips end together, at a time that looks come near to slowly"},
      {6001, 6825, false, "a ring that sticks to the floor touches a wall without a load"},
      {6001, 15123, false, "the same"},
      {5001, 697, false, "a segment is made shorter by a body that hits flush, and not hit there"},
      {3001, 3135, false,
       "slips end together at once, and the part until then is too short to be pressed in"},
  };
  for (const auto& [seed, index, regular, what, touching] : worlds) {
    const GradientTrial trial =
        try_gradient(generators::random_world(seed, index, {.touching = touching, .most_things = 4}),
                     generators::mixed_seed(seed, "gradient", index), {.differences = false});
    EXPECT_TRUE(trial.regularity.exists) << what;
    EXPECT_EQ(trial.regularity.regular, regular) << what << ": " << trial.regularity.why;
  }
}

/// Products with a vector where they were more than rounding from the Jacobian, or crashed.
TEST(StepGradient, IsTheTransposeWhereItWasNot) {
  constexpr struct {
    std::uint64_t seed, index;
    const char* what;
  } worlds[] = {
      {200, 1694, "how a path bends is forecast anew where the slips that it began with are stopped"},
      {31, 479, "a cylinder rolls on a line, and stopped slips leave some that have a direction"},
      {77, 801, "the same on two places"},
      {77, 948, "the same, of a capsule"},
      {1201, 2186, "a landing ends a slip in every part of a segment, and in every part of that"},
      {402, 1688, "a warm start has more free rows once its classes are exact"},
      {1501, 1718, "Jacobians of a hundred million are rounded as much as products with them"},
  };
  for (const auto& [seed, index, what] : worlds) {
    const generators::World world =
        generators::random_world(seed, index, {.touching = false, .most_things = 4});
    const GradientTrial trial =
        try_gradient(world, generators::mixed_seed(seed, "gradient", index), {.differences = false});
    EXPECT_EQ(trial.error, "") << what;
    EXPECT_TRUE(trial.regularity.exists) << what;
    EXPECT_LE(trial.transpose_error, gradient_trial::TrialSettings{}.transpose_tolerance) << what;
  }
}

/// A gradient that is off by a millionth in one entry is seen.
TEST(GradientTrial, SeesASmallError) {
  const Differences d = differentiate([](double s) { return VecX::Constant(2, std::exp(s)); });
  EXPECT_LE(check_derivative(VecX::Constant(2, 1), d).error, 1e-6);
  EXPECT_GT(check_derivative(Vec2(1, 1 + 2e-6), d).error, 1e-6);
}

TEST(PossibleDirection, KeepsMatterPossible) {
  generators::RandomStream random(3);
  // A plate so thin that most changes of its inertia would break the triangle inequality.
  const SceneDescription scene = [] {
    SceneDescription s{.name = "plate"};
    s.materials = {"stuff"};
    s.pairs = {{"stuff", "stuff", 0.5, 0.5}};
    BodyDescription plate{.name = "plate"};
    plate.shapes = {{.geometry = Box{Vec3(0.3, 0.2, 1e-4)}, .material = "stuff", .density = 1000}};
    s.bodies = {plate};
    return s;
  }();
  const Model model = build_model(scene);
  for (int k = 0; k < 50; ++k) {
    const auto d = gradient_trial::possible_direction(model.bodies()[0].inertia, random);
    for (const double s : {-0.3, 0.3}) {
      std::vector<ParameterValue> values;
      for (int c = 0; c < 10; ++c) {
        const ParameterId id{ParameterKind::inertia, 0, c};
        values.push_back({id, parameter_value(model, id) + s * d[c]});
      }
      EXPECT_NO_THROW((void)model.with(values));
    }
  }
}

}  // namespace
}  // namespace jade
