#include "jade/model/scene_json.h"

#include <bit>
#include <filesystem>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "jade/base/error.h"
#include "jade/model/scene_fields.h"

namespace jade {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Fills every field with something arbitrary, whether or not it makes sense: any bits in a number, quotes and
/// line ends in a name.
class Scrambler {
 public:
  explicit Scrambler(std::uint64_t seed) : random_(seed) {}

  void operator()(const char*, auto& member, Need) { fill(member); }

  void fill(double& x) {
    // Any sign, exponent and digits; NaN has no equality, so it has a test of its own.
    x = below(8) == 0 ? std::array{0.0, -0.0, kInf, -kInf, 5e-324}[below(5)]
                      : std::bit_cast<double>(random_());
    if (x != x) x = 0.1;
  }
  void fill(bool& x) { x = below(2) == 1; }
  void fill(int& x) { x = static_cast<int>(random_()); }
  void fill(std::uint32_t& x) { x = static_cast<std::uint32_t>(random_()); }
  void fill(std::string& x) {
    x.clear();
    for (std::size_t n = below(5); n > 0; --n)
      x += std::array{"a", "\"", "\\", "\n", ", ", ": ", "é", "[", "}"}[below(9)];
  }
  void fill(Vec3& x) { fill_all(x.reshaped()); }
  void fill(Quat& x) { fill_all(x.coeffs().reshaped()); }
  void fill(Mat3& x) { fill_all(x.reshaped()); }
  template <class E>
  requires std::is_enum_v<E>
  void fill(E& x) { x = static_cast<E>(below(enum_names(x).size())); }
  template <class T>
  void fill(std::vector<T>& x) {
    x.resize(below(3));
    for (T& item : x) fill(item);
  }
  template <class T, std::size_t n>
  void fill(std::array<T, n>& x) {
    for (T& item : x) fill(item);
  }
  template <class T>
  void fill(std::optional<T>& x) {
    if (below(2) == 1) fill(x.emplace());
  }
  void fill(Shape& x) {
    const std::array<Shape, 7> kinds{Sphere{},    Capsule{},    Box{},         Cylinder{},
                                     HalfSpace{}, ConvexHull{}, TriangleMesh{}};
    x = kinds[below(kinds.size())];
    std::visit([&](auto& s) { each_field(*this, s); }, x);
  }
  template <class T>
  requires std::is_class_v<T>
  void fill(T& part) { each_field(*this, part); }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  void fill_all(auto&& entries) {
    for (double& x : entries) fill(x);
  }

  std::mt19937_64 random_;
};

RC_GTEST_PROP(SceneJson, ComesBackBitForBit, (std::uint64_t seed)) {
  SceneDescription scene;
  Scrambler(seed).fill(scene);
  const std::string text = scene_to_json(scene);
  const SceneDescription back = scene_from_json(text);
  RC_ASSERT(back == scene);
  // Equality takes −0 for 0; the text does not.
  RC_ASSERT(scene_to_json(back) == text);
}

/// A scene in which no field keeps its default, written by hand: it tells when a field is forgotten.
SceneDescription full_scene() {
  SceneDescription scene;
  scene.name = "full";
  scene.gravity = Vec3(0.1, -0.0, 1.0 / 3.0);
  scene.materials = {"steel", "ice"};
  scene.pairs = {{.first = "steel", .second = "ice", .friction = 0.05, .restitution = 0.5}};
  scene.never_collide = {{"base", "lid"}};

  BodyDescription base{.name = "base"};
  base.joint.kind = JointKind::fixed;
  base.shapes.resize(7);
  base.shapes[0].geometry = Sphere{.radius = 0.1};
  base.shapes[1].geometry = Capsule{.radius = 0.2, .half_length = 0.3};
  base.shapes[2].geometry = Box{.size = Vec3(1, 2, 3)};
  base.shapes[3].geometry = Cylinder{.radius = 0.4, .half_length = 0.5};
  base.shapes[4].geometry = HalfSpace{};
  base.shapes[5].geometry =
      ConvexHull{.points = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}};
  base.shapes[6].geometry = TriangleMesh{.file = "lid.obj",
                                         .scale = 0.001,
                                         .vertices = {Vec3(1, 2, 3)},
                                         .triangles = {{0, 1, 2}},
                                         .normals = MeshNormals::smooth};
  for (ShapeDescription& shape : base.shapes)
    shape = {.name = "s",
             .geometry = shape.geometry,
             .X_BS = {Vec3(1, 2, 3), Quat(0.5, 0.5, 0.5, 0.5)},
             .material = "ice",
             .density = 917,
             .groups = 6,
             .collides_with = 1u << 31};

