#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "jade/model/collision_filter.h"
#include "jade/model/model.h"

namespace jade {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A table that is fixed, an arm of two links on it, and a cube that is free: nothing is wrong with it.
SceneDescription good_scene() {
  const InertiaDescription solid{.mass = 1, .inertia = Vec3(0.1, 0.1, 0.1).asDiagonal()};
  SceneDescription scene{.name = "good"};
  scene.materials = {"wood", "steel"};
  scene.pairs = {{.first = "wood", .second = "steel", .friction = 0.5, .restitution = 0.2},
                 {.first = "steel", .second = "steel", .friction = 0.1, .restitution = 1}};
  scene.bodies = {
      {.name = "table",
       .shapes = {{.geometry = HalfSpace{}, .material = "wood"}},
       .joint = {.kind = JointKind::fixed}},
      {.name = "upper",
       .inertia = solid,
       .shapes = {{.geometry = Capsule{.radius = 0.1, .half_length = 0.3}, .material = "steel"}},
       .joint = {.kind = JointKind::universal,
                 .parent = "table",
                 .position = {0.5, 0},
                 .lower = {-1, -kInf},
                 .upper = {1, 2}}},
      {.name = "lower",
       .inertia = solid,
       .shapes = {{.geometry = Sphere{.radius = 0.1}, .material = "steel"}},
       .joint = {.kind = JointKind::revolute,
                 .parent = "upper",
                 .damping = {0.1},
                 .effort = {{.times = {0, 1}, .values = {0, 2}}}}},
      {.name = "cube",
       .shapes = {{.geometry = Box{.size = Vec3(1, 1, 1)}, .material = "steel", .density = 7800}},
       .joint = {.kind = JointKind::free, .position = {0, 0, 3, 1, 0, 0, 0}}},
  };
  return scene;
}

TEST(CheckScene, FindsNothingWrongWithAGoodScene) {
  for (const Mistake& m : check_scene(good_scene())) ADD_FAILURE() << m.place << ": " << m.problem;
}

/// One change that makes the good scene bad, and the one mistake that is found then.
struct Bad {
  std::string name;
  std::function<void(SceneDescription&)> spoil;
  std::string place, problem;
  // gtest prints this instead of bytes
  friend std::ostream& operator<<(std::ostream& out, const Bad& bad) { return out << bad.name; }
};

class BadScene : public testing::TestWithParam<Bad> {};

TEST_P(BadScene, IsFoundOutAtItsPlace) {
  SceneDescription scene = good_scene();
  GetParam().spoil(scene);
  const std::vector<Mistake> mistakes = check_scene(scene);
  std::string all;
  for (const Mistake& m : mistakes) all += m.place + ": " + m.problem + "; " + m.remedy + "\n";
  ASSERT_EQ(mistakes.size(), 1u) << all;
  EXPECT_EQ(mistakes[0].place, GetParam().place);
  EXPECT_EQ(mistakes[0].problem, GetParam().problem);
  EXPECT_FALSE(mistakes[0].remedy.empty());
}

Shape tetrahedron(double height) {
  return ConvexHull{.points = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.3, 0.3, height)}};
}
TriangleMesh tetrahedron_mesh() {
  return {.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)},
          .triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
}

BodyDescription& table(SceneDescription& s) { return s.bodies[0]; }
BodyDescription& upper(SceneDescription& s) { return s.bodies[1]; }
BodyDescription& lower(SceneDescription& s) { return s.bodies[2]; }
BodyDescription& cube(SceneDescription& s) { return s.bodies[3]; }
const std::string kUpper = "bodies[1] \"upper\"", kLower = "bodies[2] \"lower\"",
                  kCube = "bodies[3] \"cube\"";

#define SPOIL(...) [](SceneDescription& s) { __VA_ARGS__; }

