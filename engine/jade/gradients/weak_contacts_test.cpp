#include "jade/gradients/weak_contacts.h"

#include <gtest/gtest.h>

namespace jade {
namespace {

TEST(WeakContacts, CarryWhatIsPressedAndLetGoOfTheRest) {
  const WeakContacts contacts{(MatX(2, 2) << 2, -1, -1, 2).finished(), Vec2(2, 2)};
  const Vec2 pressed[] = {Vec2(-3, -3), Vec2(1, 1), Vec2(-3, 4)},
             loads[] = {Vec2(3, 3), Vec2(0, 0), Vec2(1.5, 0)};
  for (int k = 0; k < 3; ++k) {
    const std::optional<VecX> f = contacts.loads(pressed[k]);
    ASSERT_TRUE(f.has_value());
    EXPECT_LE((*f - loads[k]).norm(), 1e-14) << k;
  }
}

/// A square plate of mass 1 and half width 1 on its four corners: pressed in the middle all of them carry the same, and pressed
/// off it they carry by the plane that their weights make. Shares are known to rounding over the compliance of the passes.
TEST(WeakContacts, ShareALoadAsTheCornersOfAFace) {
  MatX J(4, 3);  // by the speed of the middle, and the turns about both axes
  J << 1, 1, 1, 1, 1, -1, 1, -1, -1, 1, -1, 1;
  const Vec3 inverse_mass(1, 3, 3);
  const MatX A = J * inverse_mass.asDiagonal() * J.transpose();
  const WeakContacts corners{A, A.diagonal()};
  const VecX middle = VecX::Constant(4, -1);
  ASSERT_TRUE(corners.loads(middle).has_value());
  EXPECT_LE((*corners.loads(middle) - VecX::Constant(4, 0.25)).norm(), 1e-9);
  const VecX tilted = middle - 0.3 * J.col(1);
  ASSERT_TRUE(corners.loads(tilted).has_value());
  EXPECT_LE((*corners.loads(tilted) - (VecX(4) << 0.275, 0.275, 0.225, 0.225).finished()).norm(), 1e-9);
}

/// A wheel that friction drags into what it touches the harder it is held: no load holds it, and it says so.
TEST(WeakContacts, SayWhereNoLoadHolds) {
  const WeakContacts jammed{MatX::Constant(1, 1, -1), VecX::Constant(1, 1)};
  EXPECT_FALSE(jammed.loads(VecX::Constant(1, -1)).has_value());
}

}  // namespace
}  // namespace jade
