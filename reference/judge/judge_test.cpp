#include "reference/judge/judge.h"

#include <gtest/gtest.h>

#include "jade/base/error.h"
#include "jade/math/rotation.h"
#include "reference/judge/voxels.h"

namespace jade::judge {
namespace {

ShapeDescription shape_of(const Shape& geometry) {
  ShapeDescription s;
  s.geometry = geometry;
  return s;
}

BodyDescription body(const std::string& name, const Shape& shape, JointKind joint = JointKind::free) {
  BodyDescription b;
  b.name = name;
  b.shapes.push_back(shape_of(shape));
  b.joint.kind = joint;
  return b;
}

Transform at(const Vec3& p) { return {Mat3::Identity(), p}; }

const Box kCube{Vec3(1, 1, 1)};

/// Two unit cubes in the same place.
SceneDescription twins() {
  SceneDescription scene;
  scene.bodies = {body("a", kCube), body("b", kCube)};
  return scene;
}
int pairs_of(const SceneDescription& scene) { return Judge(scene).pair_count(); }

TEST(Judge, PairsOnlyShapesThatCanMeet) {
  EXPECT_EQ(pairs_of(twins()), 1);

  auto listed = twins();
  listed.never_collide = {{"b", "a"}};
  EXPECT_EQ(pairs_of(listed), 0);

  auto masked = twins();
  masked.bodies[0].shapes[0].groups = 2;
  masked.bodies[1].shapes[0].collides_with = 1;  // one refusal is enough
  EXPECT_EQ(pairs_of(masked), 0);
  masked.bodies[1].shapes[0].collides_with = 3;
  EXPECT_EQ(pairs_of(masked), 1);

  auto jointed = twins();
  jointed.bodies[1].joint.kind = JointKind::revolute;
  jointed.bodies[1].joint.parent = "a";
  EXPECT_EQ(pairs_of(jointed), 0);
  jointed.bodies[1].joint.collides_with_parent = true;
  EXPECT_EQ(pairs_of(jointed), 1);
  jointed.bodies[1].joint.kind = JointKind::fixed;  // welded: they cannot move against each other
  EXPECT_EQ(pairs_of(jointed), 0);

  auto fixed = twins();
  fixed.bodies[0].joint.kind = fixed.bodies[1].joint.kind = JointKind::fixed;
  EXPECT_EQ(pairs_of(fixed), 0);

  auto welded_to_fixed = fixed;
  welded_to_fixed.bodies.push_back(body("c", kCube, JointKind::fixed));
  welded_to_fixed.bodies[2].joint.parent = "b";
  EXPECT_EQ(pairs_of(welded_to_fixed), 0);

  auto compound = twins();
  compound.bodies[0].shapes.push_back(shape_of(Sphere{1}));
  EXPECT_EQ(pairs_of(compound), 2);  // not the two shapes of one body
}

TEST(Judge, ReportsEveryPairAndTheWorst) {
  SceneDescription scene;
  scene.bodies = {body("ground", HalfSpace{}, JointKind::fixed), body("low", kCube), body("high", kCube),
                  body("far", Sphere{0.5})};
  Judge judge(scene);
  const std::vector<Transform> poses{at({0, 0, 0}), at({0, 0, 0.75}), at({0, 0, 2}), at({10, 0, 3})};
  const Judgement all = judge.judge(poses);
  EXPECT_TRUE(all.is_clear());
  ASSERT_EQ(all.pairs.size(), 6u);
  EXPECT_EQ(all.pairs[all.worst].body_a, 0);
  EXPECT_EQ(all.pairs[all.worst].body_b, 1);
  EXPECT_EQ(judge.judge(poses, 0.3).pairs.size(), 2u);

  const Judgement worst = judge.worst(poses);
  ASSERT_EQ(worst.pairs.size(), 1u);
  EXPECT_EQ(worst.pairs[0].body_b, 1);
  EXPECT_NEAR(worst.pairs[0].measured.separation.lower, 0.25, 1e-14);
}

TEST(Judge, PlacesShapesInTheirBodies) {
  SceneDescription scene = twins();
  const double half = std::sqrt(0.5);
  scene.bodies[1].shapes[0].geometry = Box{Vec3(4, 0.5, 0.5)};
  // Turned by 90° about z, written without normalising, and shifted in the body.
  scene.bodies[1].shapes[0].X_BS = {Vec3(0, 3, 0), Quat(3 * half, 0, 0, 3 * half)};
  Judge judge(scene);
  const Mat3 R = rotation_exp(Vec3(0, 0, M_PI));
  // The body's half turn brings the beam from y = 3 to y = −3: it reaches from −5 to −1.
  const Judgement j = judge.judge(std::vector<Transform>{at({0, 0, 0}), {R, Vec3::Zero()}});
  EXPECT_NEAR(j.pairs[0].measured.separation.lower, 0.5, 1e-14);
}

TEST(Judge, CatchesAStateMovedIntoOverlap) {
  SceneDescription scene;
  std::vector<Transform> poses;
  for (int i = 0; i < 27; ++i) {
    scene.bodies.push_back(body("box" + std::to_string(i), kCube));
    const int column = i % 3, row = i / 3 % 3, layer = i / 9;
    poses.push_back(at(Vec3(column, row, layer) * 1.00001));
  }
  Judge judge(scene);
  EXPECT_TRUE(judge.judge(poses).is_clear());
  EXPECT_TRUE(judge.worst(poses).is_clear());
  for (int i = 0; i < 27; ++i) {
    auto moved = poses;
    moved[i].p -= 2e-5 * moved[i].p.cwiseSign();  // inwards, so that a neighbour is hit
    if (moved[i].p == poses[i].p) continue;
    const Judgement j = judge.worst(moved);
    EXPECT_FALSE(j.is_clear()) << i;
    EXPECT_FALSE(judge.judge(moved, 1e-3).is_clear()) << i;
    const PairJudgement& p = j.pairs[j.worst];
    EXPECT_TRUE(p.body_a == i || p.body_b == i) << i;
    EXPECT_NEAR(p.measured.separation.lower, -1e-5, 1e-14) << i;
    // The next state is clear again: nothing is kept from the last one.
    EXPECT_TRUE(judge.worst(poses).is_clear()) << i;
  }
}

TEST(Judge, FindsTheFirstOverlapOnAPath) {
  // A ball crosses a thin plate between two clear ends.
  SceneDescription scene;
  scene.bodies = {body("plate", Box{Vec3(1, 1, 0.002)}, JointKind::fixed), body("ball", Sphere{0.01})};
  Judge judge(scene);
  const auto pose_at = [](double t, std::span<Transform> X) {
    X[0] = at({0, 0, 0});
    X[1] = at({0, 0, 0.5 - t});
  };
  EXPECT_TRUE(judge.judge_path(pose_at, {.begin = 0, .end = 1, .count = 2}).is_clear());
  const PathJudgement path = judge.judge_path(pose_at, {.begin = 0, .end = 1, .count = 1001});
  EXPECT_FALSE(path.is_clear());
  EXPECT_EQ(path.states, 1001);
  // They touch at t = 0.5 − 0.011, where rounding leaves it undecided or shallow; one sample later they overlap.
  EXPECT_NEAR(path.first_overlap, 0.4895, 0.0006);
  EXPECT_NEAR(path.last_clear, path.first_overlap - 0.001, 1e-12);
  EXPECT_NEAR(path.worst_time, 0.5, 1e-12);
  EXPECT_NEAR(path.worst.measured.separation.lower, -0.011, 1e-12);
}

TEST(Judge, SaysWhichBodyIsNotFinite) {
  Judge judge(twins());
  std::vector<Transform> poses{at({0, 0, 0}), at({0, 0, 5})};
  poses[1].p.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(judge.judge(poses).not_finite, 1);
  EXPECT_FALSE(judge.worst(poses).is_clear());
  poses[1] = at({0, 0, 5});
  EXPECT_TRUE(judge.worst(poses).is_clear());
}

TEST(Judge, ReadsMeshFilesThroughTheGivenReader) {
  SceneDescription scene = twins();
  scene.folder = "somewhere";
  scene.bodies[0].shapes[0].geometry = TriangleMesh{"ring.obj", 2, {}, {}};
  const auto reader = [](const TriangleMesh& mesh, const std::string& folder) {
    EXPECT_EQ(mesh.file, "ring.obj");
    EXPECT_EQ(folder, "somewhere");
    return mesh_of(ring());
  };
  Judge judge(scene, reader);
  // The hole is 2 wide, from 2 to 4, now.
  const Judgement j = judge.judge(std::vector<Transform>{at({0, 0, 0}), at({3, 3, 1})});
  EXPECT_NEAR(j.pairs[0].measured.separation.lower, 0.5, 1e-14);
  EXPECT_THROW(Judge{scene}, InvalidInput);
}

TEST(Judge, RefusesSurfacesThatBoundNoSolid) {
  SceneDescription scene = twins();
  TriangleMesh open = mesh_of(ring());
  open.triangles.pop_back();
  scene.bodies[0].shapes[0].geometry = open;
  scene.bodies[1].shapes[0].geometry = ConvexHull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}};
  try {
    Judge judge(scene);
    FAIL() << "an open mesh was taken for a solid";
  } catch (const InvalidInput& e) {
    EXPECT_EQ(e.mistakes().size(), 4u);  // three open edges, and the flat hull
  }
  EXPECT_THROW(Judge(twins()).judge(std::vector<Transform>(3)), InvalidInput);
}

}  // namespace
}  // namespace jade::judge