INSTANTIATE_TEST_SUITE_P(
    Numbers, BadScene,
    testing::Values(
        Bad{"gravity", SPOIL(s.gravity[0] = kNan), "gravity", "holds a number that is not finite"},
        Bad{"mass", SPOIL(lower(s).inertia->mass = kNan), kLower + " / inertia / mass", "is nan"},
        Bad{"infinite_mass", SPOIL(lower(s).inertia->mass = kInf), kLower + " / inertia / mass", "is inf"},
        Bad{"inertia", SPOIL(lower(s).inertia->inertia(0, 1) = kNan), kLower + " / inertia / inertia",
            "holds a number that is not finite"},
        Bad{"axis", SPOIL(lower(s).joint.axis[1] = kInf), kLower + " / joint / axis",
            "holds a number that is not finite"},
        Bad{"position", SPOIL(lower(s).joint.position = {kNan}), kLower + " / joint / position[0]", "is nan"},
        Bad{"limit", SPOIL(upper(s).joint.lower[1] = kNan), kUpper + " / joint / lower[1]", "is nan"},
        Bad{"signal", SPOIL(lower(s).joint.effort[0].values[1] = kNan),
            kLower + " / joint / effort[0] / values[1]", "is nan"},
        Bad{"orientation", SPOIL(cube(s).shapes[0].X_BS.orientation.y() = kNan),
            kCube + " / shapes[0] / X_BS / orientation", "holds a number that is not finite"},
        Bad{"radius", SPOIL(lower(s).shapes[0].geometry = Sphere{kNan}),
            kLower + " / shapes[0] / geometry / radius", "is nan"},
        Bad{"density", SPOIL(cube(s).shapes[0].density = kNan), kCube + " / shapes[0] / density", "is nan"},
        Bad{"friction", SPOIL(s.pairs[1].friction = kInf), "pairs[1] / friction", "is inf"}));

INSTANTIATE_TEST_SUITE_P(
    Names, BadScene,
    testing::Values(
        Bad{"no_name", SPOIL(cube(s).name = ""), "bodies[3] / name", "is empty"},
        Bad{"body_twice", SPOIL(cube(s).name = "lower"), "bodies[3] \"lower\" / name",
            "\"lower\" is the name of an earlier body"},
        Bad{"joint_twice", SPOIL(upper(s).joint.name = lower(s).joint.name = "hinge"),
            kLower + " / joint / name", "\"hinge\" is the name of an earlier joint"},
        Bad {
          "shape_twice", SPOIL(cube(s).shapes[0].name = "x"; cube(s).shapes.push_back(cube(s).shapes[0])),
              kCube + " / shapes[1] / name", "\"x\" is the name of an earlier shape of this body"
        },
        Bad{"unknown_parent", SPOIL(lower(s).joint.parent = "uper"), kLower + " / joint / parent",
            "is \"uper\", and no body has that name"},
        Bad{"cycle", SPOIL(upper(s).joint.parent = "lower"), kUpper + " / joint / parent",
            "closes the cycle \"upper\" → \"lower\" → \"upper\""},
        Bad{"own_parent", SPOIL(lower(s).joint.parent = "lower"), kLower + " / joint / parent",
            "closes the cycle \"lower\" → \"lower\""},
        Bad{"never_collide", SPOIL(s.never_collide = {{"cube", "tabel"}}), "never_collide[0]",
            "names \"tabel\", and no body has that name"}));

