#include "jade/base/error.h"

#include <gtest/gtest.h>

#include "jade/base/version.h"

namespace jade {
namespace {

TEST(InvalidInput, ListsEveryMistakeWithPlaceAndRemedy) {
  const InvalidInput error("scene \"x\"", {{"bodies[0] / mass", "is -1", "give a positive mass"},
                                           {"bodies[1] / joint / axis", "has length 0", "give a direction"}});
  const std::string text = error.what();
  EXPECT_EQ(text,
            "scene \"x\": 2 mistakes\n"
            "  bodies[0] / mass: is -1; give a positive mass\n"
            "  bodies[1] / joint / axis: has length 0; give a direction");
  EXPECT_EQ(error.mistakes().size(), 2u);
}

TEST(Version, IsThreeNumbers) {
  int major = -1, minor = -1, patch = -1;
  EXPECT_EQ(std::sscanf(version(), "%d.%d.%d", &major, &minor, &patch), 3);
}

}  // namespace
}  // namespace jade