  BodyDescription lid{.name = "lid"};
  lid.inertia = InertiaDescription{.mass = 2, .com = Vec3(1, 0, 0), .inertia = Vec3(1, 2, 2.5).asDiagonal()};
  lid.joint = {.name = "hinge",
               .kind = JointKind::universal,
               .parent = "base",
               .X_PJ = {Vec3(1, 0, 0), Quat(0, 1, 0, 0)},
               .X_BK = {Vec3(0, 1, 0), Quat(0, 0, 1, 0)},
               .axis = Vec3(1, 2, 3),
               .second_axis = Vec3(3, 2, 1),
               .pitch = 0.01,
               .position = {0.1, 0.2},
               .velocity = {0.3, 0.4},
               .damping = {0.5, 0.6},
               .stiffness = {0.7, 0.8},
               .rest_position = {0.9, 1.1},
               .armature = {1.2, 1.3},
               .effort_limit = {1.4, kInf},
               .lower = {-kInf, -1.5},
               .upper = {kInf, 1.6},
               .limit_restitution = 0.17,
               .effort = {{Signal::Interpolation::linear, {0, 1}, {2, 3}}, {}},
               .motion = {{Signal::Interpolation::hold, {0.5}, {0.25}}},
               .collides_with_parent = true};
  scene.bodies = {base, lid};
  return scene;
}

TEST(SceneJson, KeepsEveryField) {
  const SceneDescription scene = full_scene();
  const SceneDescription back = scene_from_json(scene_to_json(scene));
  EXPECT_EQ(back.bodies[0], scene.bodies[0]);
  EXPECT_EQ(back.bodies[1], scene.bodies[1]);
  EXPECT_EQ(back, scene);
}

TEST(SceneJson, KeepsNotANumberForTheCheckToFind) {
  SceneDescription scene = full_scene();
  scene.gravity[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(scene_from_json(scene_to_json(scene)).gravity[1]));
}

TEST(SceneJson, ReadsWhatAPersonWrites) {
  const SceneDescription scene = scene_from_json(R"({
    "schema": 1,
    "name": "lid on a table",
    "materials": ["wood"],
    "pairs": [{"first": "wood", "second": "wood", "friction": 0.4, "restitution": 0}],
    "bodies": [
      {"name": "table", "joint": {"kind": "fixed"},
       "shapes": [{"geometry": {"kind": "half_space"}, "material": "wood"}]},
      {"name": "lid", "inertia": {"mass": 2, "inertia": [[1, 0, 0], [0, 2, 0], [0, 0, 2]]},
       "joint": {"kind": "revolute", "parent": "table", "axis": [0, 1, 0], "lower": ["-inf"], "upper": [0]}}]
  })");
  EXPECT_EQ(scene.gravity, Vec3(0, 0, -9.81));
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<HalfSpace>(scene.bodies[0].shapes.at(0).geometry));
  EXPECT_EQ(scene.bodies[0].shapes[0].collides_with, ~0u);
  EXPECT_EQ(scene.bodies[1].inertia->inertia(1, 1), 2);
  EXPECT_EQ(scene.bodies[1].joint.lower, std::vector{-kInf});
}