INSTANTIATE_TEST_SUITE_P(
    Joints, BadScene,
    testing::Values(
        Bad{"zero_axis", SPOIL(lower(s).joint.axis.setZero()), kLower + " / joint / axis", "has length 0"},
        Bad{"zero_second_axis", SPOIL(upper(s).joint.second_axis.setZero()),
            kUpper + " / joint / second_axis", "has length 0"},
        Bad{"parallel_axes", SPOIL(upper(s).joint.second_axis = -2 * upper(s).joint.axis),
            kUpper + " / joint / second_axis", "is parallel to axis"},
        Bad{"slanted_plane",
            SPOIL(lower(s).joint = {.kind = JointKind::planar,
                                    .parent = "upper",
                                    .second_axis = Vec3(0, 1, 1)}),
            kLower + " / joint / second_axis", "is not orthogonal to axis (cosine 0.707)"},
        Bad{"pitch_of_a_hinge", SPOIL(lower(s).joint.pitch = 0.1), kLower + " / joint / pitch",
            "is given for a revolute joint"},
        Bad{"zero_orientation", SPOIL(lower(s).joint.X_PJ.orientation.coeffs().setZero()),
            kLower + " / joint / X_PJ / orientation", "has no direction"},
        Bad{"zero_quaternion", SPOIL(cube(s).joint.position[3] = 0), kCube + " / joint / position",
            "ends with a quaternion w x y z that has no direction"},
        Bad{"short_position", SPOIL(cube(s).joint.position.pop_back()), kCube + " / joint / position",
            "has 6 entries"},
        Bad{"long_velocity", SPOIL(lower(s).joint.velocity = {1, 2}), kLower + " / joint / velocity",
            "has 2 entries"},
        Bad{"short_damping", SPOIL(upper(s).joint.damping = {1}), kUpper + " / joint / damping",
            "has 1 entries"},
        Bad{"short_effort", SPOIL(upper(s).joint.effort = lower(s).joint.effort),
            kUpper + " / joint / effort", "has 1 entries"},
        Bad{"fixed_with_armature", SPOIL(table(s).joint.armature = {1}),
            "bodies[0] \"table\" / joint / armature", "has 1 entries"},
        Bad{"negative_damping", SPOIL(lower(s).joint.damping = {-0.1}), kLower + " / joint / damping[0]",
            "is -0.1"},
        Bad{"negative_stiffness", SPOIL(lower(s).joint.stiffness = {-1}), kLower + " / joint / stiffness[0]",
            "is -1"},
        Bad{"negative_armature", SPOIL(upper(s).joint.armature = {0, -1}), kUpper + " / joint / armature[1]",
            "is -1"},
        Bad{"no_effort", SPOIL(lower(s).joint.effort_limit = {0}), kLower + " / joint / effort_limit[0]",
            "is 0"},
        Bad{"limit_restitution", SPOIL(lower(s).joint.limit_restitution = 1.5),
            kLower + " / joint / limit_restitution", "is 1.5"},
        Bad{"inverted_limits", SPOIL(upper(s).joint.lower[0] = 1), kUpper + " / joint / lower[0]",
            "is 1, not below upper, 1"},
        Bad{"below_limit", SPOIL(upper(s).joint.position[0] = -1.5), kUpper + " / joint / position[0]",
            "starts at -1.5, below the limit -1"},
        Bad{"above_limit", SPOIL(upper(s).joint.position[1] = 2.5), kUpper + " / joint / position[1]",
            "starts at 2.5, above the limit 2"},
        Bad{"zero_outside", SPOIL(lower(s).joint.lower = {0.25}), kLower + " / joint / position[0]",
            "starts at 0, below the limit 0.25"},
        Bad{"limited_ball",
            SPOIL(lower(s).joint = {.kind = JointKind::ball, .parent = "upper", .upper = {1, 1, 1}}),
            kLower + " / joint / upper", "is given for a ball joint"},
        Bad{"sprung_free", SPOIL(cube(s).joint.stiffness = {1, 1, 1, 1, 1, 1}),
            kCube + " / joint / stiffness", "is given for a free joint"},
        Bad{"free_with_parent", SPOIL(cube(s).joint.parent = "table"), kCube + " / joint / parent",
            "is \"table\" for a free joint"},
        Bad{"placed_free", SPOIL(cube(s).joint.X_PJ.position[0] = 1), kCube + " / joint / X_PJ",
            "is given for a free joint"},
        Bad{"placed_free_body", SPOIL(cube(s).joint.X_BK.position[0] = 1), kCube + " / joint / X_BK",
            "is given for a free joint"},
        Bad{"empty_signal", SPOIL(lower(s).joint.effort = {{}}), kLower + " / joint / effort[0] / times",
            "is empty"},
        Bad{"uneven_signal", SPOIL(lower(s).joint.effort[0].values.pop_back()),
            kLower + " / joint / effort[0] / values", "has 1 entries for 2 times"},
        Bad{"still_signal", SPOIL(lower(s).joint.effort[0].times = {1, 1}),
            kLower + " / joint / effort[0] / times[1]", "is 1 after 1"},
        Bad{"jumping_motion", SPOIL(lower(s).joint.motion = {{.times = {0}, .values = {1}}}),
            kLower + " / joint / motion[0] / interpolation", "is \"hold\", which makes velocity jump"},
        Bad{"moved_ball",
            SPOIL(lower(s).joint = {.kind = JointKind::ball,
                                    .parent = "upper",
                                    .motion = {3, {Signal::Interpolation::linear, {0}, {1}}}}),
            kLower + " / joint / motion", "is prescribed for a ball joint"},
        Bad {
          "contrary_velocity",
              SPOIL(lower(s).joint.velocity = {1};
                    lower(s).joint.motion = {{Signal::Interpolation::linear, {-1, 1}, {2, 4}}}),
              kLower + " / joint / velocity[0]", "is 1, but the prescribed motion starts with 3"
        },
        Bad {
          "limited_motion",
              SPOIL(lower(s).joint.upper = {1};
                    lower(s).joint.motion = {{Signal::Interpolation::linear, {0}, {1}}}),
              kLower + " / joint / upper", "is given together with a prescribed motion"
        }));

