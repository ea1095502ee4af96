/// What holds for every scene that our generators can grow.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/arbitrary_scene.h"
#include "jade/model/model.h"

namespace jade {
namespace {

using generators::arbitrary_scene;
using generators::Soil;

RC_GTEST_PROP(GrownScene, HasNoMistakes, ()) {
  const SceneDescription scene = *arbitrary_scene({.shapes = *rc::gen::arbitrary<bool>()});
  for (const Mistake& m : check_scene(scene)) RC_FAIL(m.place + ": " + m.problem);
}

RC_GTEST_PROP(GrownScene, ComesBackFromItsFileBitForBit, ()) {
  const SceneDescription scene = *arbitrary_scene({.shapes = true});
  const std::string text = scene_to_json(scene);
  const SceneDescription back = scene_from_json(text);
  RC_ASSERT(back == scene);
  RC_ASSERT(scene_to_json(back) == text);
}

TEST(RandomScene, IsTheSameForTheSameSeedAndIndex) {
  const Soil soil{.shapes = true};
  EXPECT_EQ(generators::random_scene(1, 7, soil), generators::random_scene(1, 7, soil));
  EXPECT_NE(generators::random_scene(1, 7, soil), generators::random_scene(1, 8, soil));
  EXPECT_NE(generators::random_scene(2, 7, soil), generators::random_scene(1, 7, soil));
}

TEST(RandomScene, ShowsEveryJointKind) {
  std::array<int, 8> seen{};
  for (std::uint64_t i = 0; i < 50; ++i)
    for (const BodyDescription& body : generators::random_scene(1, i, {}).bodies)
      ++seen[static_cast<std::size_t>(body.joint.kind)];
  for (std::size_t kind = 0; kind < seen.size(); ++kind) EXPECT_GT(seen[kind], 5) << kind;
}

TEST(RandomScene, HasNoMistakes) {
  for (std::uint64_t i = 0; i < 200; ++i)
    EXPECT_EQ(check_scene(generators::random_scene(3, i, {.shapes = i % 2 == 0})), std::vector<Mistake>{})
        << i;
}

}  // namespace
}  // namespace jade
