#include "jade/base/suggest.h"

#include <vector>

#include <gtest/gtest.h>

namespace jade {
namespace {

TEST(EditDistance, CountsSingleSlips) {
  EXPECT_EQ(edit_distance("axis", "axis"), 0);
  EXPECT_EQ(edit_distance("axis", "Axis"), 0);
  EXPECT_EQ(edit_distance("axs", "axis"), 1);    // left out
  EXPECT_EQ(edit_distance("axiis", "axis"), 1);  // doubled
  EXPECT_EQ(edit_distance("aXas", "axis"), 1);   // replaced
  EXPECT_EQ(edit_distance("aixs", "axis"), 1);   // swapped
  EXPECT_EQ(edit_distance("", "axis"), 4);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(EditDistance, IsSymmetric) {
  const std::vector<std::string> words{"", "a", "mass", "sams", "inertia", "material", "materials"};
  for (const auto& a : words)
    for (const auto& b : words) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
}

TEST(Suggest, NamesTheNearestOrElseWhatIsKnown) {
  const std::vector<std::string> known{"axis", "second_axis", "parent"};
  EXPECT_EQ(suggest("axsi", known), "did you mean \"axis\"?");
  EXPECT_EQ(suggest("secondaxis", known), "did you mean \"second_axis\"?");
  EXPECT_EQ(suggest("colour", known), "known here: axis, second_axis, parent");
  EXPECT_EQ(suggest("x", {}), "nothing is known here");
  EXPECT_FALSE(nearest_name("qqqq", known));
}

TEST(Suggest, DoesNotFillTheScreen) {
  std::vector<std::string> known(40);
  for (std::size_t i = 0; i < known.size(); ++i) known[i] = "case_" + std::to_string(i);
  EXPECT_TRUE(suggest("zzzzzzzzzz", known).ends_with("case_11 and 28 more"));
}

}  // namespace
}  // namespace jade