TEST(SceneJson, IsWrittenForPeopleToRead) {
  SceneDescription scene{.name = "ball"};
  scene.bodies.push_back({.name = "ball"});
  EXPECT_EQ(scene_to_json(scene),
            R"({"schema": 1, "name": "ball", "bodies": [{"name": "ball", "joint": {"kind": "free"}}]}
)");
  scene.bodies[0].inertia = InertiaDescription{.mass = 1.5};
  scene.gravity = Vec3(0, 0, 0.1 + 0.2);
  EXPECT_EQ(scene_to_json(scene), R"({
  "schema": 1,
  "name": "ball",
  "gravity": [0.0, 0.0, 0.30000000000000004],
  "bodies": [{"name": "ball", "inertia": {"mass": 1.5}, "joint": {"kind": "free"}}]
}
)");
}

std::vector<Mistake> mistakes_in(std::string_view text) {
  try {
    const SceneDescription read = scene_from_json(text);
    return {};
  } catch (const InvalidInput& error) {
    return error.mistakes();
  }
}

/// A text with one mistake and how it is reported.
struct Wrong {
  const char* text;
  Mistake report;
};

class WrongSceneJson : public testing::TestWithParam<Wrong> {};

TEST_P(WrongSceneJson, IsReportedWithPlaceAndRemedy) {
  const auto mistakes = mistakes_in(GetParam().text);
  ASSERT_EQ(mistakes.size(), 1u);
  EXPECT_EQ(mistakes[0].place, GetParam().report.place);
  EXPECT_EQ(mistakes[0].problem, GetParam().report.problem);
  EXPECT_EQ(mistakes[0].remedy, GetParam().report.remedy);
}

INSTANTIATE_TEST_SUITE_P(
    SceneJson, WrongSceneJson,
    testing::Values(
        Wrong{R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "revolute", "axsi": [1, 0, 0]}}]})",
              {"bodies[0] \"a\" / joint", "has an unknown key \"axsi\"", "did you mean \"axis\"?"}},
        Wrong{R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "hinge"}}]})",
              {"bodies[0] \"a\" / joint / kind", "is \"hinge\", which is not known",
               "known here: fixed, revolute, prismatic, screw, universal, planar, ball, free"}},
        Wrong{R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "revolut"}}]})",
              {"bodies[0] \"a\" / joint / kind", "is \"revolut\", which is not known",
               "did you mean \"revolute\"?"}},
        Wrong{R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "ball", "axis": [1, 0]}}]})",
              {"bodies[0] \"a\" / joint / axis", "is a list of 2", "give 3 numbers [x, y, z]"}},
        Wrong{R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "ball", "axis": [1, 0, "z"]}}]})",
              {"bodies[0] \"a\" / joint / axis[2]", "is \"z\"", "give a number"}},
        Wrong{R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "ball", "damping": 1}}]})",
              {"bodies[0] \"a\" / joint / damping", "is 1", "give a list"}},
        Wrong{R"({"schema": 1, "bodies": [{"name": 7, "joint": {"kind": "ball"}}]})",
              {"bodies[0] 7 / name", "is 7", "give a text in quotes"}},
        Wrong{R"({"schema": 1, "bodies": [{"name": "a"}]})",
              {"bodies[0] \"a\"", "lacks the key \"joint\"", "add \"joint\""}},
        Wrong{
            R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "fixed", "collides_with_parent": 1}}]})",
            {"bodies[0] \"a\" / joint / collides_with_parent", "is 1", "give true or false"}},
        Wrong{
            R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "fixed"}, "inertia": {"mass": null}}]})",
            {"bodies[0] \"a\" / inertia / mass", "is null", "give a number"}},
        Wrong{
            R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "fixed"}, "inertia": {"mass": 1, "inertia": [1, 1, 1]}}]})",
            {"bodies[0] \"a\" / inertia / inertia", "is a list of 3",
             "give three rows such as [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"}},
        Wrong{
            R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "fixed"}, "shapes": [{"material": "m", "geometry": {"radius": 1}}]}]})",
            {"bodies[0] \"a\" / shapes[0] / geometry", "lacks the key \"kind\"", "add \"kind\""}},
        Wrong{
            R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "fixed"}, "shapes": [{"material": "m", "geometry": {"kind": "shpere", "radius": 1}}]}]})",
            {"bodies[0] \"a\" / shapes[0] / geometry / kind", "is \"shpere\", which is not known",
             "did you mean \"sphere\"?"}},
        Wrong{
            R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "fixed"}, "shapes": [{"material": "m", "geometry": {"kind": "sphere", "radius": 1, "size": 2}}]}]})",
            {"bodies[0] \"a\" / shapes[0] / geometry", "has an unknown key \"size\"",
             "known here: kind, radius"}},
        Wrong{
            R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "fixed"}, "shapes": [{"name": "s", "material": "m", "groups": 4294967296, "geometry": {"kind": "half_space"}}]}]})",
            {"bodies[0] \"a\" / shapes[0] \"s\" / groups", "is 4294967296",
             "give a whole number from 0 to 4294967295"}},
        Wrong{
            R"({"schema": 1, "bodies": [{"name": "a", "joint": {"kind": "fixed"}, "shapes": [{"name": "s", "material": "m", "groups": -1, "geometry": {"kind": "half_space"}}]}]})",
            {"bodies[0] \"a\" / shapes[0] \"s\" / groups", "is -1",
             "give a whole number from 0 to 4294967295"}},
        Wrong{R"({"schema": 1, "bodies": [], "never_collide": [["a"]]})",
              {"never_collide[0]", "is a list of 1", "give a list of 2"}},
        Wrong{R"({"schema": 1, "bodies": {}})", {"bodies", "is an object", "give a list"}},
        Wrong{R"({"schema": 2, "boddies": []})",
              {"top level", "has the schema 2", "this version reads \"schema\": 1"}},
        Wrong{R"({"bodies": []})",
              {"top level", "lacks the key \"schema\"", "this version reads \"schema\": 1"}},
        Wrong{R"([])", {"top level", "is a list of 0", "give an object"}},
        Wrong{R"({"schema": 1, "bodies": [{"name": "a", "name": "b", "joint": {"kind": "fixed"}}]})",
              {"bodies / name", "is given twice", "keep one of them"}},
        Wrong{"{\"schema\": 1,\n \"bodies\" []}",
              {"line 2, column 11", "is not JSON from here on",
               "look for a missing comma, quote or bracket here or just before"}},
        Wrong{"",
              {"line 1, column 1", "is not JSON from here on",
               "look for a missing comma, quote or bracket here or just before"}}));