INSTANTIATE_TEST_SUITE_P(
    Masses, BadScene,
    testing::Values(
        Bad{"negative_mass", SPOIL(lower(s).inertia->mass = -1), kLower + " / inertia / mass", "is -1"},
        Bad{"asymmetric", SPOIL(lower(s).inertia->inertia(0, 1) = 0.01), kLower + " / inertia / inertia",
            "is not symmetric"},
        Bad{"not_positive", SPOIL(lower(s).inertia->inertia.diagonal() << -0.1, 0.2, 0.2),
            kLower + " / inertia / inertia", "has principal moments -0.1, 0.2, 0.2"},
        Bad{"triangle", SPOIL(lower(s).inertia->inertia.diagonal() << 0.1, 0.1, 0.21),
            kLower + " / inertia / inertia",
            "has principal moments 0.1, 0.1, 0.21, the last above the sum of the others"},
        Bad{"hidden_triangle", SPOIL(lower(s).inertia->inertia << 2, 1.5, 0, 1.5, 2, 0, 0, 0, 1),
            kLower + " / inertia / inertia",
            "has principal moments 0.5, 1, 3.5, the last above the sum of the others"},
        Bad{"inertia_without_mass", SPOIL(lower(s).inertia->mass = 0), kLower + " / inertia / inertia",
            "is given without mass"},
        Bad{"no_inertia", SPOIL(cube(s).shapes[0].density.reset()), kCube, "moves and has no mass"},
        Bad{"massless_leaf", SPOIL(lower(s).inertia = InertiaDescription{}), kLower,
            "can move at its revolute joint without moving any mass"},
        Bad{"mass_on_the_axis", SPOIL(lower(s).inertia = InertiaDescription{.mass = 1, .com = Vec3(0, 0, 2)}),
            kLower, "can move at its revolute joint without moving any mass"},
        Bad{"free_point", SPOIL(cube(s).inertia = InertiaDescription{.mass = 1, .com = Vec3(1, 2, 3)}), kCube,
            "can move at its free joint without moving any mass"},
        Bad{"free_rod",
            SPOIL(cube(s).inertia = InertiaDescription{.mass = 1, .inertia = Vec3(1, 1, 0).asDiagonal()}),
            kCube, "can move at its free joint without moving any mass"},
        Bad {
          "ball_point",
              SPOIL(lower(s).joint = {.kind = JointKind::ball, .parent = "upper"};
                    lower(s).inertia = InertiaDescription{.mass = 1, .com = Vec3(1, 2, 3)}),
              kLower, "can move at its ball joint without moving any mass"
        }));