TEST(SceneJson, ListsAllMistakesTogether) {
  const auto mistakes = mistakes_in(R"({"schema": 1, "gravty": [0, 0, 0], "pairs": 3,
      "bodies": [{"joint": {"kind": "ball", "pitch": "steep"}}, {"name": "b", "joint": {}}]})");
  ASSERT_EQ(mistakes.size(), 5u);
  EXPECT_EQ(mistakes[0].place, "pairs");
  EXPECT_EQ(mistakes[1].place, "bodies[0]");
  EXPECT_EQ(mistakes[2].place, "bodies[0] / joint / pitch");
  EXPECT_EQ(mistakes[3].place, "bodies[1] \"b\" / joint");
  EXPECT_EQ(mistakes[4].remedy, "did you mean \"gravity\"?");
}

TEST(SceneJson, RefusesNumbersThatNoDoubleHolds) {
  const std::vector<Mistake> too_large =
      mistakes_in(R"({"schema": 1, "gravity": [0, 0, 1e999], "bodies": []})");
  ASSERT_EQ(too_large.size(), 1u);
  EXPECT_EQ(too_large[0], (Mistake{"number '1e999'", "does not fit into a double", "give a smaller one"}));
}

TEST(SceneFile, IsReadFromItsFolder) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "jade_scene_file";
  std::filesystem::create_directories(folder);
  SceneDescription scene = full_scene();
  save_scene(scene, folder / "full.json");
  scene.folder = folder.string();
  EXPECT_EQ(load_scene(folder / "full.json"), scene);
  std::filesystem::remove_all(folder);
  EXPECT_THROW(static_cast<void>(load_scene(folder / "full.json")), std::filesystem::filesystem_error);
}

}  // namespace
}  // namespace jade