INSTANTIATE_TEST_SUITE_P(
    Shapes, BadScene,
    testing::Values(
        Bad{"radius", SPOIL(lower(s).shapes[0].geometry = Sphere{0}),
            kLower + " / shapes[0] / geometry / radius", "is 0"},
        Bad{"capsule", SPOIL(upper(s).shapes[0].geometry = Capsule{1, -1}),
            kUpper + " / shapes[0] / geometry / half_length", "is -1"},
        Bad{"cylinder", SPOIL(upper(s).shapes[0].geometry = Cylinder{-1, 1}),
            kUpper + " / shapes[0] / geometry / radius", "is -1"},
        Bad{"box", SPOIL(cube(s).shapes[0].geometry = Box{Vec3(1, 0, 1)}),
            kCube + " / shapes[0] / geometry / size", "is [1, 0, 1]"},
        Bad{"moving_half_space", SPOIL(lower(s).shapes[0].geometry = HalfSpace{}),
            kLower + " / shapes[0] / geometry", "is a half-space on a body that moves"},
        Bad{"heavy_half_space", SPOIL(table(s).shapes[0].density = 1),
            "bodies[0] \"table\" / shapes[0] / density", "is given for a half-space, which has no end"},
        Bad{"few_points",
            SPOIL(cube(s).shapes[0].geometry = ConvexHull{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}}),
            kCube + " / shapes[0] / geometry / points", "holds 3 points"},
        Bad{"flat_hull", SPOIL(cube(s).shapes[0].geometry = tetrahedron(0)),
            kCube + " / shapes[0] / geometry / points", "lie in one plane"},
        Bad{"line_hull",
            SPOIL(cube(s).shapes[0].geometry = ConvexHull{{Vec3(0, 0, 0), Vec3(1, 1, 0), Vec3(2, 2, 0),
                                                           Vec3(3, 3, 0)}}),
            kCube + " / shapes[0] / geometry / points", "lie in one plane"},
        Bad{"point_hull", SPOIL(cube(s).shapes[0].geometry = ConvexHull{{4, Vec3(1, 2, 3)}}),
            kCube + " / shapes[0] / geometry / points", "lie in one plane"},
        Bad{"no_mesh", SPOIL(cube(s).shapes[0].geometry = TriangleMesh{}), kCube + " / shapes[0] / geometry",
            "has neither a file nor triangles"},
        Bad {
          "two_meshes",
              SPOIL(TriangleMesh mesh = tetrahedron_mesh(); mesh.file = "a.obj";
                    cube(s).shapes[0].geometry = mesh),
              kCube + " / shapes[0] / geometry", "has both a file and vertices or triangles"
        },
        Bad {
          "missing_file",
              SPOIL(s.folder = "no/such/folder"; cube(s).shapes[0].geometry = TriangleMesh{.file = "a.obj"}),
              kCube + " / shapes[0] / geometry / file", "\"no/such/folder/a.obj\" is no file"
        },
        Bad {
          "scale",
              SPOIL(TriangleMesh mesh = tetrahedron_mesh(); mesh.scale = 0;
                    cube(s).shapes[0].geometry = mesh),
              kCube + " / shapes[0] / geometry / scale", "is 0"
        },
        Bad {
          "index",
              SPOIL(TriangleMesh mesh = tetrahedron_mesh(); mesh.triangles[2] = {1, 2, 4};
                    cube(s).shapes[0].geometry = mesh),
              kCube + " / shapes[0] / geometry / triangles[2]", "is [1, 2, 4] with 4 vertices"
        },
        Bad {
          "thin_triangle",
              SPOIL(TriangleMesh mesh = tetrahedron_mesh(); mesh.triangles[2] = {1, 2, 2};
                    cube(s).shapes[0].geometry = mesh),
              kCube + " / shapes[0] / geometry / triangles[2]", "is [1, 2, 2], which is no triangle"
        },
        Bad{"density", SPOIL(cube(s).shapes[0].density = 0), kCube + " / shapes[0] / density", "is 0"},
        Bad{"orientation", SPOIL(cube(s).shapes[0].X_BS.orientation.coeffs().setZero()),
            kCube + " / shapes[0] / X_BS / orientation", "has no direction"}));

INSTANTIATE_TEST_SUITE_P(
    Materials, BadScene,
    testing::Values(
        Bad{"twice", SPOIL(s.materials.push_back("wood")), "materials[2]",
            "\"wood\" is the name of an earlier material"},
        Bad{"no_name", SPOIL(s.materials.push_back("")), "materials[2]", "is empty"},
        Bad {
          "unknown", SPOIL(s.materials.push_back("stel"); s.pairs.push_back({"stele", "wood", 0, 0})),
              "pairs[2] / first", "is \"stele\", which is not among the materials"
        },
        Bad{"unlisted", SPOIL(s.pairs.pop_back()), "pairs",
            "do not list \"steel\" with \"steel\", which meet when \"upper\" touches \"cube\""},
        Bad{"listed_twice", SPOIL(s.pairs.push_back({"steel", "wood", 0, 0})), "pairs[2]",
            "lists \"steel\" with \"wood\" again"},
        Bad{"friction", SPOIL(s.pairs[0].friction = -0.1), "pairs[0] / friction", "is -0.1"},
        Bad{"restitution", SPOIL(s.pairs[0].restitution = 1.1), "pairs[0] / restitution", "is 1.1"},
        Bad {
          "after_groups",
              SPOIL(lower(s).shapes[0].groups = 0; upper(s).shapes[0].groups = 0;
                    cube(s).shapes[0].groups = 2; s.materials.push_back("ice");
                    table(s).shapes[0].material = "ice"),
              "pairs", "do not list \"ice\" with \"steel\", which meet when \"table\" touches \"cube\""
        }));

/// Changes that leave the scene as good as it was.
TEST(CheckScene, AllowsWhatIsUnusualButClear) {
  const auto count = [](auto&& change) {
    SceneDescription scene = good_scene();
    change(scene);
    return check_scene(scene).size();
  };
  // Armature moves where no mass does; a massless body carries another.
  EXPECT_EQ(count(SPOIL(lower(s).inertia = InertiaDescription{}; lower(s).joint.armature = {0.1})), 0u);
  EXPECT_EQ(count(SPOIL(upper(s).inertia = InertiaDescription{})), 0u);
  // A prescribed joint needs no mass, and may say the velocity that its motion starts with.
  EXPECT_EQ(count(SPOIL(lower(s).inertia = InertiaDescription{}; lower(s).joint.velocity = {3};
                        lower(s).joint.motion = {{Signal::Interpolation::linear, {-1, 1}, {2, 4}}})),
            0u);
  // A thin plate meets the triangle inequality with equality, here with the rounding of its decimals.
  EXPECT_EQ(count(SPOIL(lower(s).inertia->inertia.diagonal() << 0.1, 0.2, 0.3)), 0u);
  // A point mass off the axis, and one that is carried by a weld.
  EXPECT_EQ(count(SPOIL(lower(s).inertia = InertiaDescription{.mass = 1, .com = Vec3(1, 0, 0)})), 0u);
  EXPECT_EQ(count(SPOIL(lower(s).inertia = InertiaDescription{}; BodyDescription tip{.name = "tip"};
                        tip.inertia = InertiaDescription{.mass = 1};
                        tip.joint = {.kind = JointKind::fixed,
                                     .parent = "lower",
                                     .X_PJ = {Vec3(1, 0, 0), Quat::Identity()}};
                        s.bodies.push_back(tip))),
            0u);
  EXPECT_EQ(count(SPOIL(cube(s).shapes[0].geometry = tetrahedron(1))), 0u);
  EXPECT_EQ(count(SPOIL(cube(s).shapes[0].geometry = tetrahedron_mesh())), 0u);
}

TEST(CheckScene, ReadsWhetherAMeshFileIsThere) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "jade_mesh_check";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "tetrahedron.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  std::ofstream(folder / "notes.txt") << "no mesh\n";
  SceneDescription scene = good_scene();
  scene.folder = folder.string();
  cube(scene).shapes[0].geometry = TriangleMesh{.file = "tetrahedron.obj"};
  EXPECT_EQ(check_scene(scene).size(), 0u);
  cube(scene).shapes[0].geometry = TriangleMesh{.file = "notes.txt"};
  EXPECT_EQ(check_scene(scene).size(), 1u);
  std::filesystem::remove_all(folder);
}

TEST(CheckScene, ListsAllMistakesTogether) {
  SceneDescription scene = good_scene();
  scene.gravity[2] = kNan;
  lower(scene).joint.axis.setZero();
  cube(scene).shapes[0].density = -1;
  scene.pairs.clear();
  EXPECT_EQ(check_scene(scene).size(), 5u);  // two pairs are missing
}

TEST(CollisionFilter, KeepsApartWhatCannotOrMustNotMeet) {
  SceneDescription scene = good_scene();
  scene.bodies.push_back({.name = "wall", .joint = {.kind = JointKind::fixed}});
  scene.bodies.push_back({.name = "tip", .joint = {.kind = JointKind::fixed, .parent = "lower"}});
  const auto meet = [&](int a, int b) {
    const CollisionFilter filter(scene);
    EXPECT_EQ(filter.bodies_can_meet(a, b), filter.bodies_can_meet(b, a));
    return filter.bodies_can_meet(a, b);
  };
  EXPECT_FALSE(meet(0, 0));  // a body with itself
  EXPECT_FALSE(meet(0, 4));  // both fixed to the world
  EXPECT_FALSE(meet(2, 5));  // welded
  EXPECT_FALSE(meet(1, 2));  // across a joint
  EXPECT_TRUE(meet(1, 5));   // the joint is with the body that the tip is welded to
  EXPECT_TRUE(meet(0, 2));
  EXPECT_TRUE(meet(3, 0));
  scene.never_collide = {{"table", "cube"}};
  EXPECT_FALSE(meet(3, 0));
  scene.bodies[2].joint.collides_with_parent = true;
  EXPECT_TRUE(meet(1, 2));
  EXPECT_TRUE(CollisionFilter(scene).fixed_to_world(4));
  EXPECT_FALSE(CollisionFilter(scene).fixed_to_world(5));
}

TEST(CollisionFilter, AsksBothShapesForTheirGroups) {
  ShapeDescription a{.groups = 1, .collides_with = 2}, b{.groups = 2, .collides_with = 1};
  EXPECT_TRUE(shapes_can_meet(a, b));
  b.collides_with = 4;
  EXPECT_FALSE(shapes_can_meet(a, b));
  EXPECT_FALSE(shapes_can_meet(b, a));
}

}  // namespace
}  // namespace jade
